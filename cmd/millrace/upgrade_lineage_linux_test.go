package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A lineage is a program, and those that take over from it, one after the other. It has a
// copy of the program under test of its own, which can be replaced.
type lineage struct {
	*place
	program string
	journal string // what all of them log
	pids    []int  // of all that were in charge; the last one is
	codes   map[int]int
}

// found starts the first program of a lineage with the configuration. None of them outlives
// the test.
func (p *place) found(configuration string, more ...*os.File) *lineage {
	p.t.Helper()
	// Those that take over become children of this process when theirs ends.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		p.t.Fatal(err)
	}
	l := &lineage{place: p, program: filepath.Join(p.dir, "millrace"), codes: make(map[int]int)}
	l.install(binary)
	l.journal = p.file("log", "")
	log, err := os.OpenFile(l.journal, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		p.t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command(l.program, "run", "-config", p.file("millrace.yaml", configuration))
	if len(more) > 0 {
		cmd = exec.Command("/bin/sh", "-c", `LISTEN_PID=$$ exec "$0" "$@"`, l.program, "run", "-config", p.dir+"/millrace.yaml")
		p.env = append(p.env, fmt.Sprint("LISTEN_FDS=", len(more)))
	}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = p.dir, p.env, log, log, more
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	l.pids = []int{cmd.Process.Pid}
	p.t.Cleanup(l.extinguish)
	l.logs(`"listening"`, 1)
	return l
}

// extinguish ends whatever the lineage has started.
func (l *lineage) extinguish() {
	for _, pid := range l.started() {
		if _, ended := l.codes[pid]; !ended {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	if l.t.Failed() {
		l.t.Logf("the log:\n%s", l.log())
	}
}

// started are the processes that the lineage has started, as far as its log goes.
func (l *lineage) started() []int {
	pids := slices.Clone(l.pids)
	for _, match := range successorPID.FindAllStringSubmatch(l.log(), -1) {
		if pid, _ := strconv.Atoi(match[1]); !slices.Contains(pids, pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

var successorPID = regexp.MustCompile(`"successor.pid":(\d+)`)

// install puts the program at path into the lineage's place by a rename, as packages do.
func (l *lineage) install(path string) {
	l.t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(l.program+".new", text, 0o700)
	}
	if err == nil {
		err = os.Rename(l.program+".new", l.program)
	}
	if err != nil {
		l.t.Fatal(err)
	}
}

// script makes a shell script the lineage's next program.
func (l *lineage) script(text string) {
	l.t.Helper()
	l.install(l.file("script", "#!/bin/sh\n"+text+"\n"))
}

func (l *lineage) log() string {
	text, err := os.ReadFile(l.journal)
	if err != nil {
		l.t.Error(err)
	}
	return string(text)
}

func (l *lineage) count(text string) int { return strings.Count(l.log(), text) }

// until waits for what must come.
func (l *lineage) until(what string, come func() bool) {
	l.t.Helper()
	for begin := time.Now(); !come(); time.Sleep(5 * time.Millisecond) {
		if time.Since(begin) > e2eLimit {
			l.t.Fatalf("not in time: %s", what)
		}
	}
}

// logs waits until the log has text so many times.
func (l *lineage) logs(text string, times int) {
	l.t.Helper()
	l.until(fmt.Sprintf("the log has %s %d times", text, times), func() bool { return l.count(text) >= times })
}

// inCharge is the process that is.
func (l *lineage) inCharge() int { return l.pids[len(l.pids)-1] }

func (l *lineage) signal(pid int, s syscall.Signal) {
	l.t.Helper()
	if err := syscall.Kill(pid, s); err != nil {
		l.t.Fatalf("process %d: %v", pid, err)
	}
}

// upgrade has another process take over, and returns the one that did not stay in charge.
func (l *lineage) upgrade() (before int) {
	l.t.Helper()
	before = l.inCharge()
	l.signal(before, syscall.SIGUSR2)
	l.logs(`"took over"`, len(l.pids))
	all := l.started()
	l.pids = append(l.pids, all[len(all)-1])
	return before
}

// fails asks for an upgrade that must come to nothing, for a reason with that text.
func (l *lineage) fails(reason string) {
	l.t.Helper()
	before := l.count(`"upgrade failed"`)
	l.signal(l.inCharge(), syscall.SIGUSR2)
	l.logs(`"upgrade failed"`, before+1)
	if line := l.lastLine(`"upgrade failed"`); !strings.Contains(line, reason) {
		l.t.Errorf("logged %s, want %q", line, reason)
	}
}

// lastLine is the last one of the log with text.
func (l *lineage) lastLine(text string) (last string) {
	for line := range strings.Lines(l.log()) {
		if strings.Contains(line, text) {
			last = line
		}
	}
	return last
}

// ends waits for the end of a process, which must be with this code.
func (l *lineage) ends(pid, code int) {
	l.t.Helper()
	l.until(fmt.Sprintf("process %d ends", pid), func() bool {
		var status syscall.WaitStatus
		got, err := syscall.Wait4(pid, &status, syscall.WNOHANG, nil)
		if got == pid {
			l.codes[pid] = status.ExitStatus()
		}
		return got == pid || err == syscall.ECHILD && syscall.Kill(pid, 0) != nil
	})
	if got, ok := l.codes[pid]; !ok || got != code {
		l.t.Errorf("process %d ended with code %d (%v), want %d", pid, got, ok, code)
	}
}
