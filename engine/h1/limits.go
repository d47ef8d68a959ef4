package h1

import "bytes"

// Limits bound one head. All are greater than 0.
type Limits struct {
	HeadBytes   int // the whole head, with its final empty line
	FieldCount  int // field lines
	TargetBytes int // the request target
}

// maxMethodBytes bounds a method. RFC 9110 and its registry have none beyond
// 17 bytes; RFC 9112, section 3 wants 501 for one longer than any known.
const maxMethodBytes = 64

// versionBytes is the length of what follows a request target: blank, version,
// CR, LF.
const versionBytes = len(" HTTP/1.1\r\n")

// SkipEmptyLines returns the length of the empty lines at the start of buf,
// which are to be skipped before a request line (RFC 9112, section 2.2).
// A single CR at the end is not counted: its LF may still come.
func SkipEmptyLines(buf []byte) int {
	n := 0
	for n+1 < len(buf) && buf[n] == '\r' && buf[n+1] == '\n' {
		n += 2
	}
	return n
}

// FindRequestHead looks for the end of the request head at the start of buf,
// of which the first from bytes were looked at by earlier calls (0 at first).
//
// If end > 0 the head is buf[:end]. If end is 0 and err is nil more bytes are
// needed, and scanned is the next call's from. An error means that nothing
// that may follow can make the head acceptable; a head that is found can still
// be refused by Parse.
func FindRequestHead(buf []byte, from int, lim *Limits) (end, scanned int, err *Error) {
	end, err = findEnd(buf, from, lim)
	if end > 0 {
		return end, end, nil
	}
	if early := checkRequestStart(buf, lim); early != nil {
		return 0, 0, early
	}
	return 0, scannedBytes(buf), err
}

// FindResponseHead is FindRequestHead for a response head.
func FindResponseHead(buf []byte, from int, lim *Limits) (end, scanned int, err *Error) {
	const prefix = "HTTP/1."
	if n := min(len(buf), len(prefix)); string(buf[:n]) != prefix[:n] {
		return 0, 0, errStatusLine
	}
	end, err = findEnd(buf, from, lim)
	if end > 0 {
		return end, end, nil
	}
	return 0, scannedBytes(buf), err
}

// scannedBytes leaves a first CR unscanned: with its LF it is an empty line
// that the caller skips, and then it starts over.
func scannedBytes(buf []byte) int {
	if len(buf) == 1 && buf[0] == '\r' {
		return 0
	}
	return len(buf)
}

// findEnd returns the length of the head, or 0 if its end is not there.
// Looking at line feeds alone needs no state between calls.
func findEnd(buf []byte, from int, lim *Limits) (int, *Error) {
	window := buf
	if len(window) > lim.HeadBytes {
		window = window[:lim.HeadBytes]
	}
	for i := from; i < len(window); i++ {
		n := bytes.IndexByte(window[i:], '\n')
		if n < 0 {
			break
		}
		i += n
		if i < 2 || window[i-1] != '\r' {
			return 0, errBareLF
		}
		if window[i-2] == '\n' {
			return i + 1, nil
		}
	}
	if len(buf) >= lim.HeadBytes {
		return 0, errHeadLong
	}
	if from < len(buf) && bytes.IndexByte(buf[from:], 0) >= 0 {
		return 0, errNUL
	}
	return 0, nil
}

// checkRequestStart judges a request line whose end has not arrived.
func checkRequestStart(buf []byte, lim *Limits) *Error {
	if len(buf) == 0 || len(buf) == 1 && buf[0] == '\r' {
		return nil
	}
	if class[buf[0]]&classToken == 0 {
		return errRequestLine
	}
	blank := bytes.IndexByte(buf[:min(len(buf), maxMethodBytes+1)], ' ')
	if blank < 0 {
		if len(buf) > maxMethodBytes && bytes.IndexByte(buf[:maxMethodBytes], '\n') < 0 {
			return errMethodLong
		}
		return nil
	}
	rest := buf[blank+1:]
	longest := lim.TargetBytes + versionBytes
	if len(rest) <= lim.TargetBytes || bytes.IndexByte(rest[:min(len(rest), longest)], '\n') >= 0 {
		return nil
	}
	if bytes.IndexByte(rest[:lim.TargetBytes+1], ' ') < 0 {
		return errTargetLong
	}
	if len(rest) >= longest {
		return errRequestLine
	}
	return nil
}
