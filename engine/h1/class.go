package h1

import (
	"encoding/binary"
	"math/bits"
)

// Classes of bytes. A byte may be in several.
const (
	classToken   = 1 << iota // tchar of RFC 9110, section 5.6.2
	classPlain               // letter, digit, hyphen: what ordinary field names consist of
	classRegName             // what a registered name in an authority may hold
	classHex                 // hexadecimal digit
	classDigit
)

// class tells the classes of a byte.
var class = classes()

// lower maps letters to lower case and other bytes to themselves.
var lower = lowers()

// hexValue is the value of a hexadecimal digit, and noHex for other bytes.
var hexValue = hexValues()

const noHex = 0xff

func classes() (t [256]uint8) {
	mark := func(set string, bits uint8) {
		for i := range len(set) {
			t[set[i]] |= bits
		}
	}
	mark("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", classToken|classPlain|classRegName)
	mark("0123456789", classToken|classPlain|classRegName|classHex|classDigit)
	mark("-", classToken|classPlain|classRegName)
	mark("!#$%&'*+.^_`|~", classToken)
	mark("._~", classRegName)
	mark("ABCDEFabcdef", classHex)
	return t
}

func lowers() (t [256]uint8) {
	for i := range t {
		t[i] = uint8(i)
	}
	for c := 'A'; c <= 'Z'; c++ {
		t[c] = uint8(c + 'a' - 'A')
	}
	return t
}

func hexValues() (t [256]uint8) {
	for i := range t {
		t[i] = noHex
	}
	for i := range len("0123456789abcdef") {
		t["0123456789abcdef"[i]] = uint8(i)
		t["0123456789ABCDEF"[i]] = uint8(i)
	}
	return t
}

// The functions below look at eight bytes at once, as lanes of a word that is
// loaded little-endian, so that the lowest lane is the first byte. A borrow can
// mark a lane falsely only above one that is marked truly, so the lowest mark
// is always right.
const (
	lanes = 0x0101010101010101
	highs = 0x8080808080808080
)

// controls marks the lanes that hold a byte below 0x20, or 0x7f.
func controls(w uint64) uint64 {
	del := w ^ 0x7f*lanes
	return ((w-0x20*lanes)&^w | (del-lanes)&^del) & highs
}

// noTarget marks the lanes that hold a byte which cannot stand in a request
// target: controls, blank, DEL, bytes above it, and '#'.
func noTarget(w uint64) uint64 {
	del, hash := w^0x7f*lanes, w^'#'*lanes
	return (w | (w-0x21*lanes)&^w | (del-lanes)&^del | (hash-lanes)&^hash) & highs
}

// valueEnd returns the index of the first byte from i on that ends a field
// value, which is any control but the tab, or len(b).
func valueEnd(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		m := controls(binary.LittleEndian.Uint64(b[i:]))
		for ; m != 0; m &= m - 1 {
			j := i + bits.TrailingZeros64(m)>>3
			if c := b[j]; c != '\t' && (c < ' ' || c == 0x7f) {
				return j
			}
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c < ' ' && c != '\t' || c == 0x7f {
			return i
		}
	}
	return i
}

// targetEnd returns the index of the first byte from i on that cannot stand
// in a request target, or len(b).
func targetEnd(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		if m := noTarget(binary.LittleEndian.Uint64(b[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for i < len(b) && b[i] > ' ' && b[i] < 0x7f && b[i] != '#' {
		i++
	}
	return i
}

// isBlank reports whether c is optional white space (RFC 9110, section 5.6.3).
func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// trimBlanks returns b without blanks at its ends.
func trimBlanks(b []byte) []byte {
	for len(b) > 0 && isBlank(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && isBlank(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

// equalFold reports whether a is b without regard to the case of letters.
func equalFold(a, b []byte) bool {
	if len(a) != len(b) {
		return false
	}
	for i, c := range a {
		if lower[c] != lower[b[i]] {
			return false
		}
	}
	return true
}

// isWord reports whether a is word without regard to the case of letters.
// word is in lower case.
func isWord(a []byte, word string) bool {
	if len(a) != len(word) {
		return false
	}
	for i, c := range a {
		if lower[c] != word[i] {
			return false
		}
	}
	return true
}

// nextMember cuts the first member off a comma-separated list and trims it.
// Empty members are returned as such.
func nextMember(list []byte) (member, rest []byte) {
	for i, c := range list {
		if c == ',' {
			return trimBlanks(list[:i]), list[i+1:]
		}
	}
	return trimBlanks(list), nil
}
