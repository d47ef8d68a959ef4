package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// binary is the program under test, built once by TestMain.
var binary string

// e2eLimit is how long anything may take that is expected to happen, on a busy machine.
const e2eLimit = 30 * time.Second

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "millrace-e2e-")
	if err == nil {
		binary = filepath.Join(dir, "millrace")
		build := exec.Command("go", "build", "-buildvcs=false", "-o", binary, ".")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		build.Stderr = os.Stderr
		err = build.Run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "cannot build the program under test:", err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// A place is a folder of its own to run the program in, with an environment of its own.
type place struct {
	t   *testing.T
	dir string
	env []string
}

func newPlace(t *testing.T, env ...string) *place {
	t.Helper()
	return &place{t, t.TempDir(), append([]string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}, env...)}
}

// file writes a file of the folder and returns its path.
func (p *place) file(name, text string) string {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return path
}

func (p *place) command(args ...string) *exec.Cmd {
	cmd := exec.Command(binary, args...)
	cmd.Dir, cmd.Env = p.dir, p.env
	cmd.WaitDelay = e2eLimit
	return cmd
}

// A result is what a program left behind that ended by itself.
type result struct {
	code           int
	stdout, stderr string
}

// execute runs the program to its end.
func (p *place) execute(args ...string) result {
	p.t.Helper()
	d := p.start(args...)
	return result{d.wait(), d.stdout.String(), d.stderr.String()}
}

// A daemon is the program while it runs. It does not outlive its test.
type daemon struct {
	t              *testing.T
	cmd            *exec.Cmd
	stdout, stderr transcript
	exited         chan struct{}
}

func (p *place) start(args ...string) *daemon {
	p.t.Helper()
	return p.startCommand(p.command(args...))
}

func (p *place) startCommand(cmd *exec.Cmd) *daemon {
	p.t.Helper()
	d := &daemon{t: p.t, cmd: cmd, exited: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &d.stdout, &d.stderr
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	go func() {
		cmd.Wait() // what it says is in ProcessState
		close(d.exited)
	}()
	p.t.Cleanup(func() {
		cmd.Process.Kill()
		<-d.exited
	})
	return d
}

// serve starts "run" with the configuration and waits until clients are served.
func (p *place) serve(configuration string) *daemon {
	p.t.Helper()
	d := p.start("run", "-config", p.file("millrace.yaml", configuration))
	d.logs(`"listening"`)
	return d
}

func (d *daemon) signal(s syscall.Signal) {
	d.t.Helper()
	if err := d.cmd.Process.Signal(s); err != nil {
		d.t.Fatal(err)
	}
}

// wait returns the exit code.
func (d *daemon) wait() int {
	d.t.Helper()
	select {
	case <-d.exited:
		return d.cmd.ProcessState.ExitCode()
	case <-time.After(e2eLimit):
		d.t.Fatalf("%s does not end: %s", d.cmd.Args, d.stderr.String())
		return -1
	}
}

// ends waits for the end, which must be with this code.
func (d *daemon) ends(code int) {
	d.t.Helper()
	if got := d.wait(); got != code {
		d.t.Errorf("exit code %d, want %d: %s", got, code, d.stderr.String())
	}
}

// logs waits until stderr has text.
func (d *daemon) logs(text string) {
	d.t.Helper()
	d.until("stderr has "+text, func() bool { return strings.Contains(d.stderr.String(), text) })
}

// until waits for what must come while the program runs.
func (d *daemon) until(what string, come func() bool) {
	d.t.Helper()
	for begin := time.Now(); !come(); time.Sleep(5 * time.Millisecond) {
		select {
		case <-d.exited:
			if !come() {
				d.t.Fatalf("exit code %d before %s: %s", d.cmd.ProcessState.ExitCode(), what, d.stderr.String())
			}
			return
		default:
		}
		if time.Since(begin) > e2eLimit {
			d.t.Fatalf("not in time: %s: %s", what, d.stderr.String())
		}
	}
}

// client returns one for the listener on the unix socket path. Each request has a
// connection of its own.
func client(path string) *http.Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}
	return &http.Client{Timeout: e2eLimit, Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}
}

// web is the path of the unix socket that most tests listen on.
func (p *place) web() string { return filepath.Join(p.dir, "web") }

// get returns the first line of what the listener on the unix socket "web" answers, or what
// went wrong.
func (p *place) get() string {
	response, err := client(p.web()).Get("http://a.example/")
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	line, _, err := bufio.NewReader(response.Body).ReadLine()
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d %s", response.StatusCode, line)
}

// answers fails unless get is want.
func (p *place) answers(want string) {
	p.t.Helper()
	if got := p.get(); got != want {
		p.t.Errorf("the answer is %q, want %q", got, want)
	}
}

// says is a configuration that answers text on the unix socket "web" and has no other
// listener; more is added to it.
func (p *place) says(text string, more ...string) string {
	return fmt.Sprintf("listeners: [%q]\nadmin: false\nroutes: [{local: {status: 200, body: %q}}]\n%s",
		"unix:"+p.web(), text, strings.Join(more, "\n"))
}

// taken returns an address that is in use until the test ends.
func taken(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

// unused returns an address that nobody listens on, as far as that can be known.
func unused(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
