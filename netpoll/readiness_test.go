package netpoll

import "testing"

// heard counts what a connection's handler is told.
type heard struct{ readable, writable int }

func (h *heard) OnReadable() { h.readable++ }
func (h *heard) OnWritable() { h.writable++ }

// What reports, one after the other, make of a connection on which nothing is read.
func TestReports(t *testing.T) {
	f := func(name string, c Conn, told int, reports ...readiness) {
		t.Helper()
		var h heard
		c.handler = &h
		for _, r := range reports {
			c.ready(r)
		}
		if h.readable != told || h.writable != 0 {
			t.Errorf("%s: told %d times of reading and %d of writing, want %d and 0", name, h.readable, h.writable, told)
		}
	}
	const end = readReady | readClosed
	f("room", Conn{}, 0, writeReady)
	f("bytes", Conn{}, 1, readReady)
	f("bytes and room", Conn{}, 1, readReady|writeReady)
	f("more bytes", Conn{}, 2, readReady, readReady)
	f("room beside bytes that were left", Conn{}, 1, readReady, writeReady)
	f("end", Conn{}, 1, end)
	f("end that was read", Conn{ended: true, hungUp: true}, 0, end, end|writeReady)
	f("break behind an end that was read", Conn{ended: true, hungUp: true}, 1, end, end|socketBroke, end|socketBroke)
	f("closed", Conn{closed: true}, 0, readReady|readClosed|socketBroke)
}
