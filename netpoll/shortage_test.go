package netpoll_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"millrace/netpoll"
)

// children are the parts that a process of this test can play, see childVariable. Each
// returns the exit code.
var children = map[string]func() int{
	"accept":   acceptWithFewDescriptors,
	"dial":     dialWithoutDescriptors,
	"standard": startWithoutStandardDescriptors,
}

// childDescriptors is the limit that shortages are tried under.
const childDescriptors = 64

// child is a process of this test that plays a part.
func child(t *testing.T, part string) *exec.Cmd {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("skipped: written for Linux")
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+part, "GORACE=atexit_sleep_ms=0", "GOCOVERDIR="+t.TempDir())
	cmd.Stderr = os.Stderr
	return cmd
}

func complain(args ...any) int {
	fmt.Fprintln(os.Stderr, args...)
	return 1
}

// acceptWithFewDescriptors is a loop that echoes. For each line that it reads it writes
// one: the errors it was told, and its CPU time so far.
func acceptWithFewDescriptors() int {
	if err := limitDescriptors(); err != nil {
		return complain(err)
	}
	l, err := netpoll.NewLoop(netpoll.NewClock())
	if err != nil {
		return complain(err)
	}
	s, err := netpoll.Bind(loopback, false)
	if err != nil {
		return complain(err)
	}
	a := &acceptor{accept: serveEcho}
	if _, err := l.Listen(s, a); err != nil {
		return complain(err)
	}
	go func() { _ = l.Run() }()
	fmt.Println(s.Addr())
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		fmt.Println(a.failed.Load(), cpuTime().Nanoseconds())
	}
	return 0
}

func limitDescriptors() error {
	return unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: childDescriptors, Max: childDescriptors})
}

func cpuTime() time.Duration {
	var use unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &use)
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// More clients than descriptors: those that are in are served, the loop neither spins nor
// tells an error for each of the others, and goes on by itself.
func TestAcceptWithoutDescriptors(t *testing.T) {
	cmd := child(t, "accept")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}()
	lines := bufio.NewReader(out)
	text, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	addr := netpoll.Addr{IP: netip.MustParseAddrPort(text[:len(text)-1])}
	ask := func() (errs int64, cpu time.Duration) {
		t.Helper()
		_, _ = io.WriteString(in, "\n")
		if _, err := fmt.Fscanln(lines, &errs, &cpu); err != nil {
			t.Fatal(err)
		}
		return errs, cpu
	}

	began := time.Now()
	_, before := ask()
	var conns [3 * childDescriptors]*net.TCPConn
	for i := range conns {
		conns[i] = connect(t, addr)
	}
	var errs int64
	var cpu time.Duration
	eventually(t, func() bool {
		errs, cpu = ask()
		return errs >= 4
	})
	took := time.Since(began)
	if most := 2 + int64(took/(80*time.Millisecond)); errs > most {
		t.Errorf("%d errors in %v, want at most %d", errs, took, most)
	}
	if cpu -= before; cpu > took/2 {
		t.Errorf("%v of CPU time in %v", cpu, took)
	}
	ping(t, conns[0])
	for _, c := range conns[:2*childDescriptors+20] {
		_ = c.Close()
	}
	for _, c := range conns[2*childDescriptors+20:] {
		ping(t, c)
	}
}

// dialWithoutDescriptors uses up all descriptors, then dials.
func dialWithoutDescriptors() int {
	l, err := netpoll.NewLoop(netpoll.NewClock())
	if err != nil {
		return complain(err)
	}
	s, err := netpoll.Bind(loopback, false)
	if err != nil {
		return complain(err)
	}
	if err := limitDescriptors(); err != nil {
		return complain(err)
	}
	for {
		if _, err := unix.Open(os.DevNull, unix.O_RDONLY, 0); err != nil {
			break
		}
	}
	p := &dialPart{loop: l, addr: s.Addr()}
	if err := l.Post(p.first); err != nil {
		return complain(err)
	}
	if err := l.Run(); err != nil {
		return complain(err)
	}
	if p.fault != "" {
		return complain(p.fault)
	}
	return 0
}

// dialPart dials three times: with the loop's reserve, without, and with it again.
type dialPart struct {
	loop  *netpoll.Loop
	addr  netpoll.Addr
	step  int
	conn  *netpoll.Conn
	fault string
}

func (p *dialPart) first() { p.loop.Dial(p.addr, patience, p) }

func (p *dialPart) OnConnected(c *netpoll.Conn) {
	c.SetHandler(&handler{})
	switch p.step++; p.step {
	case 1:
		p.conn = c
		p.loop.Dial(p.addr, patience, p)
	case 3:
		p.loop.Stop()
	default:
		p.fail("connected without a descriptor")
	}
}

func (p *dialPart) OnDialError(err error) {
	p.step++
	if p.step != 2 || !errors.Is(err, netpoll.ErrShortage) || !errors.Is(err, unix.EMFILE) {
		p.fail(fmt.Sprintf("dial %d: %v", p.step, err))
		return
	}
	p.conn.Close()
	p.again(5) // closing takes some turns
}

// again dials after a number of turns.
func (p *dialPart) again(turns int) {
	if turns == 0 {
		p.loop.Dial(p.addr, patience, p)
		return
	}
	p.loop.RunLater(later(func() { p.again(turns - 1) }))
}

func (p *dialPart) fail(text string) {
	p.fault = text
	p.loop.Stop()
}

func TestDialWithoutDescriptors(t *testing.T) {
	if err := child(t, "dial").Run(); err != nil {
		t.Error(err)
	}
}

// startWithoutStandardDescriptors closes some of descriptors 0 to 2.
func startWithoutStandardDescriptors() int {
	_ = unix.Close(0)
	_ = unix.Close(1)
	if err := netpoll.OccupyStandardDescriptors(); err != nil {
		return complain(err)
	}
	for fd, want := range []string{os.DevNull, os.DevNull} {
		if got, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd)); got != want {
			return complain("descriptor", fd, "is", got, err)
		}
	}
	before, _ := os.Readlink("/proc/self/fd/2")
	if err := netpoll.OccupyStandardDescriptors(); err != nil {
		return complain(err)
	}
	if after, err := os.Readlink("/proc/self/fd/2"); after != before {
		return complain("descriptor 2 is now", after, err)
	}
	return 0
}

func TestOccupyStandardDescriptors(t *testing.T) {
	if err := child(t, "standard").Run(); err != nil {
		t.Error(err)
	}
}

func TestRaiseDescriptorLimit(t *testing.T) {
	var before, after unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	got, err := netpoll.RaiseDescriptorLimit()
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &after); err != nil {
		t.Fatal(err)
	}
	if uint64(got) != min(uint64(after.Cur), 1<<30) || after.Cur < before.Cur {
		t.Errorf("got %d, the limit was %d and is %d", got, before.Cur, after.Cur)
	}
}

// What the poller logs goes where it is told to.
func TestRouteLog(t *testing.T) {
	var lines atomic.Int64
	netpoll.RouteLog(func(string, ...any) { lines.Add(1) })
	netpoll.LogError("a fault")
	if lines.Load() != 1 {
		t.Errorf("%d lines were logged, want 1", lines.Load())
	}
}
