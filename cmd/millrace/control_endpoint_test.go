package main

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"millrace/engine/admin"
	"millrace/engine/beacon"
)

// TestControlSetsEndpoints has an operator change what the file says, over a reload.
func TestControlSetsEndpoints(t *testing.T) {
	p, o := newPlace(t), operator{t: t, address: unused(t)}
	upstream := echoing(t, echoOptions{Status: 203})
	d := p.serve(p.operated(o.address, fmt.Sprintf("routes: [{host: a.example, prefix: /x, local: {}}, {proxy: %q}]\n", upstream)))
	const path = "/api/v1/clusters/%2F/endpoints/"
	var c admin.Cluster
	endpoint := func() admin.Endpoint {
		o.read("/api/v1/clusters/%2F", &c)
		return c.Endpoints[0]
	}
	id := endpoint().ID
	o.posts(path+id, `{"state": "drain", "weight": 7}`, 200, `"state":"drain","health":"unchecked","circuit":"closed","weight":7`)
	status(p, "503")
	d.logs(`"msg":"endpoint changed"`)
	p.file("millrace.yaml", p.operated(o.address, fmt.Sprintf("routes: [{proxy: %q}]\n", upstream)))
	o.posts("/api/v1/reload", "", 200, `"changed":`)
	if e := endpoint(); e.State != "drain" || e.Weight != 7 {
		t.Errorf("after a reload it is %+v", e)
	}
	o.posts(path+id, `{"state": "enabled"}`, 200, `"state":"enabled"`)
	status(p, "203")
	o.posts(path+"nothing", `{"state": "drain"}`, 404, "no such endpoint")
	o.posts("/api/v1/clusters/nothing/endpoints/"+id, `{"state": "drain"}`, 404, "no such endpoint")
	o.posts(path+id, `{"state": "disabled"}`, 400, "one of")
	if got, _ := o.call("GET", path+id, ""); got != 405 {
		t.Errorf("reading it: %d", got)
	}
}

// status requires an answer with that status.
func status(p *place, want string) {
	p.t.Helper()
	if got := p.get(); !strings.HasPrefix(got, want+" ") {
		p.t.Errorf("the answer is %q, want %s", got, want)
	}
}

// TestControlShowsBeacons has a service announce itself.
func TestControlShowsBeacons(t *testing.T) {
	p, o, at := newPlace(t), operator{t: t, address: unused(t)}, unused(t)
	const secret = "0123456789abcdef"
	d := p.serve(p.operated(o.address, fmt.Sprintf("routes: [{cluster: web}]\nclusters: {web: {}}\nbeacon: {receive: [{listen: %q, cluster: web, secret: %s}]}\n", at, secret)))
	if _, got := o.call("GET", "/api/v1/beacons", ""); got != "[]" {
		t.Errorf("before any announcement: %s", got)
	}
	key, err := beacon.Secret(secret).Key()
	if err != nil {
		t.Fatal(err)
	}
	says := beacon.Announcement{URL: "http://10.0.0.5:8080", Host: "app1", PID: 77, Seq: 9, TS: time.Now().UnixMicro()}
	c, err := net.Dial("udp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write(says.Append(nil, key)); err != nil {
		t.Fatal(err)
	}
	var all []admin.Beacon
	d.until("the member is there", func() bool {
		o.read("/api/v1/beacons", &all)
		return len(all) == 1
	})
	got := all[0]
	if age := time.Since(got.LastSeen); age < 0 || age > e2eLimit {
		t.Errorf("last seen %v ago", age)
	}
	got.LastSeen = time.Time{}
	if want := (admin.Beacon{Cluster: "web", Listen: at, URL: says.URL, State: "live", TS: says.TS, Host: "app1", PID: 77, Seq: 9}); got != want {
		t.Errorf("it is %+v, want %+v", got, want)
	}
	var web admin.Cluster
	o.read("/api/v1/clusters/web", &web)
	if len(web.Endpoints) != 1 || web.Endpoints[0].Origin != "beacon" || web.Endpoints[0].Address != "10.0.0.5:8080" {
		t.Errorf("endpoints %+v", web.Endpoints)
	}
}
