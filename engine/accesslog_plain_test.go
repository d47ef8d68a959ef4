package engine

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// Every byte is found at every place of a word, beside any other bytes.
func TestSpecial(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for c := range 256 {
		for at := range 8 {
			text := []byte("abcdefgh")
			for i := range text {
				text[i] = plainByte(random)
			}
			text[at] = byte(c)
			if got := special(word(text, 0)); got == standsForItself[c] {
				t.Errorf("%q is special: %v", text, got)
			}
		}
	}
}

func plainByte(random *rand.Rand) byte {
	for {
		if c := byte(random.IntN(256)); standsForItself[c] {
			return c
		}
	}
}

func TestPlainEnd(t *testing.T) {
	f := func(s string, i, end, want int) {
		t.Helper()
		if got := plainEnd(s, i, end); got != want {
			t.Errorf("plainEnd(%q, %d, %d) = %d, want %d", s, i, end, got, want)
		}
		if got := plainEnd([]byte(s), i, end); got != want {
			t.Errorf("the same of bytes = %d, want %d", got, want)
		}
	}
	f("", 0, 0, 0)
	f("abc", 0, 3, 3)
	f("abc\n", 0, 4, 3)
	f("abc\n", 0, 2, 2)
	f("abc\n", 3, 4, 3)
	f("0123456789abcdef", 0, 16, 16)
	f("0123456789abcdef", 0, 15, 15)
	f("0123456789abcde\"", 0, 16, 15)
	f("\\123456789abcdef", 0, 16, 0)
	f("\\123456789abcdef", 1, 16, 16)
	f("0123456\u00e49abcdef", 1, 17, 7)
}

func BenchmarkPlainEnd(b *testing.B) {
	text := bytes.Repeat([]byte("/path"), 10)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if plainEnd(text, 0, len(text)) != len(text) {
			b.Fatal("not plain")
		}
	}
}
