package netpoll

// readiness is what a poller reports about a descriptor. Each bit is a hint.
type readiness uint8

const (
	readReady   readiness = 1 << iota // bytes, an end of stream or an error can be read
	writeReady                        // the send buffer has room
	readClosed                        // the other side sent its end of stream
	socketBroke                       // an error is pending, or both directions are shut
	readSplit                         // a read may stop short of what has arrived
)

// A source is the owner of a registered descriptor.
type source interface {
	ready(r readiness)
}

// A poller watches descriptors. The loop's goroutine calls everything but post.
type poller interface {
	// add registers fd for reading and writing, edge-triggered.
	add(fd int) error
	// addRead registers fd for reading only, edge-triggered.
	addRead(fd int) error
	// remove ends the registration of a descriptor that may have duplicates, which
	// closing it would not. For all others close(2) is enough.
	remove(fd int)
	// poll reports until a posted function returns errStop.
	poll(report func(fd int, r readiness)) error
	// post runs fn on the polling goroutine. Safe for concurrent use.
	post(fn func() error) error
	close() error
}
