package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"
)

// notifyTimeout bounds how long the service manager may take to accept a message.
const notifyTimeout = time.Second

// closingTime is what the end of the process may take beyond draining.
const closingTime = 5 * time.Second

// A notifier tells the service manager what the process is doing, by the protocol of
// sd_notify(3): datagrams of NAME=value lines to the unix socket NOTIFY_SOCKET. One that
// nobody listens to does nothing. What cannot be delivered is logged and lost. Its methods
// are safe for concurrent use.
type notifier struct {
	address *net.UnixAddr // nil = nobody listens
	every   time.Duration // between signs of life; 0 = none are wanted
	log     *slog.Logger

	mu      sync.Mutex
	conn    *net.UnixConn // kept, so that a sign of life needs no new descriptor
	leaving bool          // stopping was sent, behind which nothing is ready any more
	silent  bool          // another process speaks for the service
}

// newNotifier reads the environment, through lookup, of the process pid.
func newNotifier(lookup func(string) string, pid int, log *slog.Logger) *notifier {
	n := &notifier{log: log}
	name := lookup("NOTIFY_SOCKET")
	switch {
	case name == "":
		return n
	case name[0] != '/' && name[0] != '@': // '@' stands for an abstract address
		n.failed(fmt.Errorf("cannot send to NOTIFY_SOCKET %q: want /path or @name", name))
		return n
	}
	n.address = &net.UnixAddr{Name: name, Net: "unixgram"}
	var err error
	if n.every, err = watchdogInterval(lookup, pid); err != nil {
		n.failed(err)
	}
	return n
}

// watchdogInterval is how often the process pid shows a sign of life: twice in the time
// after which the service manager takes it for dead. 0 = never.
func watchdogInterval(lookup func(string) string, pid int) (time.Duration, error) {
	text := lookup("WATCHDOG_USEC")
	if meant := lookup("WATCHDOG_PID"); text == "" || meant != "" && meant != strconv.Itoa(pid) {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 || n > int64(365*24*time.Hour/time.Microsecond) {
		return 0, fmt.Errorf("WATCHDOG_USEC is %q: want microseconds", text)
	}
	return time.Duration(n) * time.Microsecond / 2, nil
}

// ready says that clients are served: after the start, and at the end of every reload,
// whatever came of it.
func (n *notifier) ready(status string) {
	n.send("READY=1", "STATUS="+status)
}

// reloading says that a reload has begun. ready must follow.
func (n *notifier) reloading() {
	lines := []string{"RELOADING=1"}
	if now := monotonicMicroseconds(); now > 0 {
		lines = append(lines, fmt.Sprintf("MONOTONIC_USEC=%d", now))
	}
	n.send(lines...)
}

// stopping says that the process drains, for at most limit, which may be longer than the
// service manager would wait. Of what is sent later, signs of life alone count.
func (n *notifier) stopping(limit time.Duration) {
	limit += closingTime
	n.send("STOPPING=1", "STATUS=draining", fmt.Sprintf("EXTEND_TIMEOUT_USEC=%d", limit.Microseconds()))
}

// passOn makes the process pid the one that the service manager watches and listens to.
func (n *notifier) passOn(pid int) { n.send(fmt.Sprintf("MAINPID=%d", pid)) }

// silence has nothing sent any more.
func (n *notifier) silence() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.silent = true
}

// feed shows signs of life until stop is closed, as long as healthy says that there are
// any. healthy may take its time: a late answer is no sign of life.
func (n *notifier) feed(stop <-chan struct{}, healthy func() bool) {
	if n.every == 0 {
		return
	}
	tick := time.NewTicker(n.every)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
			if healthy() {
				n.send("WATCHDOG=1")
			} else {
				n.failed(errors.New("not every event loop turns: the watchdog is not fed"))
			}
		}
	}
}

// send delivers one message.
func (n *notifier) send(lines ...string) {
	if n.address == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.silent || n.leaving && lines[0] != "WATCHDOG=1" {
		return
	}
	n.leaving = n.leaving || lines[0] == "STOPPING=1"
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], "\n", " ")
	}
	if err := n.write(strings.Join(lines, "\n")); err != nil {
		n.failed(err)
	}
}

// write sends text. A connection that does not take it is replaced once: the service
// manager may have started anew.
func (n *notifier) write(text string) error {
	if n.conn != nil {
		if n.writeOnce(text) == nil {
			return nil
		}
		n.conn.Close()
		n.conn = nil
	}
	conn, err := net.DialUnix("unixgram", nil, n.address)
	if err != nil {
		return err
	}
	n.conn = conn
	return n.writeOnce(text)
}

func (n *notifier) writeOnce(text string) error {
	if err := n.conn.SetWriteDeadline(time.Now().Add(notifyTimeout)); err != nil {
		return err
	}
	_, err := n.conn.Write([]byte(text))
	return err
}

func (n *notifier) failed(err error) {
	n.log.Warn("service manager not told", slog.String("error.message", err.Error()))
}
