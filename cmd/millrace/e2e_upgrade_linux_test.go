package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"millrace/engine/admin"
)

// A crowd is clients that ask all the time. They do not try again: whatever goes wrong fails
// the test.
type crowd struct {
	t       *testing.T
	stop    atomic.Bool
	clients sync.WaitGroup
	answers []atomic.Int64 // by client
}

// gather has four clients at each address: two keep their connection.
func gather(t *testing.T, addresses ...string) *crowd {
	c := &crowd{t: t, answers: make([]atomic.Int64, 4*len(addresses))}
	for i := range c.answers {
		network, address := "tcp", addresses[i/4]
		if path, ok := strings.CutPrefix(address, "unix:"); ok {
			network, address = "unix", path
		}
		c.clients.Go(func() { c.ask(network, address, i) })
	}
	return c
}

func (c *crowd) ask(network, address string, i int) {
	var conn net.Conn
	var from *bufio.Reader
	defer func() {
		if conn != nil {
			conn.Close()
		}
	}()
	for !c.stop.Load() {
		if conn == nil {
			var err error
			if conn, err = net.DialTimeout(network, address, e2eLimit); err != nil {
				c.t.Errorf("after %d answers: %v", c.answers[i].Load(), err)
				return
			}
			from = bufio.NewReader(conn)
			_ = conn.SetDeadline(time.Now().Add(e2eLimit))
		}
		last, err := askOn(conn, from)
		if err != nil {
			c.t.Errorf("after %d answers: %v", c.answers[i].Load(), err)
			return
		}
		c.answers[i].Add(1)
		if last || i%2 == 0 {
			conn.Close()
			conn = nil
		}
	}
}

// askOn makes one request, and reports whether the connection ends with it.
func askOn(conn net.Conn, from *bufio.Reader) (last bool, err error) {
	if _, err = io.WriteString(conn, "GET /crowd HTTP/1.1\r\nHost: a.example\r\n\r\n"); err != nil {
		return false, err
	}
	answer, err := http.ReadResponse(from, nil)
	if err != nil {
		return false, err
	}
	if _, err = io.Copy(io.Discard, answer.Body); err == nil && answer.StatusCode != 200 {
		err = fmt.Errorf("status %d", answer.StatusCode)
	}
	return answer.Close, err
}

// goesOn waits until every client got some more answers.
func (c *crowd) goesOn() {
	c.t.Helper()
	for i := range c.answers {
		before := c.answers[i].Load()
		for begin := time.Now(); c.answers[i].Load() < before+20 && !c.t.Failed(); time.Sleep(time.Millisecond) {
			if time.Since(begin) > e2eLimit {
				c.t.Fatalf("client %d gets no answers any more", i)
			}
		}
	}
}

func (c *crowd) disperse() {
	c.stop.Store(true)
	c.clients.Wait()
}

// operatorsGet asks an admin listener on a connection of its own.
func operatorsGet(address, path string) (status int, body string, err error) {
	alone := http.Client{Timeout: e2eLimit, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := alone.Get("http://" + address + path)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(text), err
}

// pidOf is the process that answers on the admin address, 0 if none does.
func pidOf(address string) int {
	_, body, _ := operatorsGet(address, "/version")
	var v struct{ PID int }
	_ = json.Unmarshal([]byte(body), &v)
	return v.PID
}

// Over three upgrades in a row, with other numbers of workers, nobody is refused, no request
// fails, readiness never falters and nothing is left over.
func TestE2EUpgradeUnderLoad(t *testing.T) {
	p := newPlace(t)
	web, operators := unused(t), unused(t)
	configuration := fmt.Sprintf("listeners: [%q, %q]\nadmin: {address: %q}\nroutes: [{proxy: %q}]\nworkers: ", web, "unix:"+p.web(), operators, echoing(t, echoOptions{}))
	l := p.found(configuration + "2")
	c := gather(t, web, "unix:"+p.web())
	defer c.disperse()
	c.goesOn()
	var stop atomic.Bool
	var watch sync.WaitGroup
	watch.Go(func() {
		for !stop.Load() {
			if status, body, err := operatorsGet(operators, "/readyz"); err != nil || status != 200 {
				t.Errorf("/readyz answers %d %q, %v", status, body, err)
				return
			}
		}
	})
	before := openFiles(t, l.inCharge())
	for _, workers := range []string{"1", "3", "2"} {
		p.file("millrace.yaml", configuration+workers)
		old := l.upgrade()
		l.until("operators reach the successor", func() bool { return pidOf(operators) == l.inCharge() })
		l.ends(old, 0)
		c.goesOn()
	}
	stop.Store(true)
	watch.Wait()
	c.disperse()
	l.until("descriptors are as many as at first", func() bool { return openFiles(t, l.inCharge()) <= before+2 })
	if _, err := os.Lstat(p.web()); err != nil {
		t.Errorf("the file of the unix listener: %v", err)
	}
	l.signal(l.inCharge(), syscall.SIGTERM)
	l.ends(l.inCharge(), 0)
	if _, err := os.Lstat(p.web()); err == nil {
		t.Error("the file of the unix listener is left behind")
	}
	if n := l.count(`"level":"ERROR"`); n > 0 {
		t.Errorf("%d errors are logged", n)
	}
}

func openFiles(t *testing.T, pid int) int {
	all, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Error(err)
	}
	return len(all)
}

// Whatever is wrong with the successor, the process stays in charge, and the next good one
// takes over.
func TestE2EUpgradeThatFails(t *testing.T) {
	p := newPlace(t)
	operators := unused(t)
	good := p.operated(operators, "routes: [{local: {status: 200, body: hello}}]\n")
	l := p.found(good)
	f := func(reason string) {
		t.Helper()
		l.fails(reason)
		p.answers("200 hello")
		if pid := pidOf(operators); pid != l.inCharge() {
			t.Errorf("process %d is in charge, want %d", pid, l.inCharge())
		}
	}
	l.script("exit 3")
	f("exit status 3")
	l.script("kill -9 $$")
	f("signal: killed")
	l.script("exec 3<&- 4>&-; exec sleep 1000")
	f("does not want to take over")
	l.script(`echo '{"step":"begin","version":999}' >&4; exec sleep 1000`)
	f("needs a restart")
	l.script(`echo '{"step":"ready"}' >&4; exec sleep 1000`)
	f("instead of")
	l.script(`echo hello >&4; exec sleep 1000`)
	f("invalid character")
	l.install(p.file("garbage", "no program"))
	f("cannot start")
	if err := os.Remove(l.program); err != nil {
		t.Fatal(err)
	}
	f("no such file")
	l.install(binary)
	p.file("millrace.yaml", good+"colour: blue\n")
	f("exit status 1")
	p.file("millrace.yaml", strings.Replace(good, "listeners: [", "listeners: ['"+taken(t)+"', ", 1))
	f("exit status 1")
	if n := l.count(`"start failed"`); n != 1 {
		t.Errorf("%d successors failed to start, want 1", n)
	}
	p.file("millrace.yaml", strings.Replace(good, "hello", "good again", 1))
	l.ends(l.upgrade(), 0)
	p.answers("200 good again")
	for _, pid := range l.started() {
		l.until(fmt.Sprintf("process %d is gone", pid), func() bool { return pid == l.inCharge() || isGone(pid) })
	}
}

// isGone reports whether the process has ended, though perhaps nobody has asked how.
func isGone(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(text), ") Z ")
}

// While an upgrade is under way, no other one begins, and operators change nothing.
func TestE2EUpgradeTwiceAtOnce(t *testing.T) {
	p, o := newPlace(t), operator{t: t, address: unused(t)}
	l := p.found(p.operated(o.address, "routes: [{proxy: \"http://127.0.0.1:1\"}, {prefix: /x, local: {status: 200, body: hello}}]"))
	l.script(`while ! test -e go; do sleep 0.01; done; exec "` + binary + `" "$@"`)
	old := l.inCharge()
	l.signal(old, syscall.SIGUSR2)
	l.logs(`"upgrade started"`, 1)
	for i := range 3 {
		l.signal(old, syscall.SIGUSR2)
		l.logs(`"upgrade ignored"`, i+1)
	}
	var all []admin.Cluster
	o.read("/api/v1/clusters", &all)
	endpoint := "/api/v1/clusters/" + url.PathEscape(all[0].Name) + "/endpoints/" + all[0].Endpoints[0].ID
	o.posts("/api/v1/reload", "", 409, "an upgrade is under way")
	o.posts(endpoint, `{"weight": 2}`, 409, "an upgrade is under way")
	p.file("go", "")
	l.logs(`"took over"`, 1)
	l.ends(old, 0)
	if n := l.count(`"upgrade started"`); n != 1 {
		t.Errorf("%d upgrades were started", n)
	}
	o.posts("/api/v1/reload", "", 200, "false")
	o.posts(endpoint, `{"weight": 2}`, 200, `"weight":2`)
}

// The first process of a container, whose end would end its successor, refuses.
func TestE2EUpgradeOfProcessOne(t *testing.T) {
	p := newPlace(t)
	cmd := p.command("run", "-config", p.file("millrace.yaml", p.says("hello")))
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
	if err := exec.Command("unshare", "--pid", "--fork", "true").Run(); err != nil {
		t.Skipf("skipped: no other process namespace: %v", err)
	}
	d := p.startCommand(cmd)
	d.logs(`"listening"`)
	d.signal(syscall.SIGUSR2)
	d.logs(`"upgrade refused"`)
	d.logs("process 1")
	p.answers("200 hello")
	d.signal(syscall.SIGTERM)
	d.ends(0)
}

// A process that is told to stop takes a successor with it that is not in charge yet.
func TestE2EUpgradeAndStop(t *testing.T) {
	p := newPlace(t)
	l := p.found(p.says("hello"))
	l.script("exec sleep 1000")
	l.signal(l.inCharge(), syscall.SIGUSR2)
	l.logs(`"upgrade started"`, 1)
	l.signal(l.inCharge(), syscall.SIGTERM)
	l.ends(l.inCharge(), 0)
	all := l.started()
	l.until("the successor is gone", func() bool { return isGone(all[len(all)-1]) })
	if _, err := os.Lstat(p.web()); err == nil {
		t.Error("the file of the unix listener is left behind")
	}
}

// What is under way goes on at the old process, for shutdown_timeout at most, without
// shutdown_delay; one signal to it is one too many, two end it.
func TestE2EUpgradeFinishesWhatRuns(t *testing.T) {
	f := func(more string, code int, end func(l *lineage, old int, tunnel net.Conn)) {
		t.Helper()
		p := newPlace(t)
		l := p.found(fmt.Sprintf("listeners: [%q]\nadmin: false\nroutes: [{proxy: %q}]\nshutdown_delay: 1h\n%s", "unix:"+p.web(), tunnelling(t), more))
		tunnel := openTunnel(t, p.web())
		old := l.upgrade()
		for range 3 {
			useTunnel(t, tunnel)
			useTunnel(t, openTunnel(t, p.web()))
		}
		end(l, old, tunnel)
		l.ends(old, code)
		useTunnel(t, openTunnel(t, p.web()))
	}
	f("shutdown_timeout: 1h\n", 0, func(_ *lineage, _ int, tunnel net.Conn) { tunnel.Close() })
	f("shutdown_timeout: 300ms\n", 0, func(_ *lineage, _ int, tunnel net.Conn) {
		if n, err := tunnel.Read(make([]byte, 1)); err == nil || n > 0 {
			t.Error("the tunnel is still open")
		}
	})
	f("shutdown_timeout: 1h\n", 130, func(l *lineage, old int, tunnel net.Conn) {
		l.signal(old, syscall.SIGTERM)
		l.logs("draining already", 1)
		useTunnel(t, tunnel)
		l.signal(old, syscall.SIGTERM)
	})
}

// tunnelling is the URL of an upstream that opens tunnels, in which it sends back what comes.
func tunnelling(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				from := bufio.NewReader(conn)
				if _, err := http.ReadRequest(from); err == nil {
					io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n")
					io.Copy(conn, from)
				}
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

func openTunnel(t *testing.T, path string) net.Conn {
	t.Helper()
	conn, err := net.DialTimeout("unix", path, e2eLimit)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(e2eLimit))
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
	var head []byte
	for b := make([]byte, 1); !strings.HasSuffix(string(head), "\r\n\r\n"); head = append(head, b...) {
		if _, err := io.ReadFull(conn, b); err != nil {
			t.Fatalf("%v behind %q", err, head)
		}
	}
	if !strings.HasPrefix(string(head), "HTTP/1.1 101 ") {
		t.Fatalf("no tunnel but %q", head)
	}
	return conn
}

func useTunnel(t *testing.T, conn net.Conn) {
	t.Helper()
	b := []byte("ping")
	_, err := conn.Write(b)
	if err == nil {
		_, err = io.ReadFull(conn, b)
	}
	if err != nil || string(b) != "ping" {
		t.Errorf("through the tunnel came %q, %v", b, err)
	}
}

// An open circuit, what operators said, and cookies hold over upgrades.
func TestE2EUpgradeKeepsState(t *testing.T) {
	p, o := newPlace(t), operator{t: t, address: unused(t)}
	one, two := echoing(t, echoOptions{}), echoing(t, echoOptions{Status: 203})
	l := p.found(p.operated(o.address, fmt.Sprintf(`
routes:
  - {cluster: web}
  - {prefix: /dead, cluster: dead}
clusters:
  web: {affinity: {cookie: {name: tie}}, upstreams: [%q, %q]}
  dead: {circuit_breaker: {max_fails: 1, open_duration: 1h}, upstreams: ["http://%s"]}
`, one, two, unused(t))))
	to := func(path, cookie string) (int, string) {
		t.Helper()
		r, err := http.NewRequest("GET", "http://a.example"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Cookie", cookie)
		answer, err := client(p.web()).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		cookie, _, _ = strings.Cut(answer.Header.Get("Set-Cookie"), ";")
		return answer.StatusCode, cookie
	}
	if status, _ := to("/dead", ""); status != 502 {
		t.Fatalf("the dead endpoint answers %d", status)
	}
	status, cookie := to("/", "")
	other := map[int]string{200: two, 203: one}[status]
	shown := func() (endpoints []admin.Endpoint) {
		var all []admin.Cluster
		o.read("/api/v1/clusters", &all)
		for _, c := range all {
			endpoints = append(endpoints, c.Endpoints...)
		}
		return endpoints
	}
	for _, e := range shown() {
		if e.URL == other {
			o.posts("/api/v1/clusters/web/endpoints/"+e.ID, `{"state": "stopped", "weight": 7}`, 200, `"stopped"`)
		}
	}
	for range 2 {
		l.ends(l.upgrade(), 0)
		i := slices.IndexFunc(shown(), func(e admin.Endpoint) bool { return e.URL == other })
		if e := shown()[i]; e.State != "stopped" || e.Weight != 7 {
			t.Errorf("%+v, want it stopped, with weight 7", e)
		}
		if i = slices.IndexFunc(shown(), func(e admin.Endpoint) bool { return e.Circuit == "open" }); i < 0 {
			t.Errorf("no circuit is open: %+v", shown())
		}
		if got, _ := to("/dead", ""); got != 503 {
			t.Errorf("the endpoint with the open circuit answers %d", got)
		}
		for range 5 {
			if got, another := to("/", cookie); got != status || another != "" {
				t.Errorf("with the cookie %q the answer is %d with another one, %q, want %d", cookie, got, another, status)
			}
		}
	}
}

// systemd hears of the successor, then from it. Neither it nor its sockets know that there was
// another process before.
func TestE2EUpgradeUnderTheServiceManager(t *testing.T) {
	p := newPlace(t)
	m := listenAs(t, filepath.Join(p.dir, "notify"))
	web, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	p.env = append(p.env, "NOTIFY_SOCKET="+m.conn.LocalAddr().String(), "WATCHDOG_USEC=200000")
	l := p.found(fmt.Sprintf("workers: 2\nlisteners: [%q]\nadmin: false\nroutes: [{local: {status: 200}}]\n", web.Addr()), socketOf(t, web.(*net.TCPListener)))
	c := gather(t, web.Addr().String())
	defer c.disperse()
	m.expects("READY=1\n")
	for range 2 {
		l.ends(l.upgrade(), 0)
		m.expects(fmt.Sprintf("MAINPID=%d", l.inCharge()), "READY=1\n")
		m.hears("WATCHDOG=1")
		c.goesOn()
	}
	c.disperse()
	l.signal(l.inCharge(), syscall.SIGTERM)
	m.expects("STOPPING=1\n")
	l.ends(l.inCharge(), 0)
}
