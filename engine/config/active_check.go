package config

import (
	"fmt"
	"strings"
	"time"
)

// ActiveCheck is a probe sent to every endpoint at an interval.
type ActiveCheck struct {
	URI      string // path, with query if any
	Method   string // GET or HEAD
	Interval time.Duration
	Timeout  time.Duration
	// ExpectStatus are the codes that pass.
	ExpectStatus StatusSet
	// ResponseTimeThreshold fails slower answers; 0 is none.
	ResponseTimeThreshold time.Duration
	// BodyMatch is a substring the body must have; empty is any. Only with GET.
	BodyMatch string
	// ConsecutiveFails make an endpoint unhealthy.
	ConsecutiveFails int
	// ConsecutivePasses make it healthy again.
	ConsecutivePasses int
	// NoVerification accepts any certificate.
	NoVerification bool

	path string
}

func (a *ActiveCheck) form() form {
	const (
		shortest = 10 * time.Millisecond
		most     = 1000
	)
	return mapping{path: &a.path, keys: keys{
		{name: "uri", form: textThat(&a.URI, "a path", checkTarget).like(patternTarget),
			doc: "What is asked for; may have a query"},
		{name: "method", form: oneOf(&a.Method, "GET", "HEAD"),
			doc: "`HEAD` where the body does not matter"},
		{name: "interval", form: duration(&a.Interval, shortest),
			doc: "From one probe to the next, at least 10 ms"},
		{name: "timeout", form: duration(&a.Timeout, positive),
			doc: "How long an answer may take"},
		{name: "expect_status", form: statusSet(&a.ExpectStatus),
			doc: "What passes: classes (`2xx`), codes (`204`), ranges (`200-299`), with commas between"},
		{name: "response_time_threshold", form: optional{duration(&a.ResponseTimeThreshold, positive)},
			doc: "A slower answer is a failure"},
		{name: "body_match", form: optional{text(&a.BodyMatch)},
			doc: "The body must contain this. Only with `GET`"},
		{name: "consecutive_fails", form: integer(&a.ConsecutiveFails, 1, most),
			doc: "Failures in a row that make an endpoint unhealthy"},
		{name: "consecutive_passes", form: integer(&a.ConsecutivePasses, 1, most),
			doc: "Passes in a row that make it healthy again"},
		{name: "no_verification", form: boolean(&a.NoVerification),
			doc: "Accept any certificate"},
	}}
}

// checkTarget returns an error unless s can stand in a request line as it is.
func checkTarget(s string) error {
	if !strings.HasPrefix(s, "/") {
		return fmt.Errorf("%s does not begin with a slash", shown(s))
	}
	if strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '#' }) >= 0 {
		return fmt.Errorf("%s holds a blank, a # or another character that has to be encoded", shown(s))
	}
	return nil
}
