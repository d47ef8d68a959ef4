// Package h1 reads HTTP/1.x messages: it finds and parses heads, decides how
// a body is framed, decodes the chunked coding and says which fields may go
// on to the next hop. It works on byte slices and does no I/O.
//
// # Strictness
//
// A proxy is safe only if it and its upstream read the same bytes in the same
// way, so everything that two readers could take differently is refused: bare
// CR or LF, folded lines, blanks before a colon, Content-Length beside
// Transfer-Encoding, repeated framing fields, and whatever else RFC 9112,
// section 11.2 has in mind. Bytes that pass are relayed as they came, since a
// line that is valid here is valid for everybody.
//
// # Two readings of a request
//
// The package's own scan keeps a table of the raw lines, decides framing and
// is what is forwarded. fasthttp's RequestHeader reads the same head, and a
// request on which the two differ is refused. Where fasthttp refuses what the
// RFC allows (a Trailer field that names a framing field; an empty Host beside
// an absolute-form target), it is shown a copy without that line.
//
// # Memory
//
// Nothing here allocates once the reused parts (Request, Response,
// RequestParser, Chunked) have grown to the size of the traffic. Parsed parts
// are slices of, or offsets into, the caller's bytes, which must stay as they
// are for as long as the result is used.
package h1
