package route

import (
	"strings"
	"testing"
)

func TestCheckPrefix(t *testing.T) {
	// want is part of the message; empty for a sound prefix.
	f := func(prefix, want string) {
		t.Helper()
		err := CheckPrefix(prefix)
		switch {
		case err == nil && want != "":
			t.Errorf("%q passes, want %q", prefix, want)
		case err != nil && (want == "" || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %q, want %q", prefix, err, want)
		}
	}
	f("/", "")
	f("/api", "")
	f("/api/", "")
	f("/a/b.c/~d-e_f", "")
	f("/.well-known", "")
	f("/...", "")
	f("/a%20b", "")
	f("/%C3%A9", "")
	f("/100%25", "")
	f("/a:b@c!$&'()*+,=", "")

	f("", "write /")
	f("api", "write /api")
	f("http://a.example/", "start with a slash")
	f("/%61x", "write /ax")
	f("/%7Eme", "write /~me")
	f("/a%c3", "write /a%C3")
	f("/x//y", "write /x/y")
	f("//", "write /")
	f("/é", "write /%C3%A9")
	f("/a b", "write /a%20b")
	f("/a\tb", "write /a%09b")
	f("/a;b", "semicolon")
	f(`/a\b`, "backslash")
	f("/a%2fb", "slash")
	f("/a%2Fb", "slash")
	f("/a%5Cb", "slash")
	f("/a%5cb", "slash")
	f("/a/../b", "never match")
	f("/.", "never match")
	f("/%2e%2e", "never match")
	f("/a%00", "never match")
	f("/a\x00", "never match")
	f("/a%252f", "never match")
	f("/%u0041", "%25")
	f("/100%", "%25")
	f("/a%2", "%25")
	f("/a?b", "?")
	f("/a#b", "#")
}

// TestCheckPrefixAdvice: what the message says to write is itself accepted.
func TestCheckPrefixAdvice(t *testing.T) {
	for _, prefix := range []string{"api", "/%61x", "/x//y", "/é/ü", "/a b//%7e", "x"} {
		_, advice, ok := strings.Cut(CheckPrefix(prefix).Error(), "write ")
		if !ok {
			t.Fatalf("%q: no advice", prefix)
		}
		if err := CheckPrefix(advice); err != nil {
			t.Errorf("%q: the advice %q gets %q", prefix, advice, err)
		}
	}
}

// TestPrefixMatchesItself: every prefix that passes matches itself.
func TestPrefixMatchesItself(t *testing.T) {
	for c := range 256 {
		prefix := "/x" + string([]byte{byte(c)}) + "y"
		if CheckPrefix(prefix) != nil {
			continue
		}
		if got := outcome(mustNew(t, prefixRules(prefix)), 0, "", prefix); got != prefix {
			t.Errorf("%q: %s", prefix, got)
		}
	}
}
