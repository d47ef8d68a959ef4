package route

import (
	"regexp"
	"strings"
)

// The slow reference: the same contract in strings and regular expressions, written
// without a look at the table's own code.

var (
	refEscape  = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
	refParams  = regexp.MustCompile(`;[^/]*`)
	refMerge   = regexp.MustCompile(`//+`)
	refTricks  = regexp.MustCompile(`(?i)%00|%u|%(25)+(2e|2f|5c)`)
	refLegal   = regexp.MustCompile(`^/[!-~]*$`)
	refFree    = regexp.MustCompile(`^%(2[dDeE]|3[0-9]|[46][1-9a-fA-F]|[57][0-9aA]|5[fF]|7[eE])$`)
	refSlashes = strings.NewReplacer("%2f", "/", "%2F", "/", "%5c", "/", "%5C", "/", "\\", "/")
	refDots    = strings.NewReplacer("%2e", ".", "%2E", ".", "%3b", ";", "%3B", ";")
)

func refMerged(s string) string { return refReplace(refMerge, "//", s, "/") }
func refFlat(s string) string   { return refMerged(refSlashes.Replace(s)) }
func refDrop(s string) string   { return refMerged(refReplace(refParams, ";", s, "")) }

// refReplace is ReplaceAllString for an expression whose matches all hold needle; under
// the race detector regular expressions are too slow to be asked in vain.
func refReplace(re *regexp.Regexp, needle, s, by string) string {
	if !strings.Contains(s, needle) {
		return s
	}
	return re.ReplaceAllString(s, by)
}

func refNormal(path string) string {
	if !strings.Contains(path, "%") {
		return refMerged(path)
	}
	return refMerged(refEscape.ReplaceAllStringFunc(path, func(e string) string {
		if !refFree.MatchString(e) {
			return strings.ToUpper(e)
		}
		return string([]byte{fromHex(e[1])<<4 | fromHex(e[2])})
	}))
}

// refReadings are the ways in which upstreams read a path, the plain one first.
func refReadings(path string) []string {
	return []string{refMerged(path), refFlat(path), refDrop(refFlat(path)), refDrop(path), refFlat(refDrop(path))}
}

func refHasDots(reading string) bool {
	for segment := range strings.SplitSeq(reading, "/") {
		name, _, _ := strings.Cut(refDots.Replace(segment), ";")
		if name == "." || name == ".." {
			return true
		}
	}
	return false
}

// refUnstable reports whether normalising path made an escape that was not there.
func refUnstable(path string) bool {
	kept := 0
	for _, e := range refEscape.FindAllString(path, -1) {
		if !refFree.MatchString(e) {
			kept++
		}
	}
	return len(refEscape.FindAllString(refNormal(path), -1)) != kept
}

func refMatches(prefix, path string) bool {
	if strings.HasSuffix(prefix, "/") {
		return strings.HasPrefix(path, prefix)
	}
	return path == prefix || strings.HasPrefix(path, prefix+"/")
}

// refHostRank orders the patterns that cover a host: exact first, then longer wildcards,
// then any; 0 is no match.
func refHostRank(pattern, host string) int {
	host, _, _ = strings.Cut(host, ":")
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	pattern = strings.TrimSuffix(strings.ToLower(pattern), ".")
	switch {
	case pattern == "":
		return 1
	case pattern == host:
		return 1000
	case !strings.HasPrefix(pattern, "*"):
		return 0
	}
	label, ok := strings.CutSuffix(host, pattern[1:])
	if !ok || label == "" || strings.HasSuffix(label, ".") {
		return 0
	}
	return len(pattern)
}

// refRank orders the routes for a request whose path is in normal form: host before
// prefix before listener; 0 is no match.
func refRank(r *Rule[int], listener int, host, path string) int {
	if !refMatches(r.Prefix, path) {
		return 0
	}
	bound := 0
	for _, n := range r.Listeners {
		if n == listener {
			bound = 1
		}
	}
	if len(r.Listeners) > 0 && bound == 0 {
		return 0
	}
	best := 0
	for _, h := range r.Hosts {
		best = max(best, refHostRank(h, host))
	}
	if len(r.Hosts) == 0 {
		best = 1
	}
	if best == 0 {
		return 0
	}
	return best<<32 | len(r.Prefix)<<1 | bound
}

func refLookup(rules []Rule[int], listener int, host, path string) int {
	id, best := none, 0
	for i := range rules {
		if rank := refRank(&rules[i], listener, host, path); rank > best {
			id, best = i, rank
		}
	}
	return id
}

// refFind is the reference for Find; id is none unless the verdict is Found.
func refFind(rules []Rule[int], listener int, host, path string) (id int, v Verdict) {
	normal := refNormal(path)
	if !refLegal.MatchString(path) || strings.ContainsAny(path, "?#") || refUnstable(path) ||
		refTricks.MatchString(path) || refTricks.MatchString(normal) {
		return none, BadPath
	}
	id = refLookup(rules, listener, host, normal)
	for _, spelling := range []string{path, normal} {
		for _, reading := range refReadings(spelling) {
			if refHasDots(reading) || refLookup(rules, listener, host, refNormal(reading)) != id {
				return none, BadPath
			}
		}
	}
	if id == none {
		return none, NoRoute
	}
	return id, Found
}
