package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"

	"millrace/engine/config"
)

// loopbacks are the addresses of the instances of a fleet. They have their ports in common,
// so one file fits all.
var loopbacks = []string{"127.0.0.1", "127.0.0.2", "127.0.0.3"}

// A fleet is several instances that know nothing of each other.
type fleet struct {
	t             *testing.T
	configuration string
	places        []*place
	daemons       []*daemon
	addresses     []string // of their listeners
	client        http.Client
}

// newFleet prepares instances with this configuration, behind a line that says where they
// listen. In it ADDRESS and PORT stand for what is theirs.
func newFleet(t *testing.T, configuration string) *fleet {
	t.Helper()
	port := portOfAll(t)
	f := &fleet{t: t, daemons: make([]*daemon, len(loopbacks))}
	f.configuration = strings.ReplaceAll("listeners: [\"${ADDRESS}:PORT\"]\nadmin: false\n"+configuration, "PORT", port)
	for _, address := range loopbacks {
		f.places = append(f.places, newPlace(t, "ADDRESS="+address))
		f.addresses = append(f.addresses, net.JoinHostPort(address, port))
	}
	own := new(http.Transport)
	f.client = http.Client{Timeout: e2eLimit, Transport: own}
	t.Cleanup(own.CloseIdleConnections)
	return f
}

func (f *fleet) start(instances ...int) {
	f.t.Helper()
	for _, i := range instances {
		f.daemons[i] = f.places[i].serve(f.configuration)
	}
}

// portOfAll returns a port that is free on all loopbacks, for TCP and UDP, as far as that can
// be known. A system may have the first of them alone.
func portOfAll(t *testing.T) string {
	t.Helper()
	for range 20 {
		_, port, _ := net.SplitHostPort(unused(t))
		switch err := tryPort(port); {
		case err == nil:
			return port
		case strings.Contains(err.Error(), "assign requested address"):
			t.Skipf("skipped: %v", err)
		}
	}
	t.Fatal("no port is free on all loopbacks")
	return ""
}

func tryPort(port string) error {
	for _, address := range loopbacks {
		l, err := net.Listen("tcp", net.JoinHostPort(address, port))
		if err != nil {
			return err
		}
		defer l.Close()
		u, err := net.ListenPacket("udp", l.Addr().String())
		if err != nil {
			return err
		}
		defer u.Close()
	}
	return nil
}

// echoes starts upstreams that answer with their names, and returns their URLs.
func echoes(t *testing.T) (urls []string) {
	t.Helper()
	for _, name := range everybody {
		address, stop, err := startEcho("127.0.0.1:0", echoOptions{Body: []byte(name)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(stop)
		urls = append(urls, "http://"+address)
	}
	return urls
}

// ask sends a request through an instance and returns who answered, or the status if that is
// not 200, and the cookie that was set, if any. A header is "Name: value", or empty.
func (f *fleet) ask(instance int, target, header string) (endpoint, cookie string) {
	f.t.Helper()
	r, err := http.NewRequest("GET", "http://"+f.addresses[instance]+target, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	if name, value, ok := strings.Cut(header, ": "); ok {
		r.Header.Set(name, value)
	}
	answer, err := f.client.Do(r)
	if err != nil {
		f.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	if answer.StatusCode != 200 {
		return answer.Status, ""
	}
	cookie, _, _ = strings.Cut(answer.Header.Get("Set-Cookie"), ";")
	return string(body), cookie
}

// homes returns to whom an instance sends fifty keys.
func (f *fleet) homes(instance int, targetOf, headerOf string) (endpoints []string) {
	f.t.Helper()
	for i := range 50 {
		key := fmt.Sprint("key-", i)
		endpoint, _ := f.ask(instance, strings.Replace(targetOf, "KEY", key, 1), strings.Replace(headerOf, "KEY", key, 1))
		endpoints = append(endpoints, endpoint)
	}
	return endpoints
}

// tenant is the header that is a key.
const tenant = "X-Tenant: KEY"

// everybody are the endpoints that echoes starts.
var everybody = []string{"e0", "e1", "e2", "e3"}

// distinct returns who is in endpoints, once each.
func distinct(endpoints []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(endpoints)))
}

// agrees fails unless each instance sends each key to the same endpoint, and all get some.
func (f *fleet) agrees(targetOf, headerOf string) {
	f.t.Helper()
	first := f.homes(0, targetOf, headerOf)
	if used := distinct(first); !slices.Equal(used, everybody) {
		f.t.Errorf("keys are sent to %v, want %v", used, everybody)
	}
	for i := 1; i < len(f.addresses); i++ {
		if got := f.homes(i, targetOf, headerOf); !slices.Equal(got, first) {
			f.t.Errorf("%s sends keys to\n%v, and %s to\n%v", f.addresses[i], got, f.addresses[0], first)
		}
	}
}

func TestE2EScaleOutKeys(t *testing.T) {
	urls := echoes(t)
	list := strings.Join(urls, ", ")
	f := newFleet(t, "routes: [{prefix: /header, cluster: header}, {prefix: /hash, cluster: hash}]\nclusters:\n"+
		"  header: {upstreams: ["+list+"], affinity: {header: {name: X-Tenant}}}\n"+
		"  hash: {upstreams: ["+list+"], affinity: {hash: {variable: request.uri.path}}}\n")
	f.start(0, 1, 2)
	f.agrees("/header", tenant)
	f.agrees("/hash/KEY", "")

	slices.Reverse(urls) // the order of a list means nothing
	f.places[2].file("millrace.yaml", strings.ReplaceAll(f.configuration, list, strings.Join(urls, ", ")))
	f.daemons[2].signal(syscall.SIGHUP)
	f.daemons[2].logs(`"configuration reloaded"`)
	f.agrees("/header", tenant)
}

// TestE2EScaleOutCookies takes cookies from each instance to each.
func TestE2EScaleOutCookies(t *testing.T) {
	upstreams := strings.Join(echoes(t), ", ")
	f := func(everywhere bool, key string, secrets ...string) {
		t.Helper()
		f := newFleet(t, "routes: [{proxy: {upstreams: ["+upstreams+"], affinity: {cookie: {"+key+"}}}}]\n")
		for i, secret := range secrets {
			f.places[i].file("cookie.key", secret)
		}
		f.start(0, 1, 2)
		for of := range f.addresses {
			for range 4 {
				home, cookie := f.ask(of, "/", "")
				if cookie == "" {
					t.Fatalf("%s sets no cookie", f.addresses[of])
				}
				for at := range f.addresses {
					endpoint, other := f.ask(at, "/", "Cookie: "+cookie)
					accepted := other == ""
					if accepted != (everywhere || at == of) || accepted && endpoint != home {
						t.Errorf("%q: a cookie of %s from %s: at %s %s answers and sets %q", secrets, home, f.addresses[of], f.addresses[at], endpoint, other)
					}
				}
			}
		}
	}
	secret := strings.Repeat("s", 32)
	f(true, "secret_file: cookie.key", secret, secret, secret)
	f(false, "secret_file: cookie.key", secret, secret+"\n", strings.Repeat("t", 32))
	f(false, "")
}

// TestE2EScaleOutBeacons has the last instance come when the others have their members.
func TestE2EScaleOutBeacons(t *testing.T) {
	f := newFleet(t, "routes: [{cluster: fleet}]\nclusters: {fleet: {affinity: {header: {name: X-Tenant}}}}\n"+
		"beacon: {receive: [{listen: \"${ADDRESS}:PORT\", cluster: fleet, secret_file: beacon.secret}]}\n")
	const secret = "hex:00112233445566778899aabbccddeeff\n"
	arguments := []string{"beacon", "-interval", "100ms", "-secret-file", "beacon.secret"}
	for i, p := range f.places {
		p.file("beacon.secret", secret)
		arguments = append(arguments, "-to", f.addresses[i])
	}
	f.start(0, 1)
	services := newPlace(t)
	services.file("beacon.secret", secret)
	for _, url := range echoes(t) {
		services.start(append(slices.Clone(arguments), "-advertise", url)...)
	}
	f.hears(0, 1)
	f.start(2)
	f.hears(2)
	f.agrees("/", tenant)
}

// hears waits until the instances send keys to all that announce themselves.
func (f *fleet) hears(instances ...int) {
	f.t.Helper()
	for _, i := range instances {
		f.daemons[i].until("all members get requests", func() bool {
			return slices.Equal(distinct(f.homes(i, "/", tenant)), everybody)
		})
	}
}

// The configurations of the page load, run, and have nothing that the doctor minds.
func TestScaleOutConfigurations(t *testing.T) {
	t.Setenv("ADDRESS", "10.0.0.1")
	blocks := fenced(readText(t, "docs/scale-out.md"), "yaml")
	if len(blocks) == 0 {
		t.Fatal("no configuration in docs/scale-out.md")
	}
	for _, block := range blocks {
		c, err := config.Parse("scale-out.md", []byte(block))
		if err != nil {
			t.Errorf("%v in\n%s", err, block)
			continue
		}
		if faults := config.Unbuilt(c); len(faults) > 0 {
			t.Errorf("%v in\n%s", faults, block)
		}
		for _, found := range config.Doctor(c) {
			if found.Level != config.FindingInfo {
				t.Errorf("%v in\n%s", found, block)
			}
		}
	}
}
