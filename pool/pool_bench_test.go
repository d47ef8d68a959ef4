package pool

import "testing"

func BenchmarkPutGet(b *testing.B) {
	var l Idle[*conn]
	for i := range 64 {
		l.Put(&newConn(byte(i)).Entry, int64(i))
	}
	b.ReportAllocs()
	for b.Loop() {
		l.Put(l.Get(), 100)
	}
}

func BenchmarkPermits(b *testing.B) {
	p := NewPermits(1 << 20)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if p.TryAcquire() {
				p.Release()
			}
		}
	})
}
