package admin

import (
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"millrace/engine/stats"
)

func TestToken(t *testing.T) {
	var token atomic.Value
	token.Store("first-token")
	c := &controlled{reload: unchanged}
	l := api(t, Options{Control: c, Token: func() string { return token.Load().(string) }})
	f := func(want int, lines ...string) {
		t.Helper()
		for _, request := range []string{raw("POST", "/api/v1/reload", "", lines...), post("/api/v1/log", `{"level":"info"}`, lines...)} {
			a := ask(t, l, "POST", request)
			if a.StatusCode != want || (want == 401) != strings.HasPrefix(a.Header.Get("WWW-Authenticate"), "Bearer") {
				t.Errorf("%q: %d %v %s", lines, a.StatusCode, a.Header, a.text)
			}
			if want != 200 {
				refusesJSON(t, a, want, "token")
			}
		}
	}
	const field = "Authorization: "
	f(401, "X-None: 1")
	f(401, field+"Bearer second-token")
	f(401, field+"Bearer first")
	f(401, field+"Bearer first-tokenx")
	f(401, field+"Bearer FIRST-TOKEN")
	f(401, field+"Bearer ")
	f(401, field+"Bearer")
	f(401, field)
	f(401, field+"Basic first-token")
	f(401, field+"Bearer first-token%0A")
	f(401, field+"first-token")
	f(401, field+"Bearer first-token first-token")
	f(401, field+"Bearer x", field+"Bearer first-token")
	f(401, field+"Bearer first-token", field+"Bearer first-token")
	if c.reloads.Load() != 0 || c.level.Load() != nil {
		t.Error("a refused call changed something")
	}
	f(200, field+"Bearer first-token")
	f(200, field+"bearer first-token")
	f(200, field+"BEARER  first-token ")
	token.Store("second-token")
	f(401, field+"Bearer first-token")
	f(200, field+"Bearer second-token")
	if a := ask(t, l, "GET", line("GET", "/api/v1/clusters")); a.StatusCode != 200 {
		t.Errorf("reading without a token: %d", a.StatusCode)
	}
}

// TestPeers asks on behalf of peers that a test cannot be.
func TestPeers(t *testing.T) {
	f := func(peer, token string, want int) {
		t.Helper()
		h := newHandler(Options{
			Address: "0.0.0.0:9090", State: state(always), Stats: stats.New(1),
			View: shown{}, Control: &controlled{reload: unchanged}, Token: func() string { return token },
		})
		for _, authorization := range []string{"", "Bearer "} { // no token never fits
			w, r := httptest.NewRecorder(), httptest.NewRequest("POST", "http://10.0.0.1/api/v1/reload", nil)
			r.RemoteAddr = peer
			if authorization != "" {
				r.Header.Set("Authorization", authorization)
			}
			if h.ServeHTTP(w, r); w.Code != want {
				t.Errorf("%s with the token %q and %q: %d, want %d", peer, token, authorization, w.Code, want)
			}
		}
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "http://10.0.0.1/api/v1/clusters", nil)
		r.RemoteAddr = peer
		if h.ServeHTTP(w, r); w.Code != 200 {
			t.Errorf("%s reading: %d", peer, w.Code)
		}
	}
	f("127.0.0.1:5000", "", 200)
	f("127.8.7.6:5000", "", 200)
	f("[::1]:5000", "", 200)
	f("[::ffff:127.0.0.1]:5000", "", 200)
	f("10.0.0.7:5000", "", 403)
	f("[2001:db8::1]:5000", "", 403)
	f("[fe80::1%eth0]:5000", "", 403)
	f("[::ffff:10.0.0.7]:5000", "", 403)
	f("0.0.0.0:5000", "", 403)
	f("", "", 403)
	f("@", "", 403)
	f("10.0.0.7:5000", "token", 401)
	f("127.0.0.1:5000", "token", 401)
}

func TestHosts(t *testing.T) {
	l := api(t, Options{Token: func() string { return "secret" }})
	l.http.Handler.(*handler).gate.host = "Proxy.example"
	f := func(host string, want int) {
		t.Helper()
		for _, target := range []string{"/", "/api/v1/clusters", "/api/v1/clusters/nothing", "/api/v1/config", "/api/x"} {
			a := ask(t, l, "GET", raw("GET", target, "", "Host: "+host))
			if (a.StatusCode == 403) != (want == 403) {
				t.Errorf("GET %s for Host %s: %d", target, host, a.StatusCode)
			}
			if want == 403 && target != "/" {
				refusesJSON(t, a, 403, "Host")
			}
		}
		a := ask(t, l, "POST", raw("POST", "/api/v1/reload", "", "Host: "+host))
		if (a.StatusCode == 403) != (want == 403) {
			t.Errorf("POST for Host %s: %d", host, a.StatusCode)
		}
		if a := ask(t, l, "GET", raw("GET", "/api/v1/clusters", "", "Host: "+host, "Authorization: Bearer secret")); a.StatusCode != 200 {
			t.Errorf("Host %s with the token: %d", host, a.StatusCode)
		}
		for _, target := range []string{"/metrics", "/healthz", "/livez", "/readyz", "/version"} {
			if a := ask(t, l, "GET", raw("GET", target, "", "Host: "+host)); a.StatusCode != 200 {
				t.Errorf("GET %s for Host %s: %d, want 200", target, host, a.StatusCode)
			}
		}
	}
	f("localhost:9090", 200)
	f("LOCALHOST", 200)
	f("[::1]:9090", 200)
	f("10.1.2.3", 200)
	f("proxy.EXAMPLE:1", 200)
	f("evil.example", 403)
	f("evil.example:9090", 403)
	f("127.0.0.1.evil.example", 403)
	f("localhost.evil.example", 403)
	f("", 403)
}

func TestIsOwnHost(t *testing.T) {
	f := func(host string, want bool) {
		t.Helper()
		if got := isOwnHost(host, "Own.example"); got != want {
			t.Errorf("isOwnHost(%q) = %v", host, got)
		}
	}
	f("127.0.0.1", true)
	f("127.0.0.1:9090", true)
	f("255.1.2.3:", true)
	f("[::1]", true)
	f("[::1]:9090", true)
	f("[2001:DB8::1]:1", true)
	f("localhost", true)
	f("LocalHost:80", true)
	f("own.example", true)
	f("OWN.EXAMPLE:1", true)
	f("", false)
	f(":9090", false)
	f("localhost.", false)
	f("localhost:evil", false)
	f("localhost:80:80", false)
	f("localhostx", false)
	f("xown.example", false)
	f("a.own.example", false)
	f("127.0.0.1.nip.io", false)
	f("127.1", false)
	f("127.0.0.01", false)
	f("0x7f000001", false)
	f("2130706433", false)
	f("::1", false)
	f("[::1", false)
	f("[::1]x", false)
	f("[::1]evil:1", false)
	f("[127.0.0.1]", false)
	f("[localhost]", false)
	f("127.0.0.1 ", false)
	f("127.0.0.1@evil.example", false)
	if isOwnHost("", "") || isOwnHost(":1", "") {
		t.Error("no host is the host of every address")
	}
}

func TestCrossSite(t *testing.T) {
	c := &controlled{reload: unchanged}
	l := api(t, Options{Control: c, Token: func() string { return "secret" }})
	f := func(want int, lines ...string) {
		t.Helper()
		lines = append(lines, "Authorization: Bearer secret") // it helps nothing here
		a := ask(t, l, "POST", raw("POST", "/api/v1/reload", "", lines...))
		if a.StatusCode != want || a.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%q: %d %v %s", lines, a.StatusCode, a.Header, a.text)
		}
		if want == 403 {
			refusesJSON(t, a, 403, "another site")
		}
	}
	const host = "Host: 127.0.0.1:9090"
	f(200, host)
	f(200, host, "Origin: http://127.0.0.1:9090")
	f(200, host, "Origin: https://127.0.0.1:9090")
	f(200, "Host: Localhost", "Origin: http://localhost")
	f(200, "Host: localhost:80", "Origin: http://localhost")
	f(200, "Host: localhost", "Origin: https://localhost:443")
	f(200, "Host: [::1]:9090", "Origin: http://[::1]:9090")
	f(200, host, "Sec-Fetch-Site: same-origin")
	f(200, host, "Sec-Fetch-Site: none")
	f(403, host, "Origin: http://evil.example")
	f(403, host, "Origin: null")
	f(403, host, "Origin:")
	f(403, host, "Origin: http://127.0.0.1:1")
	f(403, host, "Origin: http://127.0.0.1")
	f(403, host, "Origin: 127.0.0.1:9090")
	f(403, host, "Origin: http://127.0.0.1:9090.evil.example")
	f(403, host, "Origin: http://evil.example@127.0.0.1:9090")
	f(403, "Host: localhost:443", "Origin: http://localhost")
	f(403, host, "Origin: http://127.0.0.1:9090", "Origin: http://evil.example")
	f(403, host, "Sec-Fetch-Site: cross-site")
	f(403, host, "Sec-Fetch-Site: same-site")
	f(403, host, "Sec-Fetch-Site:")
	f(403, host, "Sec-Fetch-Site: none", "Sec-Fetch-Site: cross-site")
	f(403, host, "Origin: http://127.0.0.1:9090", "Sec-Fetch-Site: cross-site")
	if n := c.reloads.Load(); n != 9 {
		t.Errorf("%d reloads, want 9", n)
	}
	if a := ask(t, l, "GET", raw("GET", "/api/v1/clusters", "", "Origin: http://evil.example", "Sec-Fetch-Site: cross-site")); a.StatusCode != 200 || a.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("reading: %d %v", a.StatusCode, a.Header)
	}
}
