package stats

import "sync/atomic"

// A Method is a request method out of a closed list. What is not on it is
// OtherMethod.
type Method uint8

const (
	OtherMethod Method = iota
	GET
	HEAD
	POST
	PUT
	DELETE
	CONNECT
	OPTIONS
	TRACE
	PATCH
	methodCount
)

var methodNames = [methodCount]string{
	OtherMethod: "OTHER", GET: "GET", HEAD: "HEAD", POST: "POST", PUT: "PUT", DELETE: "DELETE",
	CONNECT: "CONNECT", OPTIONS: "OPTIONS", TRACE: "TRACE", PATCH: "PATCH",
}

// MethodOf returns the method called name. Case matters (RFC 9110, 9.1).
func MethodOf(name []byte) Method {
	for m := GET; m < methodCount; m++ {
		if string(name) == methodNames[m] {
			return m
		}
	}
	return OtherMethod
}

// String is the name of m.
func (m Method) String() string { return methodNames[m] }

// Idempotent tells whether m is (RFC 9110, 9.2.2).
func (m Method) Idempotent() bool {
	switch m {
	case GET, HEAD, PUT, DELETE, OPTIONS, TRACE:
		return true
	}
	return false
}

// retries counts the retries of one worker on one endpoint, by method.
type retries struct {
	all, same, succeeded, failed [methodCount]atomic.Int64
}

// Values of Endpoint.lastRetry.
const (
	noRetry int32 = iota
	retryFailed
	retrySucceeded
)

// Retry counts an attempt that goes to e after another one failed.
// sameUpstream: the one before went to e as well.
func (e *endpointSeries) Retry(worker int, m Method, sameUpstream bool) {
	r := e.retriesOf(worker)
	r.all[m].Add(1)
	if sameUpstream {
		r.same[m].Add(1)
	}
}

// RetryFinal tells how the last retry of a request ended, which went to e.
func (e *endpointSeries) RetryFinal(worker int, m Method, succeeded bool) {
	r := e.retriesOf(worker)
	if succeeded {
		r.succeeded[m].Add(1)
		e.lastRetry[m].Store(retrySucceeded)
		return
	}
	r.failed[m].Add(1)
	e.lastRetry[m].Store(retryFailed)
}

// retriesOf returns the block of a worker, made at its first retry.
func (e *endpointSeries) retriesOf(worker int) *retries {
	at := &e.retries[worker]
	if r := at.Load(); r != nil {
		return r
	}
	at.CompareAndSwap(nil, new(retries))
	return at.Load()
}

// retryTotals are retries by method.
type retryTotals struct{ all, same, succeeded, failed [methodCount]int64 }

func (e *endpointSeries) retryTotals() retryTotals {
	var t retryTotals
	for w := range e.retries {
		r := e.retries[w].Load()
		if r == nil {
			continue
		}
		for m := range methodCount {
			t.all[m] += r.all[m].Load()
			t.same[m] += r.same[m].Load()
			t.succeeded[m] += r.succeeded[m].Load()
			t.failed[m] += r.failed[m].Load()
		}
	}
	return t
}

// methodLabels are the labels of a series by method.
var methodLabels = func() (out [methodCount]string) {
	for m := range methodCount {
		idempotent := "false"
		if m.Idempotent() {
			idempotent = "true"
		}
		out[m] = labels("method", m.String(), "method_idempotent", idempotent)
	}
	return out
}()
