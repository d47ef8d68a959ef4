package h1

import (
	"math/rand/v2"
	"testing"
)

// The searches by words find what a search by bytes finds.
func TestSearchesByWords(t *testing.T) {
	inValue := func(c byte) bool { return c >= ' ' && c != 0x7f || c == '\t' }
	inTarget := func(c byte) bool { return c > ' ' && c < 0x7f && c != '#' }
	rnd := rand.New(rand.NewPCG(5, 6))
	edges := []byte{0, 1, 8, 9, 9, 9, 10, 13, 0x1f, 0x20, 0x20, 0x21, 0x22, 0x23, 0x24, 0x7e, 0x7f, 0x80, 0x81, 0x9f, 0xa0, 0xff}
	for range 50_000 {
		b := make([]byte, rnd.IntN(40))
		for i := range b {
			b[i] = 'a'
			if rnd.IntN(8) == 0 {
				b[i] = edges[rnd.IntN(len(edges))]
			}
		}
		i := rnd.IntN(len(b) + 1)
		f := func(name string, got int, legal func(byte) bool) {
			t.Helper()
			want := i
			for want < len(b) && legal(b[want]) {
				want++
			}
			if got != want {
				t.Fatalf("%s(%q, %d) = %d, want %d", name, b, i, got, want)
			}
		}
		f("valueEnd", valueEnd(b, i), inValue)
		f("targetEnd", targetEnd(b, i), inTarget)
	}
}
