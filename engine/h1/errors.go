package h1

// An Error says why a head or a body is refused. All of them are package
// variables, so refusing allocates nothing, and they can be compared.
type Error struct {
	// Status answers a request: 400, 413, 414, 431, 501 or 505.
	// It means nothing for a response, which is then a 502 for the client.
	Status int
	// Reason is a few words for logs. It never holds bytes of the message.
	Reason string
}

// Error returns the reason.
func (e *Error) Error() string { return e.Reason }

var (
	errBareLF       = &Error{400, "line feed without carriage return"}
	errNUL          = &Error{400, "NUL in head"}
	errHeadLong     = &Error{431, "head too long"}
	errFieldCount   = &Error{431, "too many fields"}
	errHeadEnd      = &Error{400, "head without end"}
	errRequestLine  = &Error{400, "malformed request line"}
	errMethod       = &Error{400, "malformed method"}
	errMethodLong   = &Error{501, "method too long"}
	errTarget       = &Error{400, "malformed request target"}
	errTargetLong   = &Error{414, "request target too long"}
	errVersion      = &Error{505, "unsupported HTTP version"}
	errVersionForm  = &Error{400, "malformed HTTP version"}
	errStatusLine   = &Error{400, "malformed status line"}
	errFieldName    = &Error{400, "malformed field name"}
	errFieldValue   = &Error{400, "malformed field value"}
	errFold         = &Error{400, "folded field line"}
	errHostMissing  = &Error{400, "missing Host"}
	errHostRepeated = &Error{400, "several Host fields"}
	errHost         = &Error{400, "malformed Host"}
	errLength       = &Error{400, "malformed Content-Length"}
	errLengths      = &Error{400, "several Content-Length fields"}
	errBothFramings = &Error{400, "both Content-Length and Transfer-Encoding"}
	errCoding       = &Error{400, "malformed Transfer-Encoding"}
	errCodings      = &Error{400, "several Transfer-Encoding fields"}
	errCodingOld    = &Error{400, "Transfer-Encoding in HTTP/1.0"}
	errCodingBare   = &Error{400, "Transfer-Encoding in an interim response"}
	errCodingOther  = &Error{501, "unsupported transfer coding"}
	errConnection   = &Error{400, "too many connection options"}
	errReadings     = &Error{400, "ambiguous head"}
	errChunkSize    = &Error{400, "malformed chunk size"}
	errChunkLong    = &Error{400, "chunk too long"}
	errChunkExt     = &Error{400, "malformed chunk extension"}
	errChunkExtLong = &Error{413, "chunk extensions too long"}
	errChunkEnd     = &Error{400, "chunk longer than its size"}
	errTrailerLong  = &Error{431, "trailers too long"}
	errTrailerCount = &Error{431, "too many trailers"}
)
