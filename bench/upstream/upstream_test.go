package upstream

import (
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
)

func TestBuiltIn(t *testing.T) {
	u, err := BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	defer u.Stop()
	answers(t, u)
}

func TestNginx(t *testing.T) {
	if _, err := exec.LookPath("nginx"); err != nil {
		t.Skip("nginx is not installed")
	}
	u, err := Nginx(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer u.Stop()
	answers(t, u)
}

func answers(t *testing.T, u *Upstream) {
	t.Helper()
	f := func(method, path string, upload, want int) {
		t.Helper()
		r, err := http.NewRequest(method, "http://"+u.Address+path, strings.NewReader(strings.Repeat("x", upload)))
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != 200 || len(body) != want {
			t.Errorf("%s %s: status %d, %d bytes, %v, want 200, %d", method, path, response.StatusCode, len(body), err, want)
		}
	}
	f("GET", "/", 0, 66)
	f("GET", "/any/path?x", 0, 66)
	f("GET", "/large", 0, largeBytes)
	f("POST", "/", 1000, 66)
}
