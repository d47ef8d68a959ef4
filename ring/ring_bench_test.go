package ring

import (
	"fmt"
	"testing"
)

func BenchmarkNew(b *testing.B) {
	for _, n := range []int{3, 64, 128, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			members := equalMembers(n)
			b.ReportAllocs()
			for b.Loop() {
				New(members)
			}
		})
	}
}

func BenchmarkLookup(b *testing.B) {
	for _, n := range []int{1, 3, 64, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := New(equalMembers(n))
			hash := uint64(0)
			for b.Loop() {
				hash += 0x9e3779b97f4a7c15
				r.Lookup(hash)
			}
		})
	}
}

func BenchmarkWalk(b *testing.B) {
	r := New(equalMembers(64))
	hash := uint64(0)
	for b.Loop() {
		hash += 0x9e3779b97f4a7c15
		w := r.Walk(hash)
		for range 3 {
			w.Next()
		}
	}
}

func BenchmarkHash(b *testing.B) {
	key := []byte("session-0123456789abcdef")
	for b.Loop() {
		Hash(key)
	}
}
