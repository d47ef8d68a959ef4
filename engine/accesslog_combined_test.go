package engine

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestAppendCombined(t *testing.T) {
	f := func(r accessRecord, want string) {
		t.Helper()
		if got := string(appendCombined([]byte("before"), &r)); got != "before"+want+"\n" {
			t.Errorf("got  %swant before%s", got, want)
		}
	}
	full := typicalRecord()
	full.second = []byte("03/Feb/2026:04:05:06")
	f(full, `192.0.2.17 - - [03/Feb/2026:04:05:06 +0000] "GET /api/v1/articles/4711?color=blue&size=XL&page=2 HTTP/1.1" 200 5120 `+
		`"https://shop.example.com/catalogue" "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"`)
	f(accessRecord{second: full.second, status: 400}, `- - - [03/Feb/2026:04:05:06 +0000] "- - -" 400 0 "-" "-"`)

	odd := full
	odd.method, odd.target, odd.protocol, odd.referer = []byte("A\x00"), []byte(`/"\`), "", nil
	odd.userAgent = []byte("a\"b\\c\x80d\te\x7f\xc3\xa4")
	f(odd, `192.0.2.17 - - [03/Feb/2026:04:05:06 +0000] "A\x00 /\x22\x5C -" 200 5120 "-" "a\x22b\x5Cc\x80d\x09e\x7F\xC3\xA4"`)
}

func TestCombinedTextIsCut(t *testing.T) {
	long := strings.Repeat("\n", textLimit+1)
	if got, want := string(appendCombinedText(nil, []byte(long))), strings.Repeat(`\x0A`, textLimit); got != want {
		t.Errorf("a text of %d bytes gives %d, want %d", len(long), len(got), len(want))
	}
}

// combinedLine takes a line apart as a reader would.
var combinedLine = regexp.MustCompile(`^(\S+) - - \[([^\]"]+)\] "(\S+) (\S+) (\S+)" (\d+) (\d+) "([^"]*)" "([^"]*)"\n$`)

func FuzzAppendCombined(f *testing.F) {
	f.Add("GET", "/a?b=c", "http://r.example/", "curl/8 (x)")
	f.Add(`"`, "\\x22\r\n\x00\x1b", "\xff\x7f\x80", `" 200 0 "-" "x`)
	f.Add("", "", strings.Repeat("\x01", 3000), strings.Repeat("x", 2049))
	f.Fuzz(func(t *testing.T, method, target, referer, agent string) {
		if strings.ContainsAny(method+target, " ") {
			t.Skip("a request line ends there")
		}
		r := typicalRecord()
		r.method, r.target, r.referer, r.userAgent = []byte(method), []byte(target), []byte(referer), []byte(agent)
		line := appendCombined(nil, &r)
		strictLine(t, line)
		if len(line) > lineLimit {
			t.Fatalf("a line of %d bytes", len(line))
		}
		part := combinedLine.FindStringSubmatch(string(line))
		if part == nil {
			t.Fatalf("%q is no combined line", line)
		}
		same := func(got, sent string) {
			want := sent[:min(len(sent), textLimit)]
			if want == "" {
				want = "-"
			}
			text, err := strconv.Unquote(`"` + got + `"`)
			if err != nil || text != want {
				t.Errorf("%q reads %q, %v, want %q", got, text, err, want)
			}
		}
		same(part[3], method)
		same(part[4], target)
		same(part[8], referer)
		same(part[9], agent)
	})
}
