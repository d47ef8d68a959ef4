package discovery

import (
	"fmt"
	"strings"
	"testing"
)

func TestHosts(t *testing.T) {
	const text = `
# of this machine
127.0.0.1	localhost
::1       localhost ip6-localhost   # both families
10.0.0.2 App.Example app	# with an alias
10.0.0.1 app.example app.example
fe80::1%eth0 zone
10.0.0.3 dot.example.
10.0.0.4
no.address there
10.0.0.300 broken
0.0.0.0 blocked.example
::ffff:10.0.0.5 mapped
10.0.0.6 b?d #x`
	h := parseHosts(text)
	f := func(name, want string) {
		t.Helper()
		if got := fmt.Sprint(h.find(name)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	f("localhost", "[127.0.0.1 ::1]")
	f("ip6-localhost", "[::1]")
	f("app.example", "[10.0.0.1 10.0.0.2]")
	f("app.example.", "[10.0.0.1 10.0.0.2]")
	f("app", "[10.0.0.2]")
	f("zone", "[fe80::1%eth0]")
	f("dot.example", "[10.0.0.3]")
	f("mapped", "[10.0.0.5]")
	f("there", "[]")
	f("broken", "[]")
	f("blocked.example", "[]")
	f("b?d", "[]")
	f("", "[]")
}

// localhost needs no file, but the file has the last word.
func TestLocalhost(t *testing.T) {
	f := func(text, name, want string) {
		t.Helper()
		if got := fmt.Sprint(parseHosts(text).find(name)); got != want {
			t.Errorf("%q, %s: %s, want %s", text, name, got, want)
		}
	}
	f("", "localhost", "[127.0.0.1 ::1]")
	f("", "app.localhost", "[127.0.0.1 ::1]")
	f("", "notlocalhost", "[]")
	f("", "localhost.test", "[]")
	f("127.0.0.1 localhost", "localhost", "[127.0.0.1]")
}

func FuzzHosts(f *testing.F) {
	f.Add("127.0.0.1 localhost\n::1 localhost # x\n10.0.0.1 a.b. c")
	f.Add("\x00 \n1.2.3.4\t\xff\n")
	f.Fuzz(func(t *testing.T, text string) {
		for name, addrs := range parseHosts(text) {
			if !isName(name) || name != strings.ToLower(name) || len(addrs) == 0 {
				t.Errorf("name %q with %v", name, addrs)
			}
			for _, a := range addrs {
				if !usable(a) || a.Is4In6() {
					t.Errorf("%q has %v", name, a)
				}
			}
		}
	})
}

func TestIsName(t *testing.T) {
	f := func(s string, want bool) {
		t.Helper()
		if isName(s) != want {
			t.Errorf("isName(%q) = %v", s, !want)
		}
	}
	f("a", true)
	f("_http._tcp.App-1.test", true)
	f("", false)
	f(".", false)
	f("a.", false)
	f("a..b", false)
	f("a b", false)
	f("a/b", false)
	f("a\r\nb", false)
	f(`a\.b`, false)
	f("a:80", false)
	f("é", false)
	f(strings.Repeat("a", 63), true)
	f(strings.Repeat("a", 64), false)
	f(strings.Repeat("a.", 126)+"a", true)
	f(strings.Repeat("a.", 126)+"aa", false)
}
