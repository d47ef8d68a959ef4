package main

import "fmt"

// A pattern is an endless text that only its seed determines, read from at on.
type pattern struct {
	seed uint64
	at   int64
}

// Read fills b. It never fails.
func (p *pattern) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(mix(p.seed+uint64(p.at>>3)) >> (8 * (p.at & 7)))
		p.at++
	}
	return len(b), nil
}

// mix spreads the bits of n (the finalizer of splitmix64).
func mix(n uint64) uint64 {
	n += 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}

// A matcher compares what is written to it with a pattern.
type matcher struct{ pattern }

// Write fails at the first byte that is another.
func (m *matcher) Write(b []byte) (int, error) {
	var want [4096]byte
	for n := 0; n < len(b); {
		part := b[n:min(len(b), n+len(want))]
		from := m.at
		m.Read(want[:len(part)])
		for i := range part {
			if part[i] != want[i] {
				return n + i, fmt.Errorf("byte %d is %#02x, want %#02x", from+int64(i), part[i], want[i])
			}
		}
		n += len(part)
	}
	return len(b), nil
}
