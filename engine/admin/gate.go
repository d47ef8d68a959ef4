package admin

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// A gate says which requests are served at all, and which may change something.
type gate struct {
	host  string        // that of the configuration; empty = every address
	token func() string // for changes; empty = none
}

func newGate(o Options) gate {
	g := gate{token: o.Token}
	g.host, _, _ = net.SplitHostPort(o.Address) // bound before: it is host:port
	if g.token == nil {
		g.token = func() string { return "" }
	}
	return g
}

// admit returns an error for a request that a page of another site may have
// made by DNS rebinding: it comes to us, but under a name that is not ours. The
// scrapes and probes of a cluster use such names and show nothing worth it.
func (g gate) admit(r *http.Request, path string) error {
	if path != "/" && !strings.HasPrefix(path, apiPrefix) {
		return nil
	}
	if isOwnHost(r.Host, g.host) || g.hasToken(r) {
		return nil
	}
	return &failure{http.StatusForbidden, "not served under this Host"}
}

// admitChange returns an error unless the client of r may change something.
func (g gate) admitChange(r *http.Request) error {
	if isCrossSite(r) {
		return &failure{http.StatusForbidden, "a page of another site must not change anything"}
	}
	if g.token() != "" {
		if g.hasToken(r) {
			return nil
		}
		return &failure{http.StatusUnauthorized, "the token of admin.token_file is needed"}
	}
	if isLoopback(r.RemoteAddr) {
		return nil
	}
	return &failure{http.StatusForbidden, "without admin.token_file only this machine may change anything"}
}

// hasToken reports whether r carries the token. How long that takes tells
// nothing of the token.
func (g gate) hasToken(r *http.Request) bool {
	want := g.token()
	got := r.Header.Values("Authorization")
	if want == "" || len(got) != 1 {
		return false
	}
	scheme, token, _ := strings.Cut(got[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return false
	}
	a, b := sha256.Sum256([]byte(want)), sha256.Sum256([]byte(strings.TrimLeft(token, " ")))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// isLoopback reports whether a peer, as ip:port, is on this machine.
func isLoopback(peer string) bool {
	a, err := netip.ParseAddrPort(peer)
	return err == nil && a.Addr().Unmap().IsLoopback()
}
