package route

import (
	"strings"
	"testing"
)

func TestCheckHost(t *testing.T) {
	// want is part of the message; empty for a sound pattern.
	f := func(pattern, want string) {
		t.Helper()
		err := CheckHost(pattern)
		switch {
		case err == nil && want != "":
			t.Errorf("%q passes, want %q", pattern, want)
		case err != nil && (want == "" || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %q, want %q", pattern, err, want)
		}
	}
	f("", "")
	f("a.example", "")
	f("A.Example.", "")
	f("localhost", "")
	f("a_b.example", "")
	f("xn--bcher-kva.example", "")
	f("1.example", "")
	f("*.a.example", "")
	f("*.example", "")
	f("*.a.example.", "")
	f("192.0.2.1", "")
	f("[::1]", "")
	f("[2001:DB8::1]", "")
	f("[::ffff:192.0.2.1]", "")
	f(strings.Repeat("a", 63)+".example", "")

	f("*", `write ""`)
	f("a.*.example", "asterisk")
	f("*a.example", "asterisk")
	f("*.*.example", "asterisk")
	f("*.", "empty label")
	f(".", "empty label")
	f("..", "empty label")
	f("a..example", "empty label")
	f(".a.example", "empty label")
	f("a.example..", "empty label")
	f("a.example:80", "port")
	f("*.a.example:80", "port")
	f("[::1]:80", "port")
	f("http://a.example", "without scheme")
	f("a.example/x", "without scheme")
	f("user@a.example", "without scheme")
	f("a.example?x", "without scheme")
	f("::1", "brackets")
	f("2001:db8::1", "brackets")
	f("[::1", "IPv6")
	f("[]", "IPv6")
	f("[192.0.2.1]", "IPv6")
	f("[::1%eth0]", "IPv6")
	f("[::1]x", "IPv6")
	f("[zz]", "IPv6")
	f("192.0.2", "IPv4")
	f("192.0.2.256", "IPv4")
	f("192.0.02.1", "IPv4")
	f("1", "IPv4")
	f("*.0.2.1", "wildcard")
	f("bücher.example", "xn--")
	f("a b.example", "' '")
	f("a,b.example", "','")
	f("a\x00.example", `'\x00'`)
	f(strings.Repeat("a", 64)+".example", "63")
	f(strings.Repeat("a.", 127), "")
	f(strings.Repeat("a.", 128), "253")
}

func TestFoldHost(t *testing.T) {
	f := func(host, want string) {
		t.Helper()
		in := []byte(host)
		if got := foldHost(in, new([maxHost]byte)); string(got) != want {
			t.Errorf("%q: %q, want %q", host, got, want)
		}
		if string(in) != host {
			t.Errorf("%q was changed to %q", host, in)
		}
	}
	f("", "")
	f("a", "a")
	f("aBC", "abc")
	f("ABC.:1", "abc")
	f("a.:", "a")
	f("a..", "a.")
	f(".", "")
	f(":1", "")
	f("[::A]:1", "[::a]")
	f("[::a", "")
	f("@Z[`az{", "@z[`az{")
	f(strings.Repeat("A", 253)+".:65535", strings.Repeat("a", 253))
	f(strings.Repeat("A", 254), "")
}
