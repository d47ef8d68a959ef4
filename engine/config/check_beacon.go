package config

import (
	"net/netip"
	"strings"
)

func (d *decoder) checkBeacon(c *Config) {
	clusters := clusterNames(c)
	for i := range c.Beacon.Receive {
		r := &c.Beacon.Receive[i]
		d.checkSecret(r.path, r.Secret)
		if r.Cluster != "" && c.Cluster(r.Cluster) == nil {
			d.fault(join(r.path, "cluster"), "no cluster is called %s%s", shown(r.Cluster), hint(r.Cluster, clusters))
		}
		for j := range c.Beacon.Receive[:i] {
			b := &c.Beacon.Receive[j]
			if r.Listen.Text != "" && r.Listen.same(b.Listen) {
				d.fault(join(r.path, "listen"), "%s is the address of %s already", shown(r.Listen.Text), b.path)
			}
		}
	}
	for i := range c.Beacon.Announce {
		a := &c.Beacon.Announce[i]
		d.checkSecret(a.path, a.Secret)
		if a.Address.Text != "" {
			d.checkAnnounce(c, a)
		}
	}
}

func (d *decoder) checkAnnounce(c *Config, a *BeaconAnnounce) {
	at := join(a.path, "address")
	if a.Address.Host == "" {
		d.fault(at, "%s has no host; write that of the receiver", shown(a.Address.Text))
		return
	}
	for i := range c.Beacon.Receive {
		if r := &c.Beacon.Receive[i]; reaches(a.Address, r.Listen) {
			d.fault(at, "%s is where %s listens: this proxy would announce itself to itself", shown(a.Address.Text), r.path)
		}
	}
}

// reaches reports whether what is sent to a certainly arrives at listen.
func reaches(a, listen Address) bool {
	to := dialled(a.Host)
	ip, err := netip.ParseAddr(to)
	here := err == nil && ip.IsLoopback()
	return a.same(listen) || a.Port == listen.Port && (here && listen.everywhere() || to == dialled(listen.Host))
}

// dialled returns the address that a connection to host is made to, if host says it:
// localhost and unspecified addresses are this machine.
func dialled(host string) string {
	ip, err := netip.ParseAddr(host)
	switch {
	case host == "localhost", err == nil && ip == netip.IPv4Unspecified():
		return "127.0.0.1"
	case err == nil && ip == netip.IPv6Unspecified():
		return "::1"
	case err == nil:
		return ip.Unmap().String()
	}
	return strings.ToLower(host)
}

func (d *decoder) checkSecret(path string, s SecretSource) {
	text, file := d.src.has(join(path, "secret")), d.src.has(join(path, "secret_file"))
	switch {
	case path == "":
	case text && file:
		d.fault(path, "secret and secret_file exclude each other")
	case !text && s.File == "" && d.sound(join(path, "secret_file")):
		d.fault(path, "a secret is required: secret, or secret_file with the name of a file")
	}
}
