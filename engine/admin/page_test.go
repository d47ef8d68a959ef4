package admin

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"
)

// hostile is a View whose texts are HTML.
type hostile struct{ shown }

func (hostile) Clusters() []Cluster {
	return []Cluster{
		{Name: `b"><script>alert(1)</script>`, Algorithm: "random", Endpoints: []Endpoint{{URL: `http://x/'"><img src=x>`, State: "stopped", Circuit: "open", Health: "unhealthy", Requests: 77}}},
		{Name: "a", Algorithm: "random"},
	}
}

func TestStatusPage(t *testing.T) {
	a := ask(t, api(t, Options{}), "GET", line("GET", "/"))
	if a.StatusCode != 200 || a.Header.Get("Content-Type") != htmlText || a.Header.Get("Cache-Control") != "no-store" || a.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%d %v", a.StatusCode, a.Header)
	}
	for _, want := range []string{"<table>", "serving", ">web<", ">http://app<", ">10.0.0.1:80<", ">enabled<", ">closed<", ">a.example/api<", "no endpoints"} {
		if !strings.Contains(a.text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	_, style, _ := strings.Cut(a.text, "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	sum := sha256.Sum256([]byte(style))
	policy := a.Header.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "frame-ancestors 'none'", "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy %q lacks %s", policy, want)
		}
	}
	if head := ask(t, api(t, Options{}), "HEAD", line("HEAD", "/")); head.StatusCode != 200 || head.text != "" {
		t.Errorf("HEAD: %d %q", head.StatusCode, head.text)
	}
}

func TestStatusPageEscapes(t *testing.T) {
	a := ask(t, api(t, Options{View: hostile{}, State: state(func() (bool, string) { return false, "draining" })}), "GET", line("GET", "/"))
	for _, bad := range []string{"<script", "<img", "'\">"} {
		if strings.Contains(a.text, bad) {
			t.Errorf("the page has %s", bad)
		}
	}
	if i, j := strings.Index(a.text, "<td>a</td>"), strings.Index(a.text, "&lt;script&gt;"); i < 0 || j < i {
		t.Errorf("clusters are not there, or not in order: %s", a.text)
	}
	for _, want := range []string{"draining", `class="bad">stopped<`, `class="bad">open<`, `class="bad">unhealthy<`, ">77<"} {
		if !strings.Contains(a.text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}
