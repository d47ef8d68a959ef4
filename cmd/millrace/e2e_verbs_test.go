package main

import (
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// wants fails unless the program ended like this. An empty text means that nothing was
// written there.
func (r result) wants(t *testing.T, code int, stdout, stderr string) {
	t.Helper()
	if r.code != code || !strings.Contains(r.stdout, stdout) || !strings.Contains(r.stderr, stderr) ||
		stdout == "" && r.stdout != "" || stderr == "" && r.stderr != "" {
		t.Errorf("got %d, %q, %q, want %d, %q, %q", r.code, r.stdout, r.stderr, code, stdout, stderr)
	}
}

func TestE2EUsage(t *testing.T) {
	p := newPlace(t)
	f := func(code int, stdout, stderr string, args ...string) {
		t.Helper()
		p.execute(args...).wants(t, code, stdout, stderr)
	}
	f(2, "", "usage: millrace <command>")
	f(2, "", `no command "frobnicate"`, "frobnicate")
	f(0, "usage: millrace <command>", "", "help")
	f(0, "usage: millrace <command>", "", "-h")
	f(2, "", "-frobnicate", "run", "-frobnicate")
	f(2, "", "-config", "check", "-config")
	f(2, "", `check takes no argument "millrace.yaml"`, "check", "millrace.yaml")
	f(2, "", "-size", "echo", "-size", "1KB")
}

func TestE2EVersion(t *testing.T) {
	p := newPlace(t)
	p.execute("version").wants(t, 0, "millrace devel (go1.", "")
	r := p.execute("version", "-json")
	var v map[string]string
	if err := json.Unmarshal([]byte(r.stdout), &v); err != nil || r.code != 0 {
		t.Fatalf("got %+v: %v", r, err)
	}
	if len(v) != 3 || v["version"] != "devel" || !strings.HasPrefix(v["go"], "go1.") || v["commit"] == "" {
		t.Errorf("got %q", v)
	}
}

func TestE2ECheck(t *testing.T) {
	p := newPlace(t)
	p.file("good.yaml", "listeners: [\""+taken(t)+"\"]\nroutes: [{local: {status: 200}}]\n") // binds nothing
	p.file("bad.yaml", "listeners: [\"127.0.0.1:1\"]\nroutes: [{local: {status: 200}}]\ncolour: blue\nlog: {level: loud}\n")
	p.execute("check", "-config", "good.yaml").wants(t, 0, "good.yaml: ok, 1 listeners, 1 routes, 0 clusters", "")
	p.execute("check", "-config", "none.yaml").wants(t, 1, "", "none.yaml")
	p.execute("check", "-config", ".").wants(t, 1, "", "directory")
	r := p.execute("check", "-config", "bad.yaml")
	for _, fault := range []string{"bad.yaml:3:1: colour: ", "bad.yaml:4:", "log.level: "} {
		r.wants(t, 1, "", fault)
	}
}

func TestE2EConfigurationFile(t *testing.T) {
	good := "listeners: [\"127.0.0.1:1\"]\nroutes: [{local: {status: 200}}]\n"
	f := func(env, wantName string, args ...string) {
		t.Helper()
		p := newPlace(t, env)
		p.file("env.yaml", "e: 1\n")
		p.file("flag.yaml", "f: 1\n")
		p.file("millrace.yaml", "m: 1\n")
		p.file("good.yaml", good)
		for _, verb := range []string{"check", "run"} {
			p.execute(append([]string{verb}, args...)...).wants(t, 1, "", wantName+":1:1: ")
		}
	}
	f("MILLRACE_CONFIG=", "millrace.yaml")
	f("MILLRACE_CONFIG=env.yaml", "env.yaml")
	f("MILLRACE_CONFIG=good.yaml", "flag.yaml", "-config", "flag.yaml")
	p := newPlace(t, "MILLRACE_CONFIG=good.yaml")
	p.file("good.yaml", good)
	p.execute("check").wants(t, 0, "good.yaml: ok", "")
}

func TestE2EEcho(t *testing.T) {
	p := newPlace(t)
	d := p.start("echo", "-listen", "127.0.0.1:0", "-size", "1KiB", "-status", "203")
	d.until("an address is printed", func() bool { return strings.Contains(d.stdout.String(), "\n") })
	url := regexp.MustCompile(`http://\S+`).FindString(d.stdout.String())
	r, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if status, _, body := fetch(t, r); status != 203 || len(body) != 1024 {
		t.Errorf("status %d, %d bytes", status, len(body))
	}
	d.signal(syscall.SIGTERM)
	d.ends(0)
	p.execute("echo", "-listen", taken(t)).wants(t, 1, "", "address already in use")
}

func TestE2EDemo(t *testing.T) {
	p := newPlace(t, "MILLRACE_CONFIG=/nonexistent")
	d := p.start("run", "-demo")
	d.until("addresses are printed or taken", func() bool {
		return strings.Contains(d.stdout.String(), "metrics") || strings.Contains(d.stderr.String(), "in use")
	})
	if strings.Contains(d.stderr.String(), "in use") {
		t.Skipf("skipped: somebody else has the demo's ports: %s", d.stderr.String())
	}
	urls := regexp.MustCompile(`http://[^\s/]+`).FindAllString(d.stdout.String(), -1)
	if len(urls) < 3 {
		t.Fatalf("printed %q", d.stdout.String())
	}
	seen := map[string]bool{}
	for range 2 {
		r, _ := http.NewRequest("GET", urls[2]+"/hello", nil)
		status, _, body := fetch(t, r)
		if status != 200 || !strings.Contains(body, "GET /hello") {
			t.Errorf("the proxy answers %d %q", status, body)
		}
		seen[body[strings.LastIndex(body, "answered by"):]] = true
	}
	if len(seen) != 2 {
		t.Errorf("answers are of %v, want both upstreams in turn", seen)
	}
	d.signal(os.Interrupt.(syscall.Signal))
	d.ends(0)
}
