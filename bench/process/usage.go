package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of user and system time in /proc: USER_HZ is 100 on every
// Linux that is alive.
const tick = time.Second / 100

// A Usage is the CPU time that a process and its children have used.
type Usage struct {
	CPU    time.Duration // exact, from the scheduler, of the threads alive
	User   time.Duration // in steps of 10 ms
	System time.Duration // in steps of 10 ms
}

// Sub returns what was used since before.
func (u Usage) Sub(before Usage) Usage {
	return Usage{u.CPU - before.CPU, u.User - before.User, u.System - before.System}
}

// Usage returns what the process and its children have used until now.
func (p *Process) Usage() (sum Usage, err error) {
	pids, err := p.Family()
	if err != nil {
		return sum, err
	}
	for _, pid := range pids {
		u, err := usage(pid)
		if err != nil {
			return sum, err
		}
		sum.CPU += u.CPU
		sum.User += u.User
		sum.System += u.System
	}
	return sum, nil
}

func usage(pid int) (u Usage, err error) {
	fields, err := statFields(pid)
	if err != nil {
		return u, err
	}
	u.User = time.Duration(number(fields[11])) * tick
	u.System = time.Duration(number(fields[12])) * tick
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(tasks) == 0 {
		return u, fmt.Errorf("process %d has no schedstat", pid)
	}
	for _, task := range tasks {
		text, err := os.ReadFile(task)
		if err != nil {
			continue // the thread ended just now
		}
		ran, _, _ := strings.Cut(string(text), " ")
		u.CPU += time.Duration(number(ran))
	}
	return u, nil
}

// Memory returns how many bytes of the process and its children are in memory
// and are no file's: VmRSS - RssFile.
func (p *Process) Memory() (bytes int64, err error) {
	pids, err := p.Family()
	if err != nil {
		return 0, err
	}
	for _, pid := range pids {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			return 0, err
		}
		bytes += resident(string(text))
	}
	return bytes, nil
}

// resident computes VmRSS - RssFile, in bytes, from the text of a status file.
func resident(status string) (bytes int64) {
	for line := range strings.Lines(status) {
		name, value, _ := strings.Cut(line, ":")
		kilobytes := number(strings.TrimSuffix(strings.TrimSpace(value), " kB"))
		switch name {
		case "VmRSS":
			bytes += kilobytes << 10
		case "RssFile":
			bytes -= kilobytes << 10
		}
	}
	return bytes
}

// Family returns the process and all that descend from it.
func (p *Process) Family() (pids []int, err error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	children := map[int][]int{}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if fields, err := statFields(pid); err == nil {
			parent := int(number(fields[1]))
			children[parent] = append(children[parent], pid)
		}
	}
	pids = []int{p.Pid}
	for i := 0; i < len(pids); i++ {
		pids = append(pids, children[pids[i]]...)
	}
	return pids, nil
}

// statFields returns the fields of /proc/PID/stat behind the name, which may
// hold blanks: fields[0] is the state.
func statFields(pid int) ([]string, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 13 {
		return nil, fmt.Errorf("process %d: short stat", pid)
	}
	return fields, nil
}

// number reads a decimal of the kernel's.
func number(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64)
	return n
}
