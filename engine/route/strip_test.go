package route

import "testing"

func TestStrip(t *testing.T) {
	// want is empty for a path that must be refused.
	f := func(prefix, path, want string) {
		t.Helper()
		rest, ok := Strip(prefix, []byte(path), new(Scratch))
		if string(rest) != want || ok != (want != "") {
			t.Errorf("%s without %s: %s (%v), want %s", path, prefix, rest, ok, want)
		}
	}
	f("/api", "/api", "/")
	f("/api", "/api/", "/")
	f("/api", "/api/x", "/x")
	f("/api", "/api/x/y", "/x/y")
	f("/api", "/api/api/x", "/api/x")
	f("/api", "/api/a%20b", "/a%20b")
	f("/api", "/api/g%2Fp", "/g%2Fp")
	f("/api", "/api/g%2fp", "/g%2Fp")
	f("/api", "//%61pi//x", "/x")
	f("/api", "/%61pi", "/")
	f("/api", "/api//", "/")
	f("/api", "/api//x//y", "/x/y")
	f("/api", "/api/.x", "/.x")
	f("/api", "/api/x;a=b", "/x;a=b")
	f("/api/", "/api/x", "/x")
	f("/api/", "/api/", "/")
	f("/", "/x", "/x")
	f("/", "//x", "/x")
	f("/", "/", "/")

	f("/api", "/api/..", "")
	f("/api", "/api//../x", "")
	f("/api", "/api/%2e%2e/x", "")
	f("/api", "/api/..;/x", "")
	f("/api", "/api/%2%65%2%65", "")
	f("/api", "/apix", "")
	f("/api", "/ap", "")
	f("/api/", "/api", "")
	f("/api", "api", "")
	f("", "/x", "")
	f("/api", "", "")
}

// TestStripAfterFind: what Find accepts can be stripped with the prefix it returned, with
// the same scratch, and the request's path stays as it was.
func TestStripAfterFind(t *testing.T) {
	table := mustNew(t, prefixRules("/api", "/b/", "/"))
	s := new(Scratch)
	for _, path := range []string{"/api", "/api/x", "//api/%61;x", "/b/%2F", "/b//x", "/c", "/%41", "/api/a\\b"} {
		raw := []byte(path)
		m, v := table.Find(0, nil, raw, s)
		if v != Found {
			t.Fatalf("%s: verdict %d", path, v)
		}
		if rest, ok := Strip(m.Prefix, raw, s); !ok || rest[0] != '/' {
			t.Errorf("%s without %s: %q, %v", path, m.Prefix, rest, ok)
		}
		if string(raw) != path {
			t.Errorf("%s became %s", path, raw)
		}
	}
}
