package proxy

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// Every proxy adds the same fields, and keeps connections or does not.
func TestProxiesAreAlike(t *testing.T) {
	for _, name := range []string{"nginx", "haproxy", "haproxy-splice"} {
		for _, keepalive := range []bool{true, false} {
			t.Run(name, func(t *testing.T) { checkProxy(t, name, keepalive) })
		}
	}
}

func checkProxy(t *testing.T, name string, keepalive bool) {
	if _, err := Version(name, Options{}); err != nil {
		t.Skipf("%s is not installed", name)
	}
	var opened atomic.Int64
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, field := range []string{"X-Real-Ip", "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Port"} {
			if len(r.Header[field]) != 1 {
				t.Errorf("%s is %q, want one value", field, r.Header[field])
			}
		}
		io.WriteString(w, r.Host)
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	p, err := Start(name, Options{Upstream: strings.TrimPrefix(s.URL, "http://"), Keepalive: keepalive, Connections: 100})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	const requests = 4
	for range requests {
		response, err := http.Get("http://" + p.Address + "/x")
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode != 200 || string(body) != p.Address {
			t.Errorf("got %d %q, want 200 and the client's Host", response.StatusCode, body)
		}
	}
	if kept := opened.Load() == 1; kept != keepalive {
		t.Errorf("%d requests took %d connections, keepalive %v", requests, opened.Load(), keepalive)
	}
}

func TestUnknownProxy(t *testing.T) {
	if _, err := Start("squid", Options{}); err == nil {
		t.Error("an unknown name was started")
	}
	if _, err := Version("millrace", Options{Millrace: "/nonexistent"}); err == nil {
		t.Error("a missing binary has a version")
	}
}
