package route

import "testing"

// FuzzFind: Find never panics, agrees with the reference, leaves its arguments alone, and
// what it finds has no dot segment in any reading and can be stripped.
func FuzzFind(f *testing.F) {
	for _, path := range []string{"/", "/a/b", "/%61/b", "/a%2Fb", "/a;x/../b", "//a\\b", "/%2%65%2%65", "/%%32e", "/.;/", "/c/%252e", "/a/b/%E2%82%AC"} {
		for i, host := range crossedHosts() {
			f.Add(i%3, host, path)
		}
	}
	rules := crossedRules()
	table, s := mustNew(f, rules), new(Scratch)
	f.Fuzz(func(t *testing.T, listener int, host, path string) {
		var seen [3]int
		if refComparable(host) {
			compare(t, table, rules, question{listener, host, path}, s, &seen)
		}
		rawHost, raw := []byte(host), []byte(path)
		m, v := table.Find(listener, rawHost, raw, s)
		if string(rawHost) != host || string(raw) != path {
			t.Fatalf("arguments became %q, %q", rawHost, raw)
		}
		if v != Found {
			return
		}
		for _, spelling := range []string{path, refNormal(path)} {
			for _, reading := range refReadings(spelling) {
				if refHasDots(reading) {
					t.Errorf("%q was found but may be read as %q", path, reading)
				}
			}
		}
		checkStrip(t, m.Prefix, path, s)
	})
}

// refComparable reports whether the reference folds the host as the table does: it knows
// neither brackets nor letters outside ASCII nor names too long to match.
func refComparable(host string) bool {
	for i := range len(host) {
		if host[i] == '[' || host[i] >= 0x80 {
			return false
		}
	}
	return len(host) <= maxHost
}

func checkStrip(t *testing.T, prefix, path string, s *Scratch) {
	t.Helper()
	rest, ok := Strip(prefix, []byte(path), s)
	if !ok || rest[0] != '/' || refHasDots(refFlat(string(rest))) || refMerged(string(rest)) != string(rest) {
		t.Errorf("%q without %q: %q, %v", path, prefix, rest, ok)
	}
}

// FuzzCheck: the checks never panic, and a rule whose host and prefix pass is found under
// them.
func FuzzCheck(f *testing.F) {
	for _, host := range []string{"", "a.example", "*.a.example", "[::1]", "192.0.2.1", "A."} {
		for _, prefix := range []string{"/", "/a", "/a/", "/%61", "/%C3%A9", "/a;b", "/..", "x"} {
			f.Add(host, prefix)
		}
	}
	f.Fuzz(func(t *testing.T, host, prefix string) {
		sound := CheckHost(host) == nil && CheckPrefix(prefix) == nil
		table, err := New([]Rule[int]{{Hosts: []string{host}, Prefix: prefix, Value: 7}})
		if (err == nil) != sound {
			t.Fatalf("New says %v, the checks say %v", err, sound)
		}
		if !sound {
			return
		}
		asked := canonicalHost(host)
		if asked != "" && asked[0] == '*' {
			asked = "x" + asked[1:]
		}
		if m, v := table.Find(0, []byte(asked), []byte(prefix), new(Scratch)); len(asked) <= maxHost && (v != Found || m.Value != 7) {
			t.Errorf("%q%q: verdict %d", asked, prefix, v)
		}
	})
}
