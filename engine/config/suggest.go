package config

import "strings"

// hint ends a message about a word that is not among those known: with the one that was
// probably meant, or with all. Too many are not gone through.
func hint(word string, known []string) string {
	const (
		compared = 1000 // more take too long if many words are wrong
		listed   = 50
	)
	if len(known) <= compared {
		if near := closest(word, known); near != "" {
			return "; did you mean " + near + "?"
		}
	}
	if len(known) == 0 || len(known) > listed {
		return ""
	}
	return "; one of " + strings.Join(known, ", ")
}

// closest returns the known word fewest edits away from word, or "" if none is near.
func closest(word string, known []string) string {
	best, least := "", min(2, len(word)/3)+1
	for _, k := range known {
		if n := distance(strings.ToLower(word), strings.ToLower(k)); n < least {
			best, least = k, n
		}
	}
	return best
}

// distance counts the insertions, deletions, replacements and swaps of neighbours
// between two words.
func distance(a, b string) int {
	const most = 64 // longer words are never close, and not worth the time
	if len(a) > most || len(b) > most {
		return most
	}
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(row[j]+1, last[j+1]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
