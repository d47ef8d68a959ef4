package engine

const (
	inputSize  = headRead
	keepInputs = 64
)

// inputList keeps some buffers for bytes that were read but cannot be used yet.
type inputList struct{ free [][]byte }

func (l *inputList) get() []byte {
	if n := len(l.free); n > 0 {
		b := l.free[n-1]
		l.free[n-1] = nil
		l.free = l.free[:n-1]
		return b[:0]
	}
	return make([]byte, 0, inputSize)
}

// put takes a buffer back. One that grew far beyond the ordinary is left to the collector.
func (l *inputList) put(b []byte) {
	if len(l.free) < keepInputs && cap(b) <= 4*inputSize {
		l.free = append(l.free, b)
	}
}

// input is the bytes of a connection that were read and not used yet. Inside a callback
// they may still lie in the worker's read buffer; keep moves them to memory of their own,
// which is given back as soon as they are used, so that a quiet connection holds none.
type input struct {
	bytes []byte // not used yet
	own   []byte // the memory that holds them; nil while they are in the read buffer
}

// add appends p, which was just read. p stays where it is if nothing waits before it.
func (in *input) add(l *inputList, p []byte) {
	if len(in.bytes) == 0 {
		in.release(l)
		in.bytes = p
		return
	}
	in.keep(l)
	if len(in.own)+len(p) > cap(in.own) {
		in.compact()
	}
	used := len(in.own) - len(in.bytes)
	in.own = append(in.own, p...)
	in.bytes = in.own[used:]
}

// compact moves what is left to the front of the memory.
func (in *input) compact() {
	n := copy(in.own, in.bytes)
	in.own = in.own[:n]
	in.bytes = in.own
}

// use drops the first n bytes.
func (in *input) use(n int) { in.bytes = in.bytes[n:] }

// keep makes the bytes outlive the callback.
func (in *input) keep(l *inputList) {
	switch {
	case len(in.bytes) == 0:
		in.release(l)
	case in.own == nil:
		in.own = append(l.get(), in.bytes...)
		in.bytes = in.own
	}
}

// release gives the memory back. The bytes are gone.
func (in *input) release(l *inputList) {
	if in.own != nil {
		l.put(in.own)
		in.own = nil
	}
	in.bytes = nil
}
