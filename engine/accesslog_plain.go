package engine

// standsForItself are the bytes that need no escape in either format: the visible ones of
// ASCII and the blank, without the quote and the backslash.
var standsForItself = plainBytes()

func plainBytes() (plain [256]bool) {
	for c := byte(' '); c < 0x7f; c++ {
		plain[c] = c != '"' && c != '\\'
	}
	return plain
}

// plainEnd is where the bytes of s[:end] that stand for themselves end, from i on. Eight of
// them are looked at together (BenchmarkPlainEnd).
func plainEnd[T string | []byte](s T, i, end int) int {
	for ; i+8 <= end; i += 8 {
		if special(word(s, i)) {
			break
		}
	}
	for i < end && standsForItself[s[i]] {
		i++
	}
	return i
}

// word is the eight bytes from i on.
func word[T string | []byte](s T, i int) uint64 {
	_ = s[i+7]
	return uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
		uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
}

// special reports whether a byte of w does not stand for itself. Taking n from each byte
// sets the highest bit of one that is less than n. The borrow may set that of the byte above
// it too, which changes nothing: the answer is yes already.
func special(w uint64) bool {
	const each, highest = 0x0101010101010101, 0x8080808080808080
	quote, backslash, del := w^each*'"', w^each*'\\', w^each*0x7f // 0 where it is that byte
	found := w | (w - each*' ') | (quote-each)&^quote | (backslash-each)&^backslash | (del-each)&^del
	return found&highest != 0
}
