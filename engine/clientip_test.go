package engine

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"millrace/engine/config"
	"millrace/engine/h1"
)

func TestParseHop(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		got, ok := parseHop([]byte(text))
		if ok != (want != "") || ok && got != netip.MustParseAddr(want) {
			t.Errorf("%q: got %v, %v, want %q", text, got, ok, want)
		}
	}
	f("1.2.3.4", "1.2.3.4")
	f(" \t1.2.3.4 ", "1.2.3.4")
	f("1.2.3.4:1", "1.2.3.4")
	f("1.2.3.4:65535", "1.2.3.4")
	f("::1", "::1")
	f("[::1]", "::1")
	f("[::1]:80", "::1")
	f("[1.2.3.4]", "1.2.3.4")
	f("::ffff:1.2.3.4", "1.2.3.4")
	f("[::ffff:102:304]:80", "1.2.3.4")
	f("FE80::A", "fe80::a")
	for _, odd := range []string{
		"", " ", ":", "[", "[]", "[]:80", ":80", "1.2.3.4:", "1.2.3.4:0", "1.2.3.4:65536", "1.2.3.4:+1", "1.2.3.4:1:2", "[::1", "::1]", "[::1]80",
		"[::1]:", "[::1]:x", "[[::1]]", "fe80::1%eth0", "[fe80::1%eth0]", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "a.example", "unknown",
		"1.2.3.4\x00", "1.2.3.4 :80", "\xff", strings.Repeat("1", 65),
	} {
		f(odd, "")
	}
}

func TestParseForwarded(t *testing.T) {
	f := func(element, want string) {
		t.Helper()
		got, ok := parseForwarded([]byte(element))
		if ok != (want != "") || ok && got != netip.MustParseAddr(want) {
			t.Errorf("%q: got %v, %v, want %q", element, got, ok, want)
		}
	}
	f("for=1.2.3.4", "1.2.3.4")
	f("FoR=1.2.3.4", "1.2.3.4")
	f("proto=https;for=1.2.3.4;by=5.6.7.8", "1.2.3.4")
	f("for=\"1.2.3.4\"", "1.2.3.4")
	f("for=\"1.2.3.4:80\"", "1.2.3.4")
	f("for=\"[::1]\"", "::1")
	f("for=\"[::1]:80\"", "::1")
	f("for=\"\\[::\\1]\"", "::1")
	f("host=\"a;for=6.6.6.6\";for=1.2.3.4", "1.2.3.4")
	f("host=\"\\\";for=6.6.6.6\\\\\";for=1.2.3.4", "1.2.3.4")
	f(";; for=1.2.3.4 ;", "1.2.3.4")
	for _, odd := range []string{
		"", ";", "for", "for=", "for=\"\"", "for=\"", "for=1.2.3.4\"", "for=\"1.2.3.4", "for=\"1.2.3.4\\\"", "for=1.2.3.4:80", "for=[::1]", "for=::1",
		"for=\"::1\"", "for=unknown", "for=_x", "for=\"_x:_y\"", "fo=1.2.3.4", "fork=1.2.3.4", " f or=1.2.3.4", "for =1.2.3.4", "for=1.2.3.4;for=1.2.3.4",
		"for=1.2.3.4;x=\"", "for=1.2.3.4;x=\", for=5.6.7.8", "for=1.2.3.4;x=\"\\\"", // what comes behind the quote is text of whoever opened it
		"for=1.2.3.4;FOR=5.6.7.8", "proto=http", "x;for=1.2.3.4", "1.2.3.4", "for=" + strings.Repeat("1", 200),
	} {
		f(odd, "")
	}
}

// elements are those of a list with quoted strings, read from the left, as RFC 9110, 5.6.1
// has them; nil if a quote is not closed.
func elements(list string) []string {
	all := []string{""}
	quoted := false
	for i := 0; i < len(list); i++ {
		c := list[i]
		last := &all[len(all)-1]
		switch {
		case quoted && c == '\\' && i+1 < len(list):
			*last += list[i : i+2]
			i++
			continue
		case quoted && c == '\\':
			return nil
		case c == '"':
			quoted = !quoted
		case c == ',' && !quoted:
			all = append(all, "")
			continue
		}
		*last += string(c)
	}
	if quoted {
		return nil
	}
	return all
}

// cutAll takes a list apart from the right.
func cutAll(list []byte, cut func([]byte) (last, rest []byte)) (all []string) {
	for list != nil {
		var last []byte
		last, list = cut(list)
		all = append(all, string(last))
	}
	slices.Reverse(all)
	return all
}

func TestCutLastQuoted(t *testing.T) {
	f := func(list string, want ...string) {
		t.Helper()
		if got := cutAll([]byte(list), cutLastQuoted); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", list, got, want)
		}
	}
	f("", "")
	f("a", "a")
	f(" a ,\tb", "a", "b")
	f("a,", "a", "")
	f(",a", "", "a")
	f("a=\"x,y\",b", "a=\"x,y\"", "b")
	f("a=\"\\\",\",b", "a=\"\\\",\"", "b")
	f("a=\"\\\\\",b", "a=\"\\\\\"", "b")
	f("a,\"b", "a,\"b")
	f("a,\"b\\\"", "a,\"b\\\"")
}

func TestCutLast(t *testing.T) {
	f := func(list string, want ...string) {
		t.Helper()
		if got := cutAll([]byte(list), cutLast); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", list, got, want)
		}
	}
	f("", "")
	f("a", "a")
	f(" a b ,\tc\t", "a b", "c")
	f(",,a", "", "", "a")
	f("a,", "a", "")
	f("\"a,b\"", "\"a", "b\"")
}

// The walk over Forwarded finds what a reader from the left finds: of the elements behind
// the last that is not sound, the first that is not trusted, counted from the right.
func FuzzForwarded(f *testing.F) {
	for _, seed := range []string{
		"for=1.2.3.4", "for=6.6.6.6, for=1.2.3.4;proto=https, for=10.0.0.1", "for=\"[2001:db8::1]:80\";host=\"a,b;for=6.6.6.6\"",
		"for=1.2.3.4, for=unknown, for=10.0.0.1", "for=\"1.2.3.4, for=10.0.0.1", "for=6.6.6.6;x=\", for=1.2.3.4", "for=\"\\1.2.3.4\"", ",,;;=,\"\\\"\"", "for=10.0.0.1,for=10.0.0.2",
	} {
		f.Add(seed)
	}
	trusted := trust{netip.MustParsePrefix("10.0.0.0/8")}
	peer := netip.MustParseAddr("127.0.0.1")
	f.Fuzz(func(t *testing.T, value string) {
		if !h1.ValidFieldValue([]byte(value)) {
			return
		}
		x := parsed(t, "GET / HTTP/1.1\r\nHost: a\r\nForwarded: "+value+"\r\n\r\n")
		x.snap = &snapshot{trusted: trusted, clientIP: config.FromForwarded}
		got := x.walkChain(peer, h1.FieldForwarded, cutLastQuoted, parseForwarded)
		want := peer
		for _, e := range slices.Backward(elements(value)) {
			if e = strings.Trim(e, " \t"); e == "" {
				continue
			}
			a, ok := parseForwarded([]byte(e))
			if !ok {
				break
			}
			if want = a; !trusted.has(a) {
				break
			}
		}
		if got != want {
			t.Errorf("%q: got %v, want %v", value, got, want)
		}
		if got != peer && !strings.Contains(strings.ToLower(value), "for=") {
			t.Errorf("%q: got %v from nothing", value, got)
		}
	})
}

// parsed is an exchange with this request.
func parsed(t *testing.T, head string) *exchange {
	t.Helper()
	x := new(exchange)
	limits := h1.Limits{HeadBytes: 1 << 20, FieldCount: 1000, TargetBytes: 1 << 10}
	if err := h1.NewRequestParser().Parse(&x.req, []byte(head), &limits); err != nil {
		t.Fatalf("%q: %v", head, err)
	}
	return x
}

func TestTrust(t *testing.T) {
	nets := trust{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	f := func(a string, want bool) {
		t.Helper()
		if got := nets.has(netip.MustParseAddr(a)); got != want {
			t.Errorf("%s: got %v", a, got)
		}
	}
	f("10.0.0.0", true)
	f("10.255.255.255", true)
	f("11.0.0.0", false)
	f("fd12::1", true)
	f("fe80::1", false)
	if nets.has(netip.Addr{}) || (trust{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}).has(netip.Addr{}) {
		t.Error("no address at all is trusted")
	}
}
