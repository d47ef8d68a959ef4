package config

import (
	"fmt"
	"strconv"
	"strings"
)

// Units of a size, in bytes.
const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30
	tib = 1 << 40
)

// size takes a number of bytes from least to most, with a binary unit or without.
func size(to *int64, least, most int64) scalar[int64] {
	return scalar[int64]{
		to:    to,
		kind:  "a size",
		parse: func(s string) (int64, error) { return parseSize(s, least, most) },
		show:  showSize,
		takes: func() []object { return byteCounts(least, most) },
	}
}

func parseSize(s string, least, most int64) (int64, error) {
	digits, unit := s, int64(1)
	for suffix, n := range sizeUnits {
		if strings.HasSuffix(s, suffix) {
			digits, unit = strings.TrimSuffix(s, suffix), n
		}
	}
	if !isWholeNumber(digits) {
		return 0, fmt.Errorf("%s is not a size; write bytes, or a whole number of KiB, MiB, GiB or TiB", shown(s))
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n > most/unit || n*unit < least {
		return 0, fmt.Errorf("%s is out of range; %s to %s", shown(s), showSize(least), showSize(most))
	}
	return n * unit, nil
}

var sizeUnits = map[string]int64{"KiB": kib, "MiB": mib, "GiB": gib, "TiB": tib}

// showSize writes n with the largest unit that divides it.
func showSize(n int64) string {
	for _, u := range []struct {
		name  string
		bytes int64
	}{{"TiB", tib}, {"GiB", gib}, {"MiB", mib}, {"KiB", kib}} {
		if n >= u.bytes && n%u.bytes == 0 {
			return strconv.FormatInt(n/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10)
}
