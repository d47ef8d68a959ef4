package engine

import (
	"math"
	"net/netip"
)

// textLimit is the most of one client text that a line has, in bytes.
const textLimit = 2 << 10

// unlimited is for text of the configuration.
const unlimited = math.MaxInt

// An accessRecord is what one line of the access log says. Text of the client is as it was
// received, empty where there was none, and may point into the exchange: the record is good
// as long as that is. Times are nanoseconds.
type accessRecord struct {
	second     []byte // of the arrival, in UTC, as the format writes it
	fraction   int64  // of the arrival, behind the second
	duration   int64
	ttfb       int64 // request sent to the endpoint's first byte; below 0 there was none
	remote     netip.Addr
	method     []byte
	host       []byte
	target     []byte
	protocol   string
	referer    []byte // in the combined format only
	userAgent  []byte // in the combined format only
	status     int
	bytesIn    int64 // of the bodies, without framing
	bytesOut   int64
	route      string
	cluster    string
	errorType  string // empty = none
	requestID  []byte
	traceID    []byte // empty = none
	proxied    bool   // what follows is said of a proxied request alone
	backendURL string // empty when no endpoint was tried
	resolvedIP netip.Addr
	unixPath   string
	reused     bool
	retries    int
	sameTries  int // of the retries, those on the endpoint of the attempt before
	circuit    string
}
