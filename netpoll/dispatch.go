package netpoll

// Now is the loop's monotonic clock in nanoseconds, read at most once per callback.
func (l *Loop) Now() int64 {
	if l.now == 0 {
		l.now = l.clock()
	}
	return l.now
}

// dispatch hands a report to the owner of the descriptor.
func (l *Loop) dispatch(fd int, r readiness) {
	l.now = 0
	if uint(fd) < uint(len(l.sources)) {
		if s := l.sources[fd]; s != nil {
			s.ready(r)
		}
	}
}
