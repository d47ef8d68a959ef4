package beacon

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// FuzzOpen signs any text and compares the verdict with another reading of it.
func FuzzOpen(f *testing.F) {
	f.Add("BEACON url=http://a host=h pid=1 seq=2 ts=3")
	f.Add("BEACON ts=1 ts=2")
	f.Add("BEACON  ts=1 mac=0 =")
	f.Add("BEACON ts=9223372036854775808 x")
	shape := regexp.MustCompile(`(?s)^BEACON( [^ =]+=[^ ]*)*$`)
	f.Fuzz(func(t *testing.T, message string) {
		key := keyOf(t, secret)
		datagram := signed(t, message)
		got, why := open(datagram, &key)
		if want := (why == accepted); want != (len(datagram) <= maxDatagram && reads(shape, message)) {
			t.Errorf("%q: %v", message, why)
		}
		if why == accepted && string(got.message) != message {
			t.Errorf("%q: message %q", message, got.message)
		}
	})
}

// reads is what open says, by other means.
func reads(shape *regexp.Regexp, message string) bool {
	if strings.Contains(message, "\x00") || !shape.MatchString(message) {
		return false
	}
	seen := map[string]string{"mac": ""}
	for _, field := range strings.Split(message, " ")[1:] {
		key, value, _ := strings.Cut(field, "=")
		if _, twice := seen[key]; twice {
			return false
		}
		seen[key] = value
	}
	ts, ok := seen["ts"]
	_, err := strconv.ParseInt(ts, 10, 64)
	return ok && err == nil && !strings.ContainsAny(ts, "+-")
}

// FuzzReceive feeds any bytes, as they are and signed. Nothing may break, and only what is
// signed may get through.
func FuzzReceive(f *testing.F) {
	f.Add([]byte("BEACON url=http://a host=h pid=1 seq=2 ts=1750000000000000"))
	f.Add([]byte(vectors[2].datagram))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, c := receiving(t, Settings{Timeout: time.Second})
		r.receive(b, start)
		if why := lastReason(r); why == accepted && len(b) > 0 && string(b) != vectors[2].datagram {
			t.Errorf("%q gets through", b)
		}
		r.receive(signed(t, string(b)), start)
		r.sweep(start.Add(time.Hour))
		for url := range c.members {
			if m, err := ParseMember(url); err != nil || m.URL != url {
				t.Errorf("%q has become a member", url)
			}
		}
	})
}

// FuzzParseMember compares with net/url, and the canonical form with itself.
func FuzzParseMember(f *testing.F) {
	f.Add("HTTP://App.Example.com:80/")
	f.Add("https://[2001:DB8::5]:8443")
	f.Add("http://1.2.3.4")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ParseMember(text)
		if err != nil {
			return
		}
		u, err := url.Parse(text)
		if err != nil || u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "" ||
			!strings.EqualFold(u.Scheme, m.Scheme) || !strings.EqualFold(u.Hostname(), m.Host) {
			t.Errorf("%q: %+v, but %+v, %v by net/url", text, m, u, err)
		}
		if port := u.Port(); port != "" && port != strconv.Itoa(int(m.Port)) {
			t.Errorf("%q: port %d", text, m.Port)
		}
		if again, err := ParseMember(m.URL); err != nil || again != m {
			t.Errorf("%q: %q becomes %+v, %v", text, m.URL, again, err)
		}
	})
}
