package config

import (
	"slices"
	"strings"
)

func (d *decoder) checkRoutes(c *Config) {
	if len(c.Routes) == 0 && d.src.has("routes") && d.sound("routes") {
		d.fault("routes", "at least one route is needed")
	}
	listeners, clusters := listenerNames(c), clusterNames(c)
	claims := map[claim]string{}
	for i := range c.Routes {
		r := &c.Routes[i]
		if r.path == "" {
			continue // reported already
		}
		d.checkDestination(c, r, clusters)
		for j, name := range r.Listeners {
			if !slices.Contains(listeners, name) && d.sound("listeners") {
				d.fault(index(join(r.path, "listeners"), j), "no listener is called %s%s", shown(name), hint(name, listeners))
			}
		}
		if d.sound(r.path) {
			d.checkClaims(r, claims)
		}
	}
}

func listenerNames(c *Config) []string {
	names := make([]string, len(c.Listeners))
	for i := range c.Listeners {
		names[i] = c.Listeners[i].Name
	}
	return names
}

// clusterNames returns those that a route can be sent to by name.
func clusterNames(c *Config) []string {
	var names []string
	for i := range c.Clusters {
		if !c.Clusters[i].Inline {
			names = append(names, c.Clusters[i].Name)
		}
	}
	return names
}

// hasCluster reports whether a route can be sent to a cluster of that name.
func (c *Config) hasCluster(name string) bool {
	cl := c.Cluster(name)
	return cl != nil && !cl.Inline
}

// checkDestination reports a route that leads nowhere, or to more than one place.
func (d *decoder) checkDestination(c *Config, r *Route, clusters []string) {
	var written []string
	for _, name := range []string{"proxy", "cluster", "local"} {
		if d.src.has(join(r.path, name)) {
			written = append(written, name)
		}
	}
	switch {
	case len(written) == 0:
		d.fault(r.path, "a route needs one of proxy, cluster, local")
	case len(written) > 1:
		d.fault(r.path, "a route has only one of proxy, cluster, local, not %s", strings.Join(written, " and "))
	case written[0] == "cluster" && d.sound(join(r.path, "cluster")) && !c.hasCluster(r.Cluster):
		d.fault(join(r.path, "cluster"), "no cluster is called %s%s", shown(r.Cluster), hint(r.Cluster, clusters))
	case r.Local != nil && r.Local.Body != "" && r.Local.hasNoBody():
		d.fault(join(r.path, "local"), "an answer with status %d has no body; remove it or choose another status", r.Local.Status)
	}
}

// A claim is what at most one route may have. The empty listener is that of the routes
// which name none; they may be overruled on one listener by a route that names it.
type claim struct {
	listener, host, prefix string
}

// checkClaims reports that another route, or the same one twice, matches the same requests.
func (d *decoder) checkClaims(r *Route, claims map[claim]string) {
	for _, listener := range orAny(r.Listeners) {
		for _, host := range orAny(r.Hosts) {
			key := claim{listener, host, r.Prefix}
			switch first := claims[key]; first {
			case "":
				claims[key] = r.path
			case r.path:
				d.fault(r.path, "the host %s or a listener is listed twice", shown(host))
				return
			default:
				d.fault(r.path, "the same host and prefix as %s (%s)", first, shown(host+r.Prefix))
				return
			}
		}
	}
}

func orAny(list []string) []string {
	if len(list) == 0 {
		return []string{""}
	}
	return list
}
