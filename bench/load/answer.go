package main

import (
	"bytes"
	"errors"
	"strconv"
)

// Faults of an answer.
var (
	errHead  = errors.New("malformed head")
	errChunk = errors.New("malformed chunk")
)

const headLimit = 64 << 10 // bytes

// A phase says what an answer expects next.
type phase uint8

const (
	inHead    phase = iota
	inBody          // left bytes of a counted body
	toClose         // a body that ends with the connection
	inSize          // a chunk's size line
	inChunk         // left bytes of chunk data and its CRLF
	inTrailer       // lines after the last chunk
)

// An answer reads one response piece by piece. The zero value expects a new one.
type answer struct {
	status int // of the head that was read
	closes bool
	bare   bool // the request was a HEAD: no body follows
	phase  phase
	left   int64
	line   []byte // a head or line that came in pieces
}

// next prepares for the next response.
func (a *answer) next() {
	*a = answer{bare: a.bare, line: a.line[:0]}
}

// feed consumes from p. done reports that the response is complete; n is how
// many bytes belong to it.
func (a *answer) feed(p []byte) (n int, done bool, err error) {
	for n < len(p) {
		used := 0
		switch a.phase {
		case inHead:
			used, done, err = a.head(p[n:])
		case toClose:
			return len(p), false, nil
		case inBody, inChunk:
			used = int(min(a.left, int64(len(p)-n)))
			if a.left -= int64(used); a.left == 0 {
				done = a.phase == inBody
				a.phase = inSize
			}
		case inSize, inTrailer:
			used, done, err = a.chunkLine(p[n:])
		}
		if n += used; done || err != nil {
			return n, done, err
		}
	}
	return n, false, nil
}

// head looks for a whole head in what came before and p.
func (a *answer) head(p []byte) (used int, done bool, err error) {
	text, used := a.upTo(p, "\r\n\r\n")
	if text == nil {
		return used, false, a.tooLong()
	}
	a.line = a.line[:0]
	if len(text) < 16 || string(text[:7]) != "HTTP/1." || text[8] != ' ' {
		return used, false, errHead
	}
	if a.status, err = strconv.Atoi(string(text[9:12])); err != nil {
		return used, false, errHead
	}
	if a.status < 200 {
		return used, false, nil // interim: the head that counts follows
	}
	done, err = a.frame(text)
	return used, done, err
}

// frame decides how the body of the response with this head ends.
func (a *answer) frame(text []byte) (done bool, err error) {
	a.phase = toClose
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte("\r\n"))
		text = rest
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimSpace(value)
		switch {
		case is(name, "content-length"):
			a.left, err = strconv.ParseInt(string(value), 10, 64)
			if a.phase = inBody; err != nil || a.left < 0 {
				return false, errHead
			}
		case is(name, "transfer-encoding") && is(value, "chunked"):
			a.phase = inSize
		case is(name, "connection") && is(value, "close"):
			a.closes = true
		}
	}
	none := a.bare || a.status == 204 || a.status == 304
	a.closes = a.closes || a.phase == toClose && !none
	return none || a.phase == inBody && a.left == 0, nil
}

// chunkLine reads the line before a chunk or one behind the last.
func (a *answer) chunkLine(p []byte) (used int, done bool, err error) {
	text, used := a.upTo(p, "\r\n")
	if text == nil {
		return used, false, a.tooLong()
	}
	a.line = a.line[:0]
	text = text[:len(text)-2]
	if a.phase == inTrailer {
		return used, len(text) == 0, nil
	}
	digits, _, _ := bytes.Cut(text, []byte(";"))
	size, err := strconv.ParseUint(string(digits), 16, 62)
	if err != nil {
		return used, false, errChunk
	}
	a.phase = inChunk
	a.left = int64(size) + 2
	if size == 0 {
		a.phase = inTrailer
	}
	return used, false, nil
}

// upTo returns the text through end, of which p may be a later piece, or nil
// when end has not come yet. The text is valid until the next call.
func (a *answer) upTo(p []byte, end string) (text []byte, used int) {
	if len(a.line) == 0 {
		if i := bytes.Index(p, []byte(end)); i >= 0 {
			return p[:i+len(end)], i + len(end)
		}
	}
	before := len(a.line)
	a.line = append(a.line, p...)
	from := max(before-len(end)+1, 0)
	i := bytes.Index(a.line[from:], []byte(end))
	if i < 0 {
		return nil, len(p)
	}
	a.line = a.line[:from+i+len(end)]
	return a.line, len(a.line) - before
}

func (a *answer) tooLong() error {
	if len(a.line) > headLimit {
		return errHead
	}
	return nil
}

// ends reports whether the end of the connection completes the response.
func (a *answer) ends() bool { return a.phase == toClose }

func is(text []byte, lower string) bool {
	return len(text) == len(lower) && bytes.EqualFold(text, []byte(lower))
}
