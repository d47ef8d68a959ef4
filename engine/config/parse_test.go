package config

import (
	"testing"
	"time"
)

func TestParseDuration(t *testing.T) {
	f := func(text string, want time.Duration) {
		t.Helper()
		if got, err := parseDuration(text, zeroAllowed); err != nil || got != want {
			t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
		}
	}
	f("0", 0)
	f("0s", 0)
	f("20", 20*time.Second)
	f("1.5", 1500*time.Millisecond)
	f("0.25", 250*time.Millisecond)
	f("250ms", 250*time.Millisecond)
	f("1h30m", 90*time.Minute)
	f("1.5h", 90*time.Minute)
	f("87600h", maxDuration)
	f("315360000", maxDuration)
}

func TestShowDuration(t *testing.T) {
	f := func(d time.Duration, want string) {
		t.Helper()
		if got := showDuration(d); got != want {
			t.Errorf("%v: got %s, want %s", d, got, want)
		}
		if back, err := parseDuration(want, zeroAllowed); err != nil || back != d {
			t.Errorf("%s is read as %v, %v", want, back, err)
		}
	}
	f(0, "0s")
	f(10*time.Second, "10s")
	f(75*time.Second, "75s")
	f(time.Minute, "60s")
	f(2*time.Minute, "2m")
	f(125*time.Second, "2m5s")
	f(time.Hour, "1h")
	f(24*time.Hour, "24h")
	f(90*time.Minute, "1h30m")
	f(250*time.Millisecond, "250ms")
	f(1500*time.Millisecond, "1.5s")
}

func TestSizes(t *testing.T) {
	f := func(text string, want int64, shown string) {
		t.Helper()
		got, err := parseSize(text, 0, 1<<60)
		if err != nil || got != want || showSize(got) != shown {
			t.Errorf("%q: got %d (%s), %v, want %d (%s)", text, got, showSize(got), err, want, shown)
		}
	}
	f("0", 0, "0")
	f("1", 1, "1")
	f("1000", 1000, "1000")
	f("1024", 1024, "1KiB")
	f("16KiB", 16<<10, "16KiB")
	f("1536KiB", 1536<<10, "1536KiB")
	f("1MiB", 1<<20, "1MiB")
	f("3GiB", 3<<30, "3GiB")
	f("1048576TiB", 1<<60, "1048576TiB")
}

func TestParseURL(t *testing.T) {
	f := func(text string, want URL) {
		t.Helper()
		got, err := parseURL(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			return
		}
		same(t, text, got, want)
	}
	f("http://h", URL{Text: "http://h", Scheme: HTTP, Host: "h", Port: 80, Authority: "h"})
	f("http://h:80", URL{Text: "http://h", Scheme: HTTP, Host: "h", Port: 80, Authority: "h"})
	f("https://h:443", URL{Text: "https://h", Scheme: HTTPS, Host: "h", Port: 443, Authority: "h"})
	f("https://h:80", URL{Text: "https://h:80", Scheme: HTTPS, Host: "h", Port: 80, Authority: "h:80"})
	f("HTTP://App_1.Example.:8080", URL{Text: "http://app_1.example.:8080", Scheme: HTTP, Host: "app_1.example.", Port: 8080, Authority: "app_1.example.:8080"})
	f("http://[::1]", URL{Text: "http://[::1]", Scheme: HTTP, Host: "::1", Port: 80, Authority: "[::1]"})
	f("http://[2001:DB8::5]:8443", URL{Text: "http://[2001:db8::5]:8443", Scheme: HTTP, Host: "2001:db8::5", Port: 8443, Authority: "[2001:db8::5]:8443"})

	host := Template{Text: "{{request.header.X-Target}}:80", Parts: []Part{{Variable: Variable{RequestHeader, "x-target"}}, {Literal: ":80"}}}
	f("http://{{request.header.X-Target}}:80", URL{Text: "http://{{request.header.X-Target}}:80", Scheme: HTTP, Template: &host})
}

func TestParseTemplate(t *testing.T) {
	f := func(text string, want ...Part) {
		t.Helper()
		got, err := ParseTemplate(text)
		if err != nil || got.String() != text {
			t.Errorf("%q: %v, text %q", text, err, got)
		}
		same(t, text, got.Parts, want)
	}
	f("")
	f("plain }} text {", Part{Literal: "plain }} text {"})
	f("{{remote.ip}}:{{ remote.port }}", Part{Variable: Variable{Kind: RemoteIP}}, Part{Literal: ":"}, Part{Variable: Variable{Kind: RemotePort}})
	f("a{{request.id}}", Part{Literal: "a"}, Part{Variable: Variable{Kind: RequestID}})
	f("{{request.header.Host}}", Part{Variable: Variable{RequestHeader, "host"}})

	tpl, _ := ParseTemplate("a{{request.host}}")
	is := func(k VariableKind) bool { return tpl.Uses(func(v Variable) bool { return v.Kind == k }) }
	if !is(RequestHost) || is(NoVariable) {
		t.Error("Uses does not tell the variables")
	}
}

func TestVariableNames(t *testing.T) {
	for kind := RequestMethod; kind <= RequestID; kind++ {
		v := Variable{Kind: kind}
		if kind == RequestHeader {
			v.Field = "x-a"
		}
		if got, err := ParseVariable(v.String()); err != nil || got != v {
			t.Errorf("%v is read as %v, %v", v, got, err)
		}
	}
	for _, name := range []string{"", "request", "request.header.NAME.", "request.header", "Request.Host"} {
		if v, err := ParseVariable(name); err == nil && v.Kind != RequestHeader {
			t.Errorf("%q is accepted as %v", name, v)
		}
	}
}

func TestHeaderRules(t *testing.T) {
	f := func(text string, op HeaderOp, name, value string) {
		t.Helper()
		r, err := parseHeaderRule(text)
		if err != nil || r.Op != op || r.Name != name || r.Value.Text != value {
			t.Errorf("%q: %+v, %v", text, r, err)
		}
		again, err := parseHeaderRule(r.String())
		if err != nil {
			t.Errorf("%q: written as %q: %v", text, r, err)
		}
		same(t, text, again, r)
	}
	f("+X-A: b", HeaderAdd, "X-A", "b")
	f("-X-A", HeaderRemove, "X-A", "")
	f("X-A: b", HeaderSet, "X-A", "b")
	f("X-A:b:c", HeaderSet, "X-A", "b:c")
	f("X-A:", HeaderSet, "X-A", "")
	f("X-A: \t a\tb  ", HeaderSet, "X-A", "a\tb")
	f("X-A: \xc3\xa4", HeaderSet, "X-A", "\xc3\xa4")
	f("Host: {{request.host}}", HeaderSet, "Host", "{{request.host}}")
	f("++X: y", HeaderAdd, "+X", "y")
}

func TestStatusSets(t *testing.T) {
	f := func(text string, in, out []int) {
		t.Helper()
		s, err := parseStatusSet(text)
		if err != nil || s.String() != text {
			t.Errorf("%q: %v, %v", text, s, err)
		}
		for _, code := range in {
			if !s.Contains(code) {
				t.Errorf("%q does not contain %d", text, code)
			}
		}
		for _, code := range out {
			if s.Contains(code) {
				t.Errorf("%q contains %d", text, code)
			}
		}
	}
	f("2xx,3xx", []int{200, 204, 299, 300, 399}, []int{100, 199, 400, 500, -1, 0, 1000})
	f("200,204", []int{200, 204}, []int{201, 203, 205})
	f("100-499", []int{100, 250, 499}, []int{500, 99})
	f("204, 5xx,300-300", []int{204, 500, 599, 300}, []int{205, 301, 600, 639, 640})
	if s := (&StatusSet{}); s.Contains(200) {
		t.Error("the zero value is not empty")
	}
}

func TestHint(t *testing.T) {
	f := func(word, want string) {
		t.Helper()
		if got := hint(word, []string{"web", "listeners", "prefix"}); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
	f("wbe", "; did you mean web?")
	f("Listener", "; did you mean listeners?")
	f("listners", "; did you mean listeners?")
	f("perfix", "; did you mean prefix?")
	f("we", "; one of web, listeners, prefix")
	f("color", "; one of web, listeners, prefix")
	if got := hint("a", nil); got != "" {
		t.Errorf("without any known word: %q", got)
	}
}

func TestNormalPath(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		if got, err := normalPath(text); err != nil || got != want {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
		if err := checkPrefix(want); err != nil {
			t.Errorf("the normal form %q is refused: %v", want, err)
		}
	}
	f("/", "/")
	f("//", "/")
	f("/a/", "/a/")
	f("/%7Euser", "/~user")
	f("/%41pi//x", "/Api/x")
	f("/%c3%a4", "/%C3%A4")
	f("/a|b^{c}\"", "/a|b^{c}\"")
	f("/a b", "/a%20b")
	f("/...", "/...")
	f("/.well-known", "/.well-known")
}
