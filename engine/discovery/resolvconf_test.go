package discovery

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestResolvConf(t *testing.T) {
	const local = "[127.0.0.1:53 [::1]:53]"
	f := func(text, want string) {
		t.Helper()
		s := parseResolvConf(text, "box")
		if got := describe(s); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	f("", local+" [] 1 2s 2")
	f("nameserver 10.0.0.1\n", "[10.0.0.1:53] [] 1 2s 2")
	f("nameserver 10.0.0.1\r\nnameserver\tfe80::1%eth0", "[10.0.0.1:53 [fe80::1%eth0]:53] [] 1 2s 2")
	f("nameserver 10.0.0.1 # home\n; nameserver 10.0.0.2\n#nameserver 10.0.0.3\n", "[10.0.0.1:53] [] 1 2s 2")
	f("nameserver dns.example\nnameserver 10.0.0\nnameserver\nnameserver 10.0.0.1:53\n", local+" [] 1 2s 2")
	f(strings.Repeat("nameserver 10.0.0.1\n", 20), "["+strings.TrimSpace(strings.Repeat("10.0.0.1:53 ", mostSources))+"] [] 1 2s 2")
	f("search a.test B.Test. .", local+" [a.test. b.test.] 1 2s 2")
	f("domain a.test b.test", local+" [a.test.] 1 2s 2")
	f("search a.test\ndomain b.test", local+" [b.test.] 1 2s 2") // the last one counts
	f("domain b.test\nsearch a.test c.test", local+" [a.test. c.test.] 1 2s 2")
	f("search a..test -x.test é.test", local+" [-x.test.] 1 2s 2")
	f("options ndots:5 timeout:3 attempts:4", local+" [] 5 3s 4")
	f("options ndots:0 timeout:0 attempts:0", local+" [] 0 1s 1")
	f("options ndots:99 timeout:99 attempts:99", local+" [] 15 10s 5")
	f("options ndots:-1 timeout:x attempts", local+" [] 1 2s 2")
	f("options edns0 trust-ad inet6 no-aaaa", local+" [] 1 2s 2")
	f("options rotate\noptions use-vc", local+" [] 1 2s 2 rotate tcp")
	f("sortlist 10.0.0.0\nlookup file bind\nfamily inet4", local+" [] 1 2s 2")
	f("options", local+" [] 1 2s 2")
}

func describe(s settings) string {
	out := fmt.Sprint(s.sources, s.search, s.dots, s.timeout, s.attempts)
	if s.rotate {
		out += " rotate"
	}
	if s.tcp {
		out += " tcp"
	}
	return out
}

// Without a search list in the file, the domain of the machine is searched.
func TestDomainOfTheMachine(t *testing.T) {
	f := func(text, hostname string, want ...string) {
		t.Helper()
		if got := parseResolvConf(text, hostname).search; !slices.Equal(got, want) {
			t.Errorf("%q on %q: %q, want %q", text, hostname, got, want)
		}
	}
	f("", "box.Corp.test", "corp.test.")
	f("", "box")
	f("", "")
	f("", "box.")
	f("search a.test", "box.corp.test", "a.test.")
	f("search .", "box.corp.test") // none, by will
}

func TestCandidates(t *testing.T) {
	s := standard()
	f := func(dots int, search, name, want string) {
		t.Helper()
		s.dots, s.search = dots, searchList(strings.Fields(search))
		if got := strings.Join(s.candidates(name), " "); got != want {
			t.Errorf("ndots %d, search %q: %s becomes %q, want %q", dots, search, name, got, want)
		}
	}
	f(1, "", "app", "app.")
	f(1, "", "app.test", "app.test.")
	f(1, "x.test y.test", "app", "app.x.test. app.y.test. app.")
	f(1, "x.test y.test", "app.test", "app.test. app.test.x.test. app.test.y.test.")
	f(5, "x.test", "app.test", "app.test.x.test. app.test.")
	f(0, "x.test", "app", "app. app.x.test.")
	f(1, "x.test", "app.", "app.")
	f(5, "x.test", "app.test.", "app.test.")
	long := strings.Repeat("a.", 124) + "a" // 249 characters
	f(1, "x.test y", long, long+". "+long+".y.")
}

func FuzzResolvConf(f *testing.F) {
	f.Add("nameserver 10.0.0.1\nsearch a.test b.test\noptions ndots:5 timeout:3 rotate\n", "app")
	f.Add("domain \x00\nnameserver ::1%\n#", "a.b.")
	f.Fuzz(func(t *testing.T, text, name string) {
		s := parseResolvConf(text, name)
		if n := len(s.sources); n == 0 || n > mostSources || len(s.search) > mostSearched {
			t.Errorf("%d servers, %d domains", n, len(s.search))
		}
		if s.timeout < time.Second || s.timeout > mostTimeout || s.attempts < 1 || s.attempts > mostAttempts || s.dots < 0 || s.dots > mostDots {
			t.Errorf("out of range: %s", describe(s))
		}
		for _, a := range s.sources {
			if !a.IsValid() || a.Port() != port {
				t.Errorf("server %v", a)
			}
		}
		for _, d := range s.search {
			if !isName(strings.TrimSuffix(d, ".")) {
				t.Errorf("domain %q", d)
			}
		}
		if !isName(name) {
			return
		}
		for _, c := range s.candidates(name) {
			if !strings.HasPrefix(c, name) || !strings.HasSuffix(c, ".") || len(c) > mostName+1 {
				t.Errorf("%q becomes %q", name, c)
			}
		}
	})
}
