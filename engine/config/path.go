package config

import (
	"strconv"
	"strings"
)

// join appends a key to a path. A key that is not a plain word is put in brackets.
func join(path, key string) string {
	if !isWord(key) {
		return path + "[" + strconv.Quote(visible(key)) + "]"
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// index appends the number of a list item to a path.
func index(path string, i int) string {
	return path + "[" + strconv.Itoa(i) + "]"
}

func isWord(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !isAlphanumeric(c) && c != '_' && c != '-' {
			return false
		}
	}
	return s != ""
}

// visible returns the part of a key that may be shown. What follows the first character
// that no key has may be a value run into it ("secret:word"), so it is left out.
func visible(key string) string {
	const most = 64
	for i := range len(key) {
		if c := key[i]; i == most || !isAlphanumeric(c) && !strings.ContainsRune("_-./", rune(c)) {
			return key[:i] + "..."
		}
	}
	return key
}

func isAlphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
