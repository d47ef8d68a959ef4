package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Least values of a duration.
const (
	zeroAllowed = time.Duration(0)
	positive    = time.Duration(1)
)

// maxDuration is far above anything sensible, and far below what overflows in sums.
const maxDuration = 10 * 365 * 24 * time.Hour

// duration takes a time span that is not under least: text with units, or a bare number
// of seconds.
func duration(to *time.Duration, least time.Duration) scalar[time.Duration] {
	return scalar[time.Duration]{
		to:    to,
		kind:  "a duration",
		parse: func(s string) (time.Duration, error) { return parseDuration(s, least) },
		show:  showDuration,
		takes: func() []object { return spans(least) },
	}
}

// durationOrFalse takes a positive duration, or false for none, which is stored as 0.
func durationOrFalse(to *time.Duration) scalar[time.Duration] {
	s := duration(to, positive)
	s.kind = "a duration or false"
	s.takes = func() []object { return append(spans(positive), orFalse()) }
	s.parse = func(text string) (time.Duration, error) {
		if text == "false" {
			return 0, nil
		}
		d, err := parseDuration(text, positive)
		if err != nil {
			err = fmt.Errorf("%w; false for none", err)
		}
		return d, err
	}
	return s
}

func parseDuration(s string, least time.Duration) (time.Duration, error) {
	d, err := readDuration(s)
	switch {
	case err != nil:
		return 0, err
	case d < 0:
		return 0, fmt.Errorf("%s is negative; a duration is not", shown(s))
	case d == 0 && least == positive:
		return 0, fmt.Errorf("%s is not enough; this duration must be more than 0", shown(s))
	case d < least:
		return 0, fmt.Errorf("%s is too short; at least %s", shown(s), showDuration(least))
	case d > maxDuration:
		return 0, fmt.Errorf("%s is too long; at most %s", shown(s), showDuration(maxDuration))
	}
	return d, nil
}

func readDuration(s string) (time.Duration, error) {
	if !isPlainNumber(strings.TrimPrefix(s, "-")) {
		d, err := time.ParseDuration(s)
		if err != nil || strings.HasPrefix(s, "+") {
			return 0, fmt.Errorf("%s is not a duration; write it like 250ms, 30s or 24h, or a number of seconds%s", shown(s), longUnit(s))
		}
		return d, nil
	}
	seconds, err := strconv.ParseFloat(s, 64)
	if err != nil || seconds > maxDuration.Seconds() {
		return 0, fmt.Errorf("%s is too long; at most %s", shown(s), showDuration(maxDuration))
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// longUnit says what to write instead of days and weeks, which have no unit.
func longUnit(s string) string {
	for unit, hours := range map[string]int{"d": 24, "w": 7 * 24} {
		if n, err := strconv.Atoi(strings.TrimSuffix(s, unit)); err == nil && n > 0 && n < 10000 && strings.HasSuffix(s, unit) {
			return fmt.Sprintf("; did you mean %dh?", n*hours)
		}
	}
	return ""
}

// showDuration writes d the way people do: 24h and 75s, not 24h0m0s and 1m15s.
func showDuration(d time.Duration) string {
	if d%time.Second == 0 && d < 2*time.Minute {
		return strconv.Itoa(int(d/time.Second)) + "s"
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
