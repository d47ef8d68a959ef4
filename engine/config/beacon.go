package config

import "time"

// Beacon is membership by signed datagrams: who is listened to, and what is announced.
type Beacon struct {
	Receive  []BeaconReceive
	Announce []BeaconAnnounce
}

func (b *Beacon) keys() keys {
	return keys{
		{name: "receive", form: list[BeaconReceive]{&b.Receive, defaultBeaconReceive, (*BeaconReceive).form},
			doc: "Where announcements are taken"},
		{name: "announce", form: list[BeaconAnnounce]{&b.Announce, defaultBeaconAnnounce, (*BeaconAnnounce).form},
			doc: "What this proxy announces, and to whom. No address is also one of `receive`"},
	}
}

// BeaconReceive is a UDP address on which members announce themselves.
type BeaconReceive struct {
	Listen Address
	// Cluster gets the members; empty only logs them.
	Cluster string
	Secret  SecretSource
	// Timeout is the lease of a member; 0 never takes one out.
	Timeout time.Duration
	// MaxSkew is the largest difference between the clocks.
	MaxSkew time.Duration

	path string
}

func (r *BeaconReceive) form() form {
	return mapping{path: &r.path, also: exactlyOne("secret", "secret_file"), keys: keys{
		{name: "listen", form: hostPort(&r.Listen), required: true,
			doc: "UDP address"},
		{name: "cluster", form: optional{text(&r.Cluster)},
			doc: "The cluster that gets the members. Absent: announcements are checked and logged, nothing more"},
		{name: "secret", form: secret(&r.Secret.Text),
			doc: "The secret itself"},
		{name: "secret_file", form: optional{file(&r.Secret.File)},
			doc: "A file that holds the secret"},
		{name: "timeout", form: duration(&r.Timeout, zeroAllowed),
			doc: "A member that was silent for longer gets no more requests. 0 never takes one out"},
		{name: "max_skew", form: duration(&r.MaxSkew, positive),
			doc: "The most that the clocks may differ"},
	}}
}

// BeaconAnnounce is a receiver to which this proxy announces an origin.
type BeaconAnnounce struct {
	// Address is host:port of the receiver; the host may be a name.
	Address Address
	// Advertise is the origin in canonical form; empty announces only that we live.
	Advertise string
	Secret    SecretSource
	Interval  time.Duration

	path string
}

func (a *BeaconAnnounce) form() form {
	const shortest = 100 * time.Millisecond
	return mapping{path: &a.path, also: exactlyOne("secret", "secret_file"), keys: keys{
		{name: "address", form: hostPort(&a.Address), required: true,
			doc: "The receiver"},
		{name: "advertise", form: optional{origin(&a.Advertise)},
			doc: "The origin that is announced, `http://host:port`. Absent: only that this proxy lives"},
		{name: "secret", form: secret(&a.Secret.Text),
			doc: "The secret itself"},
		{name: "secret_file", form: optional{file(&a.Secret.File)},
			doc: "A file that holds the secret"},
		{name: "interval", form: duration(&a.Interval, shortest),
			doc: "At least 100 ms"},
	}}
}

// A SecretSource is a secret written in the file, or the name of a file that holds it.
// Exactly one is set.
type SecretSource struct {
	Text Secret
	File string
}
