package h1

import (
	"bytes"
	"math"
	"strconv"
)

// Bounds of what a chunked body may hold beside its payload.
const (
	maxSizeDigits   = 16
	maxExtLine      = 4 << 10  // bytes of extensions of one chunk
	maxExtBytes     = 16 << 10 // bytes of extensions of one body
	maxTrailerBytes = 8 << 10
	maxTrailerLines = 64
	keptTrailer     = 1 << 10 // bytes of trailer memory that Reset keeps
)

// A chunkState is the place in a chunked body at which the next byte stands.
type chunkState uint8

const (
	atSize      chunkState = iota // first digit of a chunk size
	inSize                        // further digits, or what ends them
	inExt                         // chunk extensions
	atSizeLF                      // LF of a size line
	inPayload                     // payload
	atPayloadCR                   // CR behind payload
	atPayloadLF                   // LF behind payload
	atTrailer                     // start of a trailer line or of the final empty one
	inTrailer                     // rest of a trailer line
	atEndLF                       // LF of the final empty line
	atDone
	atFailure
)

// Chunked decodes one chunked body (RFC 9112, section 7.1) that is fed to it
// in pieces. The zero value is ready. It keeps no reference to fed bytes.
//
// What it accepts is the strict grammar: CRLF and nothing else as line end,
// hexadecimal digits and nothing else as size. Extensions are looked at only
// for bytes that no line may hold, and bounded.
type Chunked struct {
	state   chunkState
	digits  uint8 // of the size that is being read
	lines   uint8 // complete trailer lines
	left    int64 // size that is being read, then payload bytes to come
	extLine int   // extension bytes of this chunk
	ext     int   // extension bytes of all chunks
	trailer []byte
	err     *Error
}

// Reset makes d ready for another body.
func (d *Chunked) Reset() {
	trailer := d.trailer[:0]
	if cap(trailer) > keptTrailer {
		trailer = nil
	}
	*d = Chunked{trailer: trailer}
}

// Decode consumes bytes from the start of p and moves the payload among them
// together: body is a part of p that holds it. The first piece stays where it
// is and later ones move down behind it, so one chunk costs no copy.
//
// n is how many bytes were consumed: all of p, unless done or err. done means
// that the body and its trailers are complete; p[n:] belongs to the next
// message. An error is final; body is then the payload before the fault.
func (d *Chunked) Decode(p []byte) (body []byte, n int, done bool, err *Error) {
	start, end, i := 0, 0, 0
	for i < len(p) && d.state < atDone {
		if d.state != inPayload {
			i += d.step(p[i:])
			continue
		}
		m := len(p) - i
		if int64(m) > d.left {
			m = int(d.left)
		}
		switch {
		case end == start:
			start, end = i, i+m
		default:
			end += copy(p[end:], p[i:i+m])
		}
		i += m
		if d.left -= int64(m); d.left == 0 {
			d.state = atPayloadCR
		}
	}
	return p[start:end], i, d.state == atDone, d.err
}

// step consumes bytes that are no payload from p, which is not empty, and
// returns how many. The byte at fault is not consumed.
func (d *Chunked) step(p []byte) int {
	switch d.state {
	case atSize, inSize:
		return d.readSize(p)
	case inExt:
		return d.skipExt(p)
	case atSizeLF:
		return d.expect('\n', d.behindSize(), errChunkSize, p)
	case atPayloadCR:
		return d.expect('\r', atPayloadLF, errChunkEnd, p)
	case atPayloadLF:
		return d.expect('\n', atSize, errChunkEnd, p)
	case atTrailer:
		if p[0] == '\r' {
			d.state = atEndLF
			return 1
		}
		return d.readTrailer(p)
	case inTrailer:
		return d.readTrailer(p)
	}
	return d.expect('\n', atDone, errFieldName, p)
}

// behindSize is the state behind a size line.
func (d *Chunked) behindSize() chunkState {
	if d.left == 0 {
		return atTrailer
	}
	return inPayload
}

// expect consumes c and goes on to next, or fails with err.
func (d *Chunked) expect(c byte, next chunkState, err *Error, p []byte) int {
	if p[0] != c {
		return d.fail(err)
	}
	d.state = next
	return 1
}

// fail ends the decoding. It returns 0, for its callers to return.
func (d *Chunked) fail(err *Error) int {
	d.state, d.err = atFailure, err
	return 0
}

// readSize consumes digits of a chunk size and what ends them.
func (d *Chunked) readSize(p []byte) int {
	if d.state == atSize {
		d.state, d.digits, d.left, d.extLine = inSize, 0, 0, 0
	}
	for i, c := range p {
		v := hexValue[c]
		if v == noHex {
			return i + d.endSize(c)
		}
		if d.digits == maxSizeDigits || d.left > math.MaxInt64>>4 {
			d.fail(errChunkLong)
			return i
		}
		d.digits++
		d.left = d.left<<4 | int64(v)
	}
	return len(p)
}

// endSize consumes the byte behind the digits. Blanks, which RFC 9112 lets a
// recipient bear with before an extension, are refused.
func (d *Chunked) endSize(c byte) int {
	switch {
	case d.digits == 0:
		return d.fail(errChunkSize)
	case c == '\r':
		d.state = atSizeLF
	case c == ';':
		d.state = inExt
	default:
		return d.fail(errChunkSize)
	}
	return 1
}

// skipExt consumes extension bytes and the CR behind them.
func (d *Chunked) skipExt(p []byte) int {
	n := valueEnd(p, 0)
	d.extLine += n
	d.ext += n
	switch {
	case d.extLine > maxExtLine || d.ext > maxExtBytes:
		return d.fail(errChunkExtLong)
	case n == len(p):
		return n
	case p[n] != '\r':
		d.fail(errChunkExt)
		return n
	}
	d.state = atSizeLF
	return n + 1
}

// AppendChunkSize appends the line that begins a chunk of n bytes, n > 0.
func AppendChunkSize(dst []byte, n int) []byte {
	return append(strconv.AppendUint(dst, uint64(n), 16), '\r', '\n')
}

// readTrailer consumes bytes of a trailer line, at most up to its end, and
// keeps them.
func (d *Chunked) readTrailer(p []byte) int {
	n := bytes.IndexByte(p, '\n') + 1
	whole := n > 0
	if !whole {
		n = len(p)
	}
	if len(d.trailer)+n > maxTrailerBytes {
		return d.fail(errTrailerLong)
	}
	d.trailer = append(d.trailer, p[:n]...)
	d.state = inTrailer
	if whole {
		d.endTrailer()
	}
	return n
}

// endTrailer judges the trailer line that has just become complete.
func (d *Chunked) endTrailer() {
	start := bytes.LastIndexByte(d.trailer[:len(d.trailer)-1], '\n') + 1
	var f Field
	if err := scanLine(d.trailer, start, &f, true); err != nil {
		d.fail(err)
		return
	}
	if d.lines++; d.lines > maxTrailerLines {
		d.fail(errTrailerCount)
		return
	}
	d.state = atTrailer
}
