package process

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

// burn starts a shell that works in a child and reports when it is done.
func burn(t *testing.T) *Process {
	t.Helper()
	p, err := Start(t.TempDir(), "sh", "-c", "sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo done; sleep 60' & wait")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	for end := time.Now().Add(20 * time.Second); p.Output() != "done\n"; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the shell does not come to an end")
		}
	}
	return p
}

func TestUsageCountsChildren(t *testing.T) {
	p := burn(t)
	u, err := p.Usage()
	if err != nil {
		t.Fatal(err)
	}
	// The work takes over 100 ms on any machine; ticks agree within their step.
	if u.CPU < 20*time.Millisecond {
		t.Errorf("used %v, want the child's work in it", u.CPU)
	}
	if diff := (u.User + u.System - u.CPU).Abs(); diff > u.CPU/4+4*tick {
		t.Errorf("user %v + system %v is not %v", u.User, u.System, u.CPU)
	}
	pids, err := p.Family()
	if err != nil || len(pids) < 2 {
		t.Errorf("family %v, %v, want the shell and its child", pids, err)
	}
	bytes, err := p.Memory()
	if err != nil || bytes < 10<<10 || bytes > 100<<20 {
		t.Errorf("memory %d, %v", bytes, err)
	}
	for _, pid := range pids[1:] { // the shell's child outlives it otherwise
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

func TestResident(t *testing.T) {
	const status = "Name:\tx\nVmRSS:\t    5000 kB\nRssAnon:\t    3000 kB\nRssFile:\t    1900 kB\nRssShmem:\t     100 kB\n"
	if got := resident(status); got != 3100<<10 {
		t.Errorf("got %d, want %d", got, 3100<<10)
	}
}

func TestListening(t *testing.T) {
	p, err := Start(t.TempDir(), "sh", "-c", "echo no port for you; exit 3")
	if err != nil {
		t.Fatal(err)
	}
	addr, err := FreePort()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Listening(addr, 10*time.Second); err == nil || !strings.Contains(err.Error(), "no port for you") {
		t.Errorf("got %v, want what the program wrote", err)
	}
	p.Stop()
}

func TestStopKillsTheDeaf(t *testing.T) {
	p, err := Start(t.TempDir(), "sh", "-c", "trap '' TERM; echo up; while :; do sleep 0.1; done")
	if err != nil {
		t.Fatal(err)
	}
	for p.Output() != "up\n" {
		time.Sleep(time.Millisecond)
	}
	p.limit = 50 * time.Millisecond
	p.Stop()
	if _, err := p.Usage(); err == nil {
		t.Error("it still runs")
	}
}
