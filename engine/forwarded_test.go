package engine

import (
	"net/netip"
	"testing"

	"millrace/engine/h1"
)

func TestOuterPrefix(t *testing.T) {
	f := func(lines, want string) {
		t.Helper()
		if got := string(parsed(t, "GET / HTTP/1.1\r\nHost: a\r\n"+lines+"\r\n").outerPrefix()); got != want {
			t.Errorf("%q: got %q, want %q", lines, got, want)
		}
	}
	line := func(v string) string { return "X-Forwarded-Prefix: " + v + "\r\n" }
	f("", "")
	f(line("/outer"), "/outer")
	f(line("/a/b-c_d~e.f"), "/a/b-c_d~e.f")
	f(line("/outer/"), "/outer")
	f(line("/outer//"), "/outer")
	f(line("/")+line("/b"), "")
	f(line("/a")+line("/a"), "")
	f("Connection: x-forwarded-prefix\r\n"+line("/a"), "")
	for _, odd := range []string{
		"", "/", "outer", "//outer", "/a//b", "/../a", "/a/..", "/a/./b", "/a/.hidden", "/a,/b", "/a;b", "/a%2fb", "/a?b", "/a#b", "/a\\b", "/a b", "/\xff",
		"http://evil.example/",
	} {
		f(line(odd), "")
	}
}

func TestLastMember(t *testing.T) {
	f := func(lines, want string) {
		t.Helper()
		x := parsed(t, "GET / HTTP/1.1\r\nHost: a\r\n"+lines+"\r\n")
		if got := string(x.lastMember(h1.FieldXForwardedProto)); got != want {
			t.Errorf("%q: got %q, want %q", lines, got, want)
		}
	}
	f("", "")
	f("X-Forwarded-Proto: http\r\n", "http")
	f("X-Forwarded-Proto: http, https\r\n", "https")
	f("X-Forwarded-Proto: http, https ,, \r\n", "https")
	f("X-Forwarded-Proto: http\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Proto: ,\r\n", "https")
	f("Connection: X-Forwarded-Proto\r\nX-Forwarded-Proto: http\r\n", "")
}

func TestIsScheme(t *testing.T) {
	f := func(text string, want bool) {
		t.Helper()
		if got := isScheme([]byte(text)); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
	f("http", true)
	f("HTTPS", true)
	f("a1+-.", true)
	f("", false)
	f("1a", false)
	f("+a", false)
	f("ht tp", false)
	f("http:", false)
	f("@", false)
	f("[", false)
	f("{", false)
	f("\xc8", false)
}

func TestParsePort(t *testing.T) {
	f := func(text string, want uint16) {
		t.Helper()
		got, ok := parsePort([]byte(text))
		if ok != (want > 0) || ok && got != want {
			t.Errorf("%q: got %d, %v, want %d", text, got, ok, want)
		}
	}
	f("1", 1)
	f("443", 443)
	f("00443", 443)
	f("65535", 65535)
	for _, odd := range []string{"", "0", "00000", "65536", "99999", "000443", "+1", "-1", "1.0", "0x1", " 1", "a"} {
		f(odd, 0)
	}
}

func TestAppendAddr(t *testing.T) {
	f := func(a netip.Addr, want string) {
		t.Helper()
		if got := string(appendAddr([]byte("x"), a)); got != "x"+want {
			t.Errorf("%v: got %q", a, got)
		}
	}
	f(netip.Addr{}, "unknown")
	f(netip.MustParseAddr("1.2.3.4"), "1.2.3.4")
	f(netip.MustParseAddr("::ffff:1.2.3.4"), "1.2.3.4")
	f(netip.MustParseAddr("2001:DB8::1"), "2001:db8::1")
}
