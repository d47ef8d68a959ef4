package engine

import (
	"errors"

	"millrace/netpoll"
)

// A retry says where another attempt may go.
type retry uint8

const (
	noRetry         retry = iota
	freshConnection       // the same endpoint; the connection was stale, which is nobody's fault
	sameEndpoint
	otherEndpoint
)

// An outcome is what is known when an attempt has failed.
type outcome struct {
	answered   bool // something of the answer went to the client, or may have
	heard      bool // bytes of an answer came, less than a head
	sent       bool // a byte of the request may have reached the endpoint
	late       bool // the endpoint had the request and took too long
	slow       bool // the connect took too long
	reused     bool // the connection had served before
	staleTried bool // this request was sent again for that reason once
	idempotent bool // the request may be sent twice
	whole      bool // all that was relayed of its body is still at hand
	same       int  // tries left on the same endpoint
	others     bool // other endpoints may be tried
}

// decide says whether, and where, another attempt may go (RFC 9110, 9.2.2).
func decide(o outcome) retry {
	switch {
	case o.answered, o.late, !o.whole:
		return noRetry
	case o.sent && !o.idempotent:
		return noRetry
	case o.reused && !o.staleTried && !o.heard:
		return freshConnection
	case o.same > 0 && !o.slow:
		return sameEndpoint
	case o.others:
		return otherEndpoint
	}
	return noRetry
}

// decide gathers what is known of the attempt at hand.
func (x *exchange) decide(f failure) retry {
	if isShortage(f.err) {
		return noRetry
	}
	u := x.up
	return decide(outcome{
		answered:   x.replied || x.interim > 0,
		heard:      u != nil && len(u.in.bytes) > 0,
		sent:       x.sent,
		late:       f.late,
		slow:       f.status == 504,
		reused:     u != nil && u.requests > 1,
		staleTried: x.staleTried,
		idempotent: x.idempotent(),
		whole:      x.replayable,
		same:       x.cluster.retriesSame - x.triesSame,
		others:     x.cluster.retryOther,
	})
}

// isShortage reports whether err says that this machine has no more connections to give,
// which another endpoint does not change.
func isShortage(err error) bool { return errors.Is(err, netpoll.ErrShortage) }
