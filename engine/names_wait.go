package engine

// namesPending reports whether the names of c are all there is to wait for: it has none of
// their addresses, and never had.
func (c *cluster) namesPending(members []*member) bool {
	pending := false
	see := func(w *nameWatch) (resolved bool) {
		pending = pending || w != nil
		return w != nil && w.resolved.Load()
	}
	for _, s := range c.sources {
		if see(s.name) {
			return false
		}
	}
	for _, m := range members {
		if see(m.source.name) {
			return false
		}
	}
	return pending
}

// waitForName waits until the cluster has its first endpoint.
func (x *exchange) waitForName() {
	wt := x.join(x.cluster.turns, x.cluster.patience)
	if wt == nil {
		return
	}
	wt.named = true
	x.armWait()
	x.look() // the answer may have come before the place was taken
}

// catchUp makes the newest version of the cluster that of an exchange that has tried nothing
// yet, since the one it began with has no endpoints. It returns false if there is none any
// more.
func (x *exchange) catchUp() bool {
	s := x.w.engine.current.Load()
	if s == x.snap {
		return true
	}
	c := s.cluster(x.cluster.name)
	if c == nil {
		return false
	}
	x.snap, x.cluster = s, c
	x.tie = tie{}
	x.findTie()
	return true
}
