package lb

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func codecOf(t testing.TB, secret []byte, c *Cluster) *CookieCodec {
	t.Helper()
	codec, err := NewCookieCodec(secret, c)
	if err != nil {
		t.Fatal(err)
	}
	return codec
}

func TestCookieTokens(t *testing.T) {
	c := clusterOf(Random, 1, 1, 1, 0)
	codec := codecOf(t, NewCookieSecret(), c)
	seen := map[string]bool{}
	for _, e := range c.Endpoints() {
		token := codec.Encode(e)
		if len(token) != CookieTokenLength || seen[token] || strings.Trim(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			t.Errorf("the token of %s is %q", e.ID(), token)
		}
		seen[token] = true
		if got := codec.Decode([]byte(token)); got != e {
			t.Errorf("the token of %s does not lead back", e.ID())
		}
	}
}

func TestCookieForgeries(t *testing.T) {
	c := clusterOf(Random, 1, 1, 1)
	codec := codecOf(t, NewCookieSecret(), c)
	token := codec.Encode(c.Endpoints()[1])
	f := func(value string) {
		t.Helper()
		if e := codec.Decode([]byte(value)); e != nil {
			t.Errorf("%q is taken for %s", value, e.ID())
		}
	}
	for _, value := range []string{
		"", "x", "10.0.0.2:80", strings.Repeat("A", CookieTokenLength), strings.Repeat("f", 4096), "%00%ff",
		token + token, token[:len(token)/2], token[:len(token)-1], token + "A", token + "=", " " + token, token + "\n",
		token[:CookieTokenLength-1] + "\n", "\n" + token[1:], token[:8] + "\r" + token[9:], strings.ToUpper(token), strings.ToLower(token),
		codec.Encode(c.Endpoints()[0])[:16] + token[16:],
	} {
		f(value)
	}
	for i := range len(token) {
		for _, other := range []byte("AZaz09-_+/=\x00\xff") {
			if other != token[i] {
				f(token[:i] + string(other) + token[i+1:])
			}
		}
	}
}

// TestCookieSecrets has tokens be good where secret and ID are the same, and nowhere else.
func TestCookieSecrets(t *testing.T) {
	secret := bytes.Repeat([]byte("0123456789"), 4)
	c := clusterOf(Random, 1, 1, 1)
	token := codecOf(t, secret, c).Encode(c.Endpoints()[2])
	other := clusterOf(LeastConn, 5, 5, 5, 5)
	if e := codecOf(t, secret, other).Decode([]byte(token)); e != other.Endpoints()[2] {
		t.Error("a token is not good in another process")
	}
	if e := codecOf(t, NewCookieSecret(), c).Decode([]byte(token)); e != nil {
		t.Error("a token is good with another secret")
	}
	left := NewCluster(Options{Endpoints: described(1, 1)}, c)
	if e := codecOf(t, secret, left).Decode([]byte(token)); e != nil {
		t.Error("a token is good for an endpoint that left")
	}
	if bytes.Equal(NewCookieSecret(), NewCookieSecret()) || len(NewCookieSecret()) < CookieSecretSize {
		t.Error("secrets are not random")
	}
	if _, err := NewCookieCodec(secret[:CookieSecretSize-1], c); !errors.Is(err, ErrCookieSecret) {
		t.Errorf("a secret of 31 bytes: %v", err)
	}
	// Fixed, since an instance of another version must find the same.
	if want := "BAgrXJwslHevIpWzzrEWVGTa3WzYw1j2"; token != want {
		t.Errorf("the token is %s, want %s", token, want)
	}
}

func FuzzCookieDecode(f *testing.F) {
	c := clusterOf(Random, 1, 1, 1)
	codec := codecOf(f, bytes.Repeat([]byte("s"), CookieSecretSize), c)
	known := map[string]*Endpoint{}
	for _, e := range c.Endpoints() {
		known[codec.Encode(e)] = e
		f.Add([]byte(codec.Encode(e)))
	}
	f.Add([]byte(strings.Repeat("\n", CookieTokenLength)))
	f.Add([]byte("AAAA"))
	f.Fuzz(func(t *testing.T, value []byte) {
		if got := codec.Decode(value); got != known[string(value)] {
			t.Errorf("%q is taken for %v", value, got)
		}
	})
}
