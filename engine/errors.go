package engine

import (
	"io"

	"millrace/engine/stats"
)

// A failure ends an exchange, or one attempt of it.
type failure struct {
	status int             // the answer, if none has begun
	reason string          // its text
	kind   stats.ErrorType // for logs and metrics
	err    error           // cause, may be nil
	late   bool            // a timeout after the request was sent: never tried again

	retryAfter int // seconds after which another try makes sense; 0 = nobody knows
}

// Texts of our own answers.
const (
	reasonNoRoute      = "no route"
	reasonBadPath      = "bad path"
	reasonUnavailable  = "upstream unavailable"
	reasonNoBudget     = "too many retries"
	reasonOverloaded   = "overloaded"
	reasonBadGateway   = "bad gateway"
	reasonTimeout      = "upstream timeout"
	reasonBodyError    = "request body error"
	reasonBodyTimeout  = "request body timeout"
	reasonBodyTooLarge = "request body too large"
	reasonNoConnect    = "CONNECT is not supported"
)

// statusClientGone is what metrics and logs call the end of a request whose client left.
const statusClientGone = 499

// errEOF is the orderly end of a connection's bytes.
var errEOF = io.EOF
