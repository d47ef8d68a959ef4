package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"millrace/engine/admin"
)

// operator is somebody who uses the API of a running proxy.
type operator struct {
	t       *testing.T
	address string
	token   string // empty = none
}

// call returns the status and the body of an answer. A body that is sent is JSON.
func (o operator) call(method, path, body string) (int, string) {
	o.t.Helper()
	r, err := http.NewRequest(method, "http://"+o.address+path, strings.NewReader(body))
	if err != nil {
		o.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if o.token != "" {
		r.Header.Set("Authorization", "Bearer "+o.token)
	}
	c := http.Client{Timeout: e2eLimit, Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := c.Do(r)
	if err != nil {
		o.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		o.t.Fatal(err)
	}
	return answer.StatusCode, strings.TrimSpace(string(text))
}

// read decodes what a path of the API answers.
func (o operator) read(path string, into any) {
	o.t.Helper()
	status, text := o.call("GET", path, "")
	if err := json.Unmarshal([]byte(text), into); status != 200 || err != nil {
		o.t.Fatalf("GET %s: %d %v %s", path, status, err, text)
	}
}

// posts requires an answer that has a text.
func (o operator) posts(path, body string, status int, text string) {
	o.t.Helper()
	if got, answer := o.call("POST", path, body); got != status || !strings.Contains(answer, text) {
		o.t.Errorf("POST %s %s: %d %s, want %d %s", path, body, got, answer, status, text)
	}
}

// operated is a configuration with an admin listener.
func (p *place) operated(address, rest string) string {
	return fmt.Sprintf("workers: 2\nlisteners: [%q]\nadmin: {address: %q}\n%s", "unix:"+p.web(), address, rest)
}

func TestControlShows(t *testing.T) {
	p, o := newPlace(t), operator{t: t, address: unused(t)}
	upstream := strings.TrimPrefix(echoing(t, echoOptions{Status: 203}), "http://")
	dead := unused(t)
	d := p.serve(p.operated(o.address, fmt.Sprintf(`
routes:
  - {cluster: web}
  - {host: [b.example, c.example], prefix: /api, proxy: "http://%s"}
  - {prefix: /hello, local: {status: 200}}
clusters:
  web: {algorithm: round_robin, upstreams: [{url: "http://%s", weight: 3}], request_header: ["Authorization: hidden"]}
`, dead, upstream)))
	for range 3 {
		if got := p.get(); !strings.HasPrefix(got, "203 ") {
			t.Errorf("the answer is %q", got)
		}
	}
	endpoint := func(address string) admin.Endpoint {
		return admin.Endpoint{URL: "http://" + address, Address: address, Origin: "static", State: "enabled", Health: "unchecked", Circuit: "closed", Weight: 1}
	}
	web, inline := endpoint(upstream), endpoint(dead)
	web.Weight, web.Requests = 3, 3
	want := []admin.Cluster{
		{Name: "b.example/api", Algorithm: "two_random", Endpoints: []admin.Endpoint{inline}},
		{Name: "web", Algorithm: "round_robin", Endpoints: []admin.Endpoint{web}},
	}
	var all []admin.Cluster
	d.until("the last attempt has ended", func() bool {
		o.read("/api/v1/clusters", &all)
		return all[1].Endpoints[0].Active == 0
	})
	var one admin.Cluster
	o.read("/api/v1/clusters/b.example%2Fapi", &one)
	if !reflect.DeepEqual(one, all[0]) {
		t.Errorf("alone it is %+v, among all %+v", one, all[0])
	}
	for i := range all {
		for j := range all[i].Endpoints {
			e := &all[i].Endpoints[j]
			if measured := e.EWMA > 0; measured != (e.Requests > 0) {
				t.Errorf("the latency of %s is %v", e.URL, e.EWMA)
			}
			e.ID, e.EWMA = "", 0
		}
	}
	if !reflect.DeepEqual(all, want) {
		t.Errorf("clusters\n%+v, want\n%+v", all, want)
	}
	if _, got := o.call("GET", "/api/v1/routes", ""); got != `[{"name":"/","hosts":[],"prefix":"/","cluster":"web"},`+
		`{"name":"b.example/api","hosts":["b.example","c.example"],"prefix":"/api","cluster":"b.example/api"},`+
		`{"name":"/hello","hosts":[],"prefix":"/hello","cluster":"none"}]` {
		t.Errorf("routes %s", got)
	}
	if _, got := o.call("GET", "/api/v1/config", ""); !strings.Contains(got, `{"workers":2,`) || !strings.Contains(got, `"Authorization: ***"`) || strings.Contains(got, "hidden") {
		t.Errorf("configuration %s", got)
	}
}

func TestControlReloads(t *testing.T) {
	p, o := newPlace(t), operator{t: t, address: unused(t)}
	says := func(text, more string) string {
		return p.operated(o.address, fmt.Sprintf("routes: [{local: {body: %q}}]\n%s", text, more))
	}
	d := p.serve(says("one", ""))
	o.posts("/api/v1/reload", "", 200, `{"changed":false}`)
	p.file("millrace.yaml", says("two", "log: {level: error}"))
	o.posts("/api/v1/reload", "", 200, `"changed":`) // the watch of the file may have been quicker
	p.answers("200 two")
	if _, got := o.call("GET", "/api/v1/config", ""); !strings.Contains(got, `"body":"two"`) {
		t.Errorf("configuration %s", got)
	}
	p.file("millrace.yaml", says("three", "colour: blue\nlog: {level: loud}"))
	o.posts("/api/v1/reload", "", 422, "colour: unknown key")
	o.posts("/api/v1/reload", "", 422, "log.level: unknown value")
	p.answers("200 two")

	p.file("millrace.yaml", says("two", "log: {level: error}\nshutdown_delay: 1h"))
	o.posts("/api/v1/reload", "", 200, `"changed":`)
	d.signal(syscall.SIGTERM)
	d.until("it drains", func() bool { status, _ := o.call("GET", "/readyz", ""); return status == 503 })
	o.posts("/api/v1/reload", "", 409, "draining")
	d.signal(syscall.SIGTERM)
	d.ends(130)
}

func TestControlLogLevel(t *testing.T) {
	p, o := newPlace(t), operator{t: t, address: unused(t)}
	d := p.serve(p.operated(o.address, "routes: [{local: {body: ok}}]\n"))
	o.posts("/api/v1/log", `{"level": "error"}`, 200, `{"level":"error"}`)
	o.posts("/api/v1/reload", "", 200, "false")
	o.posts("/api/v1/log", `{"level": "debug"}`, 200, `{"level":"debug"}`)
	d.logs(`"log.level":"debug"`)
	if d.count("configuration unchanged") != 0 {
		t.Errorf("lines below the level were written: %s", d.stderr.String())
	}
	o.posts("/api/v1/log", `{"level": "loud"}`, 400, "one of")
}

func TestControlReadsTheTokenAgain(t *testing.T) {
	p, o := newPlace(t), operator{t: t, address: unused(t)}
	token := p.file("token", "first-token\n")
	with := strings.Replace(p.operated(o.address, "routes: [{local: {body: ok}}]\n"), "admin: {", fmt.Sprintf("admin: {token_file: %q, ", token), 1)
	d := p.serve(with)
	f := func(token string, status int) {
		t.Helper()
		o.token = token
		o.posts("/api/v1/log", `{"level": "info"}`, status, "")
	}
	f("", 401)
	f("second-token", 401)
	f("first-token", 200)
	p.file("token", "second-token")
	f("first-token", 200)
	o.posts("/api/v1/reload", "", 200, `{"changed":false}`)
	f("first-token", 401)
	f("second-token", 200)

	p.file("token", "\n")
	o.posts("/api/v1/reload", "", 422, "is empty")
	d.logs("admin.token_file")
	f("", 401)
	f("second-token", 200)

	p.file("token", "third-token\n")
	d.signal(syscall.SIGHUP)
	d.until("the third token is in force", func() bool {
		o.token = "third-token"
		status, _ := o.call("POST", "/api/v1/log", `{"level": "info"}`)
		return status == 200
	})
	p.file("millrace.yaml", p.operated(o.address, "routes: [{local: {body: ok}}]\n"))
	o.posts("/api/v1/reload", "", 200, "changed")
	f("", 200)
}

// TestControlWithoutFile has nothing to reload.
func TestControlWithoutFile(t *testing.T) {
	c := control{process: &process{}}
	if changed, err := c.Reload(); changed || err != errNoFile {
		t.Errorf("%v, %v", changed, err)
	}
}
