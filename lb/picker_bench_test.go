package lb

import (
	"fmt"
	"testing"
)

// BenchmarkPick pairs one endpoint with many: an attempt among 1,000 may cost 150 ns more.
func BenchmarkPick(b *testing.B) {
	equal := func(int) int { return 1 }
	varied := func(i int) int { return 1 + i%100 }
	for _, a := range algorithms {
		for _, n := range []int{1, 2, 10, 100, 1000} {
			benchmarkPick(b, fmt.Sprintf("%v/equal/%d", a, n), a, n, equal)
		}
		benchmarkPick(b, fmt.Sprintf("%v/varied/%d", a, 1000), a, 1000, varied)
		benchmarkPick(b, fmt.Sprintf("%v/distinct/%d", a, 1000), a, 1000, func(i int) int { return i + 1 })
	}
}

func benchmarkPick(b *testing.B, name string, a Algorithm, n int, weight func(i int) int) {
	weights := make([]int, n)
	for i := range weights {
		weights[i] = weight(i)
	}
	b.Run(name, func(b *testing.B) {
		o := guarded(a, weights...)
		o.Budget = &BudgetSettings{MaxRetryRate: 0.1, MaxTokens: 10, RefillRate: 2}
		p := NewCluster(o, nil).NewPicker(1)
		var at Attempt
		now := int64(1e9)
		w := Want{}
		b.ReportAllocs()
		for b.Loop() {
			w.Now = now
			p.Begin(&at, &w)
			now += 20_000
			at.Finish(&Outcome{Now: now, Result: Success, Status: 200, Latency: 15_000 + now>>7&0xfff})
		}
	})
}

// BenchmarkFailOver is an exchange whose first attempt fails.
func BenchmarkFailOver(b *testing.B) {
	for _, a := range algorithms {
		b.Run(a.String(), func(b *testing.B) {
			p := clusterOf(a, 1, 1, 1).NewPicker(1)
			var tried Tried
			var at Attempt
			b.ReportAllocs()
			for b.Loop() {
				tried.Reset()
				p.Begin(&at, &Want{Tried: &tried})
				tried.Add(at.Endpoint())
				at.Finish(&Outcome{Result: Failure})
				p.Begin(&at, &Want{Tried: &tried})
				at.Finish(&Outcome{})
			}
		})
	}
}

// BenchmarkPickByKey has the key lead to its endpoint, and to an alternate.
func BenchmarkPickByKey(b *testing.B) {
	for _, n := range []int{1, 3, 64, 1000} {
		weights := make([]int, n)
		for i := range weights {
			weights[i] = 1
		}
		o := guarded(Random, weights...)
		o.Keyed = true
		c := NewCluster(o, nil)
		for _, hot := range []bool{false, true} {
			b.Run(fmt.Sprintf("hot=%v/%d", hot, n), func(b *testing.B) {
				p := c.NewPicker(1)
				key := uint64(1 << 60)
				home := c.Endpoints()[c.rings[0].seats[c.rings[0].ring.Lookup(key)]]
				if hot {
					home.active.Add(50)
					defer home.active.Add(-50)
				}
				var at Attempt
				now := sec
				b.ReportAllocs()
				for b.Loop() {
					now += 1000
					p.Begin(&at, &Want{Now: now, Key: key, Keyed: true})
					at.Finish(&Outcome{Now: now})
				}
			})
		}
	}
}

// BenchmarkRefresh is what a change costs: a new table, and the place of one worker in it.
func BenchmarkRefresh(b *testing.B) {
	for _, a := range algorithms {
		for _, n := range []int{10, 1000} {
			for _, members := range []bool{false, true} {
				b.Run(fmt.Sprintf("%v/members=%v/%d", a, members, n), func(b *testing.B) {
					weights := make([]int, n)
					for i := range weights {
						weights[i] = 1 + i%100
					}
					c := NewCluster(guarded(a, weights...), nil)
					p := c.NewPicker(1)
					e := c.Endpoints()[n/2]
					healthy := false
					var at Attempt
					for b.Loop() {
						if members {
							e.SetHealth(healthy)
							healthy = !healthy
						} else {
							c.circuits.wake()
						}
						p.Begin(&at, &Want{})
						at.Finish(&Outcome{})
					}
				})
			}
		}
	}
}

func BenchmarkNewCluster(b *testing.B) {
	weights := make([]int, 1000)
	for i := range weights {
		weights[i] = 1 + i%100
	}
	o := guarded(TwoRandom, weights...)
	prev := NewCluster(o, nil)
	b.ReportAllocs()
	for b.Loop() {
		o.Breakers = o.Breakers.Next()
		prev = NewCluster(o, prev)
	}
}

func BenchmarkCookieDecode(b *testing.B) {
	c := clusterOf(Random, 1, 1, 1)
	codec, _ := NewCookieCodec(NewCookieSecret(), c)
	token := []byte(codec.Encode(c.Endpoints()[1]))
	b.ReportAllocs()
	for b.Loop() {
		codec.Decode(token)
	}
}
