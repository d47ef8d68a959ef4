package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"millrace/engine"
)

// The steps of a hand-over, each a message. They come in this order, or the pipes end.
const (
	stepBegin = "begin" // successor: send what you know
	stepState = "state" // predecessor: here it is
	stepReady = "ready" // successor: clients are served
	stepGo    = "go"    // predecessor: you are on your own
)

// A handoverMessage is a step with what belongs to it.
type handoverMessage struct {
	Step    string `json:"step"`
	Version int    `json:"version,omitempty"` // of begin
	// Of state.
	Sockets []engine.PassedSocket `json:"sockets,omitempty"` // of listeners, in the order of the descriptors
	Admin   string                `json:"admin,omitempty"`   // address of the operators' listener, whose socket is the last one; empty = none
	State   json.RawMessage       `json:"state,omitempty"`
}

// A link is one process's end of the two pipes to the other process of a hand-over. One
// goroutine at a time uses it.
type link struct {
	from, to *os.File
	decoder  *json.Decoder
}

func newLink(from, to *os.File) *link {
	return &link{from: from, to: to, decoder: json.NewDecoder(from)}
}

// newLinks makes both ends. Neither outlives an exec by itself.
func newLinks() (own, other *link, err error) {
	there, to, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	from, back, err := os.Pipe()
	if err != nil {
		there.Close()
		to.Close()
		return nil, nil, err
	}
	return newLink(from, to), newLink(there, back), nil
}

// within bounds all that follows. It is for the end of the process that began.
func (l *link) within(limit time.Duration) error {
	end := time.Now().Add(limit)
	return errors.Join(l.from.SetReadDeadline(end), l.to.SetWriteDeadline(end))
}

func (l *link) send(m *handoverMessage) error {
	return json.NewEncoder(l.to).Encode(m)
}

// expect waits for the next message, which must be of that step. The end of the pipe is
// io.EOF.
func (l *link) expect(step string) (*handoverMessage, error) {
	m := new(handoverMessage)
	err := l.decoder.Decode(m)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, io.EOF
	case err != nil:
		return nil, err
	case m.Step != step:
		return nil, fmt.Errorf("it says %q instead of %q", m.Step, step)
	}
	return m, nil
}

func (l *link) close() {
	l.from.Close()
	l.to.Close()
}
