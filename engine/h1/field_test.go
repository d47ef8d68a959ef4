package h1

import (
	"strings"
	"testing"
)

// parse finds and parses the one request head that raw is.
func parse(raw string) (*Request, *Error) {
	r := new(Request)
	end, _, err := FindRequestHead([]byte(raw), 0, testLimits)
	if err != nil {
		return r, err
	}
	return r, NewRequestParser().Parse(r, []byte(raw[:end]), testLimits)
}

// get parses a GET with more lines.
func get(lines ...string) (*Request, *Error) {
	return parse(head(append([]string{"GET / HTTP/1.1", "Host: a.example"}, lines...)...))
}

func TestKnownNamesAreFound(t *testing.T) {
	for id := FieldHost; id < fieldCount; id++ {
		name := fieldNames[id]
		if name == "" {
			t.Fatalf("field %d has no name", id)
		}
		for _, s := range []string{name, strings.ToUpper(name), strings.ToUpper(name[:1]) + name[1:]} {
			if got := FieldIDOf([]byte(s)); got != id {
				t.Errorf("FieldIDOf(%q) = %d, want %d", s, got, id)
			}
		}
		for i := range name {
			for _, c := range "z_~" {
				other := name[:i] + string(c) + name[i+1:]
				if got := FieldIDOf([]byte(other)); other != name && got == id {
					t.Errorf("FieldIDOf(%q) = %d", other, got)
				}
			}
		}
		if got := FieldIDOf([]byte(name + "x")); got != FieldOther {
			t.Errorf("FieldIDOf(%q) = %d", name+"x", got)
		}
	}
	if got := FieldIDOf(nil); got != FieldOther {
		t.Errorf("FieldIDOf(nil) = %d", got)
	}
}

func TestAliases(t *testing.T) {
	f := func(name string, want FieldID) {
		t.Helper()
		r, err := get(name + ": v")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		if got := RequestFieldIDOf([]byte(name)); got != want {
			t.Errorf("RequestFieldIDOf(%q) = %d, want %d", name, got, want)
		}
		if got := r.Fields[1]; got.ID != want || got.Drop != (want == FieldAliased) {
			t.Errorf("%s: ID %d, drop %v, want %d", name, got.ID, got.Drop, want)
		}
	}
	for _, name := range []string{
		"X_Real_IP", "x.real.ip", "x.forwarded.for", "X_Forwarded_For", "x__forwarded_for", "-x-real-ip", "x-real-ip-", "--X-Real-IP",
		"X_FORWARDED_PROTO", "X-Forwarded_Host", "x-forwarded--for", "X--Forwarded-For", "x~real~ip", "X_Forwarded_Tls_Client_Cert",
		"X_Forwarded_User", "_Forwarded", "forwarded_", "Content_Length", "content.length", "Transfer_Encoding", "Transfer-Encoding-",
		"Host_", "-host", "'host'", "PROXY_", "x_forwarded_" + strings.Repeat("a", 300), "x" + strings.Repeat("_", 300) + "real-ip",
	} {
		f(name, FieldAliased)
	}
	for _, name := range []string{"x_custom", "X_Real_IPs", "xforwardedfor", "x-realip", "x_forwarded", "_", "-", "--", "...", "content_type",
		"a-b-c", "Accept-Language", "Sec-Fetch-Mode", "X", "x_real_ip_2", strings.Repeat("a_", 200), "Transferencoding"} {
		f(name, FieldOther)
	}
	f("X-Forwarded-User", FieldXForwardedOther)
	f("x-forwarded-tls-client-cert-info", FieldXForwardedOther)
	f("X-Forwarded-For", FieldXForwardedFor)
	f("X-Forwarded-", FieldOther)
}

// In a response nothing is an alias.
func TestResponseNames(t *testing.T) {
	var r Response
	raw := head("HTTP/1.1 200 OK", "X_Real_IP: 1", "X-Forwarded-Foo: 1", "Proxy: a", "Server: b")
	if err := ParseResponse(&r, []byte(raw), testLimits); err != nil {
		t.Fatal(err)
	}
	for i, want := range []FieldID{FieldOther, FieldOther, FieldProxy, FieldServerName} {
		if got := r.Fields[i]; got.ID != want || got.Drop {
			t.Errorf("%s: ID %d, drop %v, want %d", r.Name(i), got.ID, got.Drop, want)
		}
	}
}

func TestEveryByteInAName(t *testing.T) {
	const token = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	for c := range 256 {
		b := string([]byte{byte(c)})
		legal := strings.Contains(token, b)
		for _, line := range []string{b + "X: 1", "X" + b + "Y: 1", "XY" + b + ": 1", b + ": 1"} {
			if _, err := get(line); (err == nil) != (legal || line == "X:Y: 1" || line == "XY:: 1") {
				t.Errorf("%q: %v", line, err)
			}
		}
	}
}

func TestEveryByteInAValue(t *testing.T) {
	for c := range 256 {
		b := string([]byte{byte(c)})
		legal := c >= ' ' && c != 0x7f || c == '\t'
		for _, v := range []string{b, "a" + b, b + "a", "a" + b + "b", "abcdefgh" + b + "abcdefgh", "abc\tdefgh\t" + b} {
			r, err := get("X: " + v)
			if (err == nil) != legal {
				t.Errorf("%q: %v", v, err)
				continue
			}
			if legal && string(r.Value(1)) != strings.Trim(v, " \t") {
				t.Errorf("%q: value %q", v, r.Value(1))
			}
		}
	}
}

func TestFieldLines(t *testing.T) {
	f := func(line, name, value string) {
		t.Helper()
		r, err := get(line, "Last: z")
		if err != nil {
			t.Errorf("%q: %v", line, err)
			return
		}
		if got := string(r.Name(1)); got != name {
			t.Errorf("%q: name %q", line, got)
		}
		if got := string(r.Value(1)); got != value {
			t.Errorf("%q: value %q", line, got)
		}
		if got := string(r.Line(1)); got != line+"\r\n" {
			t.Errorf("%q: line %q", line, got)
		}
		if got := string(r.Line(2)); got != "Last: z\r\n" {
			t.Errorf("%q: next line %q", line, got)
		}
	}
	f("X-A:no-blank", "X-A", "no-blank")
	f("X-B: \t in  side \t", "X-B", "in  side")
	f("X-E:", "X-E", "")
	f("X-F:   ", "X-F", "")
	f("X-G: a:b", "X-G", "a:b")
	f("X-H::", "X-H", ":")
	f("X-I: caf\xe9 \xc3\xa9 \xff", "X-I", "caf\xe9 \xc3\xa9 \xff")
	f("X-J: \t", "X-J", "")

	refuse := func(want *Error, lines ...string) {
		t.Helper()
		if _, err := get(lines...); err != want {
			t.Errorf("%q: %v, want %v", lines, err, want)
		}
	}
	refuse(errFieldName, "X-A : 1")
	refuse(errFieldName, "X-A\t: 1")
	refuse(errFieldName, "no colon", "X-A: 1")
	refuse(errFieldName, "nocolon")
	refuse(errFieldName, ": value")
	refuse(errFieldName, ":")
	refuse(errFieldName, "X A: 1")
	refuse(errFold, "X-A: 1", " 2")
	refuse(errFold, "X-A: 1", "\t2")
	refuse(errFold, "X-A: 1", " ", " 2")
	refuse(errFold, "X: y", " Transfer-Encoding: chunked")
	refuse(errFieldValue, "X-A: a\x00b")
	refuse(errFieldValue, "X-A: a\rb")
	refuse(errFieldValue, "X-A: a\r")
	refuse(errFieldValue, "X-A: a\x7f")
	refuse(errFieldValue, "Transfer-Encoding: \x0bchunked")
	refuse(errFieldName, "\x01Transfer-Encoding: chunked")
}

func TestFieldCount(t *testing.T) {
	f := func(lines int, want *Error) {
		t.Helper()
		var more []string
		for range lines - 1 {
			more = append(more, "X-A: 1")
		}
		if r, err := get(more...); err != want || err == nil && len(r.Fields) != lines {
			t.Errorf("%d lines: %v, want %v", lines, err, want)
		}
	}
	f(1, nil)
	f(121, nil)
	f(128, nil)
	f(129, errFieldCount)
	f(202, errFieldCount)
}

func TestLookups(t *testing.T) {
	r, err := get("X-One: 1", "Accept: */*", "x-one: 2", "VIA: x", "Via: y")
	if err != nil {
		t.Fatal(err)
	}
	f := func(got, want int) {
		t.Helper()
		if got != want {
			t.Errorf("got line %d, want %d", got, want)
		}
	}
	f(r.Find(FieldHost), 0)
	f(r.Find(FieldVia), 4)
	f(r.FindNext(FieldVia, 5), 5)
	f(r.FindNext(FieldVia, 6), -1)
	f(r.Find(FieldCookie), -1)
	f(r.Lookup("X-ONE"), 1)
	f(r.Lookup("accept"), 2)
	f(r.Lookup("X-Two"), -1)
	f(r.LookupBytes([]byte("hOST")), 0)
	f(r.LookupBytes([]byte("X-Two")), -1)
}

func TestValidFields(t *testing.T) {
	f := func(valid func([]byte) bool, want bool, all ...string) {
		t.Helper()
		for _, s := range all {
			if got := valid([]byte(s)); got != want {
				t.Errorf("%q: %v", s, got)
			}
		}
	}
	f(ValidFieldName, true, "X-A", "x_a", "1", "!")
	f(ValidFieldName, false, "", "X A", "X:", "X\r", "X\xff", " X", "X ")
	f(ValidFieldValue, true, "", "a b", "a\tb", "caf\xe9", "a:b,c")
	f(ValidFieldValue, false, "a\r\nB: c", "a\nb", "a\rb", "\x00", "a\x7f", " a", "a\t", "abcdefgh\x1b")
}
