package h1

import (
	"net/netip"
	"strings"
	"testing"
)

func TestValidAuthority(t *testing.T) {
	f := func(want bool, all ...string) {
		t.Helper()
		for _, s := range all {
			if got := ValidAuthority([]byte(s)); got != want {
				t.Errorf("ValidAuthority(%q) = %v", s, got)
			}
		}
	}
	f(true, "a.example", "a.example:8443", "a.example:65535", "[::1]", "[2001:db8::1]:80", "LOCALHOST", "127.0.0.1", "a_b.example", "xn--bcher-kva.example",
		"a.example.", "a.example.:80", "a:65535", "[::1]:80", "a", "1", "a-b~c", "a:1", "a:080", "[::ffff:192.0.2.1]", strings.Repeat("a", 255), "999.1.1.1")
	f(false, "", "*", "*.a", "a b", " a", "a ", "a/b", "/", "a,b", "user@a.example", "@", "a:b", "a:99999", "x:99999", "x:", "a:65536", "a:0", "a:000001", "[::1", "::1", "[::1]:", "[::1]:x",
		"[::1]x", "[::1]]", "x:+80", "a.example:80:80", "a\\b", "a?b", "a#b", "http://a", "a\x7f", "a\xff", "a.example:-1", "[zz]", "<a>", "[]", "[", "]", "[]:80", ":80", ":",
		"a..b", ".a", ".", "..", "a..", "a%41", "a$b", "a;b", "[::1%25eth0]", "[v1.a]", "a[::1]", "[::1].a", "a\tb", "a:8 0", strings.Repeat("a", 256), "é", "a\x00", "[::1]:80:80")
}

// FuzzIPv6 compares validIPv6 with net/netip.
func FuzzIPv6(f *testing.F) {
	for _, s := range []string{"::", "::1", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8:9", "1::2::3", ":::", ":1", "1:", "12345::", "::1.2.3.4",
		"1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:7:1.2.3.4", "::1.2.3", "::01.2.3.4", "::256.1.1.1", "::1.2.3.4.5", "::1.2.3.4:5", "::1.2.3.", "::1..2.3", "::.1.2.3", "::1.2.3.4a", "::1a.2.3.4", "fe80::1%eth0", "1.2.3.4", "", ":", "::g", "1:2:3:4:5:6:7", "1::3:4:5:6:7:8"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		addr, err := netip.ParseAddr(s)
		want := err == nil && addr.Is6() && addr.Zone() == ""
		if got := validIPv6([]byte(s)); got != want {
			t.Errorf("validIPv6(%q) = %v, want %v", s, got, want)
		}
	})
}
