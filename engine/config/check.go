package config

// check reports what is wrong between keys. What is wrong by itself was reported when
// it was decoded, and is left out of comparisons, so that one slip is one fault.
func (d *decoder) check(c *Config) {
	d.checkListeners(c)
	d.checkRoutes(c)
	filled := map[string]bool{}
	for _, r := range c.Beacon.Receive {
		filled[r.Cluster] = true
	}
	for i := range c.Clusters {
		d.checkCluster(&c.Clusters[i], filled[c.Clusters[i].Name])
	}
	d.checkBeacon(c)
}

func (d *decoder) checkListeners(c *Config) {
	if len(c.Listeners) == 0 && d.src.has("listeners") && d.sound("listeners") {
		d.fault("listeners", "at least one listener is needed")
	}
	for i := range c.Listeners {
		l := &c.Listeners[i]
		if d.sound(join(l.path, "address")) && l.Address.Text != "" {
			d.checkListener(c, l, c.Listeners[:i])
		}
		if l.TLS != nil {
			d.checkListenerTLS(l)
		}
	}
}

// checkListener compares l with those before it.
func (d *decoder) checkListener(c *Config, l *Listener, before []Listener) {
	for j := range before {
		switch b := &before[j]; {
		case l.Address.same(b.Address):
			d.fault(join(l.path, "address"), "%s is the address of %s already", shown(l.Address.Text), b.path)
			return
		case l.Name == b.Name:
			d.fault(join(l.path, "name"), "%s is the name of %s already", shown(l.Name), b.path)
			return
		}
	}
	if c.Admin != nil && l.Address.covers(c.Admin.Address) {
		d.fault(join(l.path, "address"), "%s is the address of the admin listener already; move admin.address", shown(l.Address.Text))
	}
}

func (d *decoder) checkListenerTLS(l *Listener) {
	path := join(l.path, "tls")
	if at := join(path, "certificates"); len(l.TLS.Certificates) == 0 && d.src.has(at) && d.sound(at) {
		d.fault(at, "at least one certificate is needed")
	}
	if at := join(path, "client_auth"); d.src.has(at) && !d.src.has(join(path, "client_ca")) {
		d.fault(at, "client_auth needs client_ca, the roots of the clients' certificates")
	}
}
