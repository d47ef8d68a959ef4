package stats

// An ErrorType says why a request failed. Logs, spans and metrics call it by
// the same word.
type ErrorType uint8

const (
	ConnectionRefused ErrorType = iota
	ConnectionReset
	ConnectTimeout
	Timeout // no response head in time
	TLSError
	DNSError
	MalformedResponse
	ResponseTruncated
	ResponseIdle
	NoEndpoint
	Overloaded
	BudgetExhausted
	NoRoute
	BadRequest
	BodyTimeout
	BodyTooLarge
	ClientClosed
	DescriptorsExhausted
	errorTypeCount
)

var errorTypeNames = [errorTypeCount]string{
	ConnectionRefused:    "connection_refused",
	ConnectionReset:      "connection_reset",
	ConnectTimeout:       "connect_timeout",
	Timeout:              "timeout",
	TLSError:             "tls_error",
	DNSError:             "dns_error",
	MalformedResponse:    "malformed_response",
	ResponseTruncated:    "response_truncated",
	ResponseIdle:         "response_idle",
	NoEndpoint:           "no_endpoint",
	Overloaded:           "overloaded",
	BudgetExhausted:      "budget_exhausted",
	NoRoute:              "no_route",
	BadRequest:           "bad_request",
	BodyTimeout:          "body_timeout",
	BodyTooLarge:         "body_too_large",
	ClientClosed:         "client_closed",
	DescriptorsExhausted: "descriptors_exhausted",
}

// String is the word for e, in lower case with underscores.
func (e ErrorType) String() string { return errorTypeNames[e] }
