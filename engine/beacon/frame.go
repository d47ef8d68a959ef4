package beacon

import (
	"bytes"
	"crypto/subtle"
	"math"
)

// A frame is an authentic datagram taken apart. Its slices are parts of the datagram.
type frame struct {
	message        []byte // what the signature covers
	url            []byte // nil if there is no such field
	host, pid, seq []byte
	ts             int64
}

// open checks that datagram is one that a holder of key has made, in this order: size, NUL,
// signature, and only then its text. It does not allocate.
func open(datagram []byte, key *Key) (f frame, why Reason) {
	switch {
	case len(datagram) > maxDatagram:
		return f, Oversize
	case bytes.IndexByte(datagram, 0) >= 0:
		return f, EmbeddedNUL
	}
	at := bytes.LastIndex(datagram, []byte(macMark))
	if at < 0 {
		return f, NoMAC
	}
	sum := datagram[at+len(macMark):]
	if len(sum) != macDigits {
		return f, BadMACLength
	}
	// The texts are compared, so that digits in upper case are no match.
	if want := mac(key, datagram[:at]); subtle.ConstantTimeCompare(sum, want[:]) != 1 {
		return f, MACMismatch
	}
	f.message = datagram[:at]
	return f, f.parse()
}

// parse reads the fields of the message. Those it does not know are skipped, but may not be
// there twice either; the order is free.
func (f *frame) parse() Reason {
	rest, ok := bytes.CutPrefix(f.message, []byte(word))
	if !ok {
		return BadFrame
	}
	var ts []byte
	for fields := rest; len(fields) > 0; {
		if fields[0] != ' ' {
			return BadFrame
		}
		var field []byte
		field, fields = cutField(fields[1:])
		key, value, ok := bytes.Cut(field, []byte{'='})
		if !ok || len(key) == 0 {
			return BadFrame
		}
		if string(key) == "mac" || hasField(fields, key) {
			return DuplicateField
		}
		switch string(key) {
		case "url":
			f.url = value
		case "host":
			f.host = value
		case "pid":
			f.pid = value
		case "seq":
			f.seq = value
		case "ts":
			ts = value
		}
	}
	if ts == nil {
		return NoTS
	}
	n, ok := decimal(ts, math.MaxInt64)
	if !ok {
		return BadTS
	}
	f.ts = int64(n)
	return accepted
}

// cutField splits off the bytes up to the next blank, which begins rest.
func cutField(b []byte) (field, rest []byte) {
	if i := bytes.IndexByte(b, ' '); i >= 0 {
		return b[:i], b[i:]
	}
	return b, nil
}

// hasField reports whether one of the fields, each behind a blank, has that key.
func hasField(fields, key []byte) bool {
	for len(fields) > 0 {
		var field []byte
		field, fields = cutField(fields[1:])
		if rest, ok := bytes.CutPrefix(field, key); ok && len(rest) > 0 && rest[0] == '=' {
			return true
		}
	}
	return false
}

// decimal reads a number of digits alone. ok is false for anything else, and above most.
func decimal(b []byte, most uint64) (n uint64, ok bool) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		digit := uint64(c - '0')
		if n > (most-digit)/10 {
			return 0, false
		}
		n = n*10 + digit
	}
	return n, len(b) > 0
}

// number is decimal for the fields that are only shown: 0 for what is none.
func number(b []byte, most uint64) uint64 {
	n, _ := decimal(b, most)
	return n
}
