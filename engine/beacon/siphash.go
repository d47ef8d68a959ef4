package beacon

import (
	"encoding/binary"
	"math/bits"
)

// A sip is the state of SipHash-2-4 (Aumasson and Bernstein, 2012).
type sip struct{ v0, v1, v2, v3 uint64 }

// sipHash returns the 64-bit SipHash-2-4 of message. It does not allocate.
func sipHash(key *Key, message []byte) uint64 {
	k0, k1 := binary.LittleEndian.Uint64(key[:8]), binary.LittleEndian.Uint64(key[8:])
	s := sip{
		// "somepseudorandomlygeneratedbytes", as the paper has it
		v0: k0 ^ 0x736f6d6570736575,
		v1: k1 ^ 0x646f72616e646f6d,
		v2: k0 ^ 0x6c7967656e657261,
		v3: k1 ^ 0x7465646279746573,
	}
	last := uint64(len(message)) << 56
	for ; len(message) >= 8; message = message[8:] {
		s.compress(binary.LittleEndian.Uint64(message))
	}
	for i, c := range message {
		last |= uint64(c) << (8 * i)
	}
	s.compress(last)
	s.v2 ^= 0xff
	for range 4 {
		s.round()
	}
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3
}

func (s *sip) compress(word uint64) {
	s.v3 ^= word
	s.round()
	s.round()
	s.v0 ^= word
}

func (s *sip) round() {
	s.v0 += s.v1
	s.v1 = bits.RotateLeft64(s.v1, 13) ^ s.v0
	s.v0 = bits.RotateLeft64(s.v0, 32)
	s.v2 += s.v3
	s.v3 = bits.RotateLeft64(s.v3, 16) ^ s.v2
	s.v0 += s.v3
	s.v3 = bits.RotateLeft64(s.v3, 21) ^ s.v0
	s.v2 += s.v1
	s.v1 = bits.RotateLeft64(s.v1, 17) ^ s.v2
	s.v2 = bits.RotateLeft64(s.v2, 32)
}
