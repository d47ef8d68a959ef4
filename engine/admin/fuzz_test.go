package admin

import (
	"encoding/json"
	"net"
	"strings"
	"testing"
)

// FuzzHost holds that what passes is an address to the standard library as
// well, or one of the two names.
func FuzzHost(f *testing.F) {
	for _, host := range []string{"127.0.0.1", "[::1]:80", "localhost:1", "own.example", "127.0.0.1.evil.example", "[::1]x", "1.2.3.4:5:6", "[fe80::1%25eth0]"} {
		f.Add(host)
	}
	f.Fuzz(func(t *testing.T, host string) {
		if !isOwnHost(host, "own.example") {
			return
		}
		name := host
		if h, _, err := net.SplitHostPort(host); err == nil {
			name = h
		}
		name = strings.Trim(name, "[]")
		name, _, _ = strings.Cut(name, "%")
		if net.ParseIP(name) == nil && !strings.EqualFold(name, "localhost") && !strings.EqualFold(name, "own.example") {
			t.Errorf("%q passes", host)
		}
	})
}

// FuzzFields compares with encoding/json, which is less strict.
func FuzzFields(f *testing.F) {
	for _, body := range []string{`{"level":"info"}`, `{}`, `{"a":1,"a":2}`, `{"a":{"b":[1,2,{}]}}`, `[]`, `{"a"`, `{"a":1}x`, "{\"\xff\":1}", `{"a":01}`, `{"a" "b"}`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var want map[string]json.RawMessage
		plain := json.Unmarshal(body, &want)
		got, err := parseFields(body)
		if err == nil && (plain != nil || len(got) != len(want)) {
			t.Errorf("%q: %v, but encoding/json has %v, %v", body, got, want, plain)
		}
		if err != nil && plain == nil && want != nil && !strings.Contains(err.Error(), "twice") {
			t.Errorf("%q: %v, but encoding/json has %v", body, err, want)
		}
		for name := range got {
			if string(got[name]) != string(want[name]) {
				t.Errorf("%q: %s is %s, want %s", body, name, got[name], want[name])
			}
			_, _ = got.text(name)
		}
	})
}
