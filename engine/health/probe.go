package health

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"
)

const (
	userAgent = "millrace-health"
	headBytes = 64 << 10
	bodyBytes = 1 << 20 // of an answer that are searched
)

// newClient returns a client whose every request is a new connection to t, since a kept one
// would not find out whether the endpoint still accepts any.
func newClient(t Target) *http.Client {
	var dialer net.Dialer
	return &http.Client{
		Transport: &http.Transport{
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return dialer.DialContext(ctx, t.Network, t.Address)
			},
			TLSClientConfig:        t.TLS,
			DisableKeepAlives:      true,
			DisableCompression:     true,
			MaxResponseHeaderBytes: headBytes,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// probe makes one request and judges the answer.
func probe(ctx context.Context, client *http.Client, t Target, c *Check) Result {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	began := time.Now()
	reason := ask(ctx, client, t, c)
	took := time.Since(began)
	if reason == "" && c.Slow > 0 && took > c.Slow {
		reason = fmt.Sprintf("slower than %v", c.Slow)
	}
	return Result{Passed: reason == "", Reason: reason, Took: took}
}

// ask returns why the probe failed, or nothing.
func ask(ctx context.Context, client *http.Client, t Target, c *Check) string {
	r, err := http.NewRequestWithContext(ctx, c.Method, t.Scheme+"://"+t.Authority+c.URI, nil)
	if err != nil {
		return explain(err)
	}
	r.Header.Set("User-Agent", userAgent)
	answer, err := client.Do(r)
	if err != nil {
		return explain(err)
	}
	defer answer.Body.Close()
	if !c.Expect(answer.StatusCode) {
		return fmt.Sprintf("status %d", answer.StatusCode)
	}
	if c.Body == "" {
		return ""
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, bodyBytes))
	switch {
	case strings.Contains(string(body), c.Body):
		return ""
	case err != nil:
		return explain(err)
	}
	return "body without the expected text"
}

// explain says what went wrong without the address, which goes beside it.
func explain(err error) string {
	var timeout net.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded),
		errors.As(err, &timeout) && timeout.Timeout():
		return "timeout"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "connection reset"
	}
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(next) {
		err = next
	}
	return err.Error()
}
