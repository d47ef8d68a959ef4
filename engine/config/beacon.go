package config

import "time"

// Beacon is membership by signed datagrams: who is listened to, and what is announced.
type Beacon struct {
	Receive  []BeaconReceive
	Announce []BeaconAnnounce
}

func (b *Beacon) keys() keys {
	return keys{
		{name: "receive", form: list[BeaconReceive]{&b.Receive, defaultBeaconReceive, (*BeaconReceive).form}},
		{name: "announce", form: list[BeaconAnnounce]{&b.Announce, defaultBeaconAnnounce, (*BeaconAnnounce).form}},
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
	return mapping{path: &r.path, keys: keys{
		{name: "listen", form: hostPort(&r.Listen), required: true},
		{name: "cluster", form: optional{text(&r.Cluster)}},
		{name: "secret", form: secret(&r.Secret.Text)},
		{name: "secret_file", form: optional{file(&r.Secret.File)}},
		{name: "timeout", form: duration(&r.Timeout, zeroAllowed)},
		{name: "max_skew", form: duration(&r.MaxSkew, positive)},
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
	return mapping{path: &a.path, keys: keys{
		{name: "address", form: hostPort(&a.Address), required: true},
		{name: "advertise", form: optional{origin(&a.Advertise)}},
		{name: "secret", form: secret(&a.Secret.Text)},
		{name: "secret_file", form: optional{file(&a.Secret.File)}},
		{name: "interval", form: duration(&a.Interval, shortest)},
	}}
}

// A SecretSource is a secret written in the file, or the name of a file that holds it.
// Exactly one is set.
type SecretSource struct {
	Text Secret
	File string
}
