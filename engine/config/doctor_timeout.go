package config

import "time"

// Times that let slow clients hold the proxy, or cut honest ones off.

// A patience is how long something on the client's side should be waited for.
type patience struct {
	key            string
	got            time.Duration
	least, most    time.Duration // 0 is no bound
	tooShort, long string        // what comes of it
}

func (x *examination) patiences() []patience {
	t := &x.Timeouts
	const (
		held   = "slow clients, or those who pretend to be, hold a connection for so long"
		stalls = "one lost packet on a slow link takes longer than that to be sent again"
	)
	return []patience{
		{"header", t.Header, 2 * time.Second, time.Minute, stalls, held},
		{"tls_handshake", t.TLSHandshake, 2 * time.Second, time.Minute, stalls, held},
		{"idle", t.Idle, 5 * time.Second, 30 * time.Minute, "clients pay for a new connection at nearly every request", "every visitor holds a connection for so long"},
		{"body_idle", t.BodyIdle, 5 * time.Second, 5 * time.Minute, "uploads from mobile networks stall for longer", held},
		{"body", t.Body, 10 * time.Second, 0, "honest uploads over a slow link take longer", ""},
		{"tunnel", t.Tunnel, 30 * time.Second, 0, "many WebSockets are silent for longer between two pings", ""},
		{"write_idle", t.WriteIdle, 5 * time.Second, 10 * time.Minute, "downloads over mobile networks stall for longer", held},
	}
}

func longTimeouts(x *examination) {
	for _, p := range x.patiences() {
		if p.most > 0 && p.got > p.most {
			x.find(join("timeouts", p.key), "%s is long: %s", showDuration(p.got), p.long)
		}
	}
}

func shortTimeouts(x *examination) {
	for _, p := range x.patiences() {
		if p.got > 0 && p.got < p.least {
			x.find(join("timeouts", p.key), "%s is short: %s", showDuration(p.got), p.tooShort)
		}
	}
}

// connectUnlimited leaves out unix sockets, which answer at once or not at all.
func connectUnlimited(x *examination, _ *Cluster, u *Upstream) {
	if u.ConnectionTimeout == 0 && u.Unix == "" {
		x.find(join(u.path, "connection_timeout"), "no limit: a connect that nobody answers holds its request for minutes before another endpoint is tried")
	}
}

func responseUnlimited(x *examination, c *Cluster) {
	if c.ResponseIdleTimeout == 0 {
		x.find(join(c.path, "response_idle_timeout"), "no limit: an upstream that falls silent inside of a response holds its client for as long as it likes")
	}
}

func checkOverlap(x *examination, a *ActiveCheck) {
	if a.Timeout >= a.Interval {
		x.find(join(a.path, "timeout"), "%s is not below the interval, %s: probes never overlap, so one that hangs delays the next", showDuration(a.Timeout), showDuration(a.Interval))
	}
}
