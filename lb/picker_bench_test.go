package lb

import (
	"fmt"
	"testing"
)

// BenchmarkPick pairs one endpoint with many: a pick among 1,000 may cost 150 ns more.
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
		p := clusterOf(a, weights...).NewPicker(1)
		b.ReportAllocs()
		for b.Loop() {
			p.Pick(nil).Finish(Success)
		}
	})
}

func BenchmarkPickAfterFailure(b *testing.B) {
	for _, a := range algorithms {
		b.Run(a.String(), func(b *testing.B) {
			p := clusterOf(a, 1, 1, 1).NewPicker(1)
			b.ReportAllocs()
			for b.Loop() {
				var tried Tried
				e := p.Pick(nil)
				tried.Add(e)
				e.Finish(Failure)
				p.Pick(&tried).Finish(Success)
			}
		})
	}
}

func BenchmarkNewCluster(b *testing.B) {
	weights := make([]int, 1000)
	for i := range weights {
		weights[i] = 1 + i%100
	}
	prev := clusterOf(TwoRandom, weights...)
	o := Options{Endpoints: described(weights...)}
	b.ReportAllocs()
	for b.Loop() {
		prev = NewCluster(o, prev)
	}
}
