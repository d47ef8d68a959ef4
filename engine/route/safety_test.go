package route

import "testing"

// TestFindRefuses holds the paths that no upstream may be asked for.
func TestFindRefuses(t *testing.T) {
	table := mustNew(t, prefixRules("/", "/api"))
	f := func(paths ...string) {
		t.Helper()
		for _, path := range paths {
			if got := outcome(table, 0, "a.example", path); got != "400" {
				t.Errorf("%s: %s, want 400", path, got)
			}
		}
	}
	// Dot segments, plain, encoded and with parameters.
	f("/api/../admin", "/api/./x", "/..", "/.", "/api/..", "/api/.", "/./", "/../x", "//..", "/..//x")
	f("/api/.%2e/x", "/api/%2E%2e/x", "/%2e/x", "/%2E", "/api/%2e%2E", "/%2e./", "/api/%2e.")
	f("/..;/x", "/.;x/y", "/%2e%2e;/x", "/api/..;a=b/x", "/..;", "/.;", "/..%3b/x", "/.%3B")
	// Next to an encoded slash or a backslash.
	f("/..%2fx", "/..%2Fx", "/a%2f..", "/a%2f../b", "/..%5cx", "/a%5c..", "/a\\..\\b", "/a\\..", "/%2e%2e%5Cx", "/a\\.", "/a%2F%2e")
	f("/a;x%2f../b", "/a;x\\..", "/a;%2F..;/")
	// NUL, %u, encoded more than once.
	f("/a%00", "/%00", "/a%00.png", "/%u002e%u002e/x", "/%U002f", "/%u", "/%%75x")
	f("/%252e%252e/x", "/a%252fb", "/a%252Fb", "/a%255cb", "/a%255Cb", "/x%252e", "/a%25252fb", "/a%2525252eb")
	// Broken escapes that normalise into whole ones.
	f("/api/%2%65%2%65/x", "/api/%%32%65%%32%65/x", "/api%2%46secret", "/api%25%32%46secret", "/%%36%31", "/x%2%46y", "/%%32F", "/%%341")
	// Paths that lead to different routes in different readings.
	f("/api%2Fsecret", "/api%2fsecret", "/%2fapi/x", "/api%5Csecret", "/api\\secret", "/api;x", "/api;x/secret", "/;%2Fx/api/y")
	f("/%2Fapi", "/\\api", "/;/api", "/;x/api", "/%61pi%2fx", "/api;", "/%5c%2F\\api", "/x;/../api")
}

// TestFindAllows holds unusual paths that are harmless.
func TestFindAllows(t *testing.T) {
	table := mustNew(t, prefixRules("/", "/api"))
	f := func(want string, paths ...string) {
		t.Helper()
		for _, path := range paths {
			if got := outcome(table, 0, "a.example", path); got != want {
				t.Errorf("%s: %s, want %s", path, got, want)
			}
		}
	}
	f("/", "/a..b/", "/.well-known/x", "/...", "/%2e%2e%2e/x", "/x/.a", "/f.tar.gz", "/a;..", "/group%2Fproject", "/queues/%2F/q", "/@scope%2fpkg")
	f("/", "/%25", "/100%25", "/a%2/", "/%c0%ae", "/a//b", "//", "/%7Ex", "/~x", "/a+b", "/a=b&c", "/%E2%82%AC", "/a:b", "/(x)!$*',", "/%", "/%%", "/100%", "/%zz", "/%2525", "/%253", "/%2541")
	f("/", "/a|b", "/[x]", "/{y}", "/\"<>^`", "/..a", "/..a;b", "/...;", "/.a.", "/x/.../y", "/other/a%2Fb;c", "/files/a%2Fb", "/;", "/\\", "/;api", "/x\\api")
	f("/api", "/api/x;jsessionid=1", "/api/v4/projects/group%2Fproject", "/api/a;b/c", "/api/a%5cb", "/api/;x", "/api/\\x", "/api/%2F", "/api/.hidden", "/api//", "/%61%70%69//%2f")
}

// TestFindAmbiguousWithoutCatchAll holds paths that some readings have no route for.
func TestFindAmbiguousWithoutCatchAll(t *testing.T) {
	table := mustNew(t, prefixRules("/api", "/app"))
	f := func(path, want string) {
		t.Helper()
		if got := outcome(table, 0, "a.example", path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	f("/api%2Fx", "400")
	f("/api%5cx", "400")
	f("/app;jsessionid=1", "400")
	f("/app/;jsessionid=1", "/app")
	f("/other%2Fx;y", "404")
	f("/..", "400")
	f("/other/%2e%2e/api", "400")
}

// TestFindReadings holds, for each of the readings, a path that only it leads elsewhere.
func TestFindReadings(t *testing.T) {
	table := mustNew(t, prefixRules("/", "/a/c", "/b"))
	f := func(path, want string) {
		t.Helper()
		if got := outcome(table, 0, "a.example", path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	f("/a%2Fc", "400")
	f("/a\\c", "400")
	f("/b;x", "400")
	f("/;x%2Fb", "400")       // slashes decoded, then parameters dropped: //b
	f("/;x%2Fy/a%2Fc", "400") // parameters dropped, then slashes decoded: //a/c
	f("/;x\\y/a\\c", "400")   // the same with backslashes
	f("/;x%2Fy/a%2Fd", "/")
	f("/a/c;x%2Fb", "400")     // at the end of the prefix
	f("/a/c/;x%2Fb", "/a/c")   // behind it
	f("/b/;x%2Fy/a%2Fc", "/b") // the same
}

func TestNormalForm(t *testing.T) {
	f := func(path, want string) {
		t.Helper()
		got, ok := appendNormal(nil, []byte(path))
		if !ok {
			got = []byte("refused")
		}
		if string(got) != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
		if again, _ := appendNormal(nil, got); string(again) != string(got) {
			t.Errorf("%s: normal form %s has the normal form %s", path, got, again)
		}
	}
	f("/", "/")
	f("/a/b", "/a/b")
	f("//", "/")
	f("///a///b//", "/a/b/")
	f("/%61%62%7e%2D%5f%2e%30", "/ab~-_.0")
	f("/%c3%a9%2f%5c%3b%20", "/%C3%A9%2F%5C%3B%20")
	f("/%41%5A%7A%39", "/AZz9")
	f("/%40%5B%60%7B%2f%3A", "/%40%5B%60%7B%2F%3A")
	f("/%", "/%")
	f("/%4", "/%4")
	f("/%4g%g4", "/%4g%g4")
	f("/%%20", "/%%20")
	f("/%2%20", "/%2%20")
	f("/%%61", "/%a")
	f("/%%61%62", "refused")
	f("/%%61b", "refused")
	f("/%a%62", "refused")
	f("/%a%67", "/%ag")
	f("/%%61//b", "/%a/b")
	f("/%a/%62", "/%a/b")
	f("/%25%36%31", "/%2561")
}
