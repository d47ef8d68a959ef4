package config

import (
	"errors"
	"strings"
	"testing"
)

// The beginnings of most files in these tests. ok is complete; up needs a cluster web.
const (
	ok = "listeners: [\":80\"]\nroutes: [{local: {}}]\n"
	up = "listeners: [\":80\"]\nroutes: [{cluster: web}]\n"
)

// web returns a file whose cluster web has the keys, from line 6 column 5.
func web(keys string) string {
	return up + "clusters:\n  web:\n    upstreams: [http://h]\n    " + keys + "\n"
}

// upstream returns a file with one upstream, at line 6 column 9.
func upstream(text string) string {
	return up + "clusters:\n  web:\n    upstreams:\n      - " + text + "\n"
}

// listen returns a file with the listeners, from line 1 column 13.
func listen(items string) string {
	return "listeners: [" + items + "]\nroutes: [{local: {}}]\n"
}

// route returns a file with one route, at line 2 column 10.
func route(keys string) string {
	return "listeners: [\":80\"]\nroutes: [{" + keys + "}]\n"
}

// receive returns a file with beacons that listen, from line 8 column 13.
func receive(items string) string {
	return web("keepalive: true") + "beacon:\n  receive: [" + items + "]\n"
}

// announce returns a file with beacons that send, from line 8 column 14.
func announce(items string) string {
	return web("keepalive: true") + "beacon:\n  announce: [" + items + "]\n"
}

// local returns a file whose only route answers with body.
func local(body string) string { return route("local: {body: \"" + body + "\"}") }

// environment is what ${...} finds in these tests.
func environment(name string) (string, bool) {
	text, ok := map[string]string{"SET": "word", "EMPTY": "", "TWO": "2", "TRUE": "true"}[name]
	return text, ok
}

// refused returns a function that requires exactly the faults whose beginnings are given,
// without the name of the file.
func refused(t *testing.T) func(file string, want ...string) {
	return func(file string, want ...string) {
		t.Helper()
		c, err := parse("f.yaml", []byte(file), environment)
		var e *Errors
		if !errors.As(err, &e) || c != nil {
			t.Errorf("accepted, want %q:\n%s", want, file)
			return
		}
		if len(e.Faults) != len(want) {
			t.Errorf("%d faults, want %d:\n%v\nin\n%s", len(e.Faults), len(want), err, file)
			return
		}
		for i, f := range e.Faults {
			if !strings.HasPrefix(f.Error(), "f.yaml:"+want[i]) {
				t.Errorf("got  %s\nwant f.yaml:%s\nin\n%s", f.Error(), want[i], file)
			}
		}
	}
}
