package admin

import (
	"net/http"
	"net/url"
	"strings"
)

const (
	apiPrefix     = "/api/"
	clusterPrefix = "/api/v1/clusters/"
)

// A resource is what one path has.
type resource struct {
	get  http.HandlerFunc // nil = cannot be read
	post change           // nil = cannot be changed
}

// A change acts on the members of a request's JSON object and returns what the
// client is answered.
type change func(fields) (any, error)

// allow lists the methods for the Allow field. Whoever serves GET serves HEAD;
// net/http leaves the body out.
func (r resource) allow() string {
	var methods []string
	if r.get != nil {
		methods = append(methods, http.MethodGet, http.MethodHead)
	}
	if r.post != nil {
		methods = append(methods, http.MethodPost)
	}
	return strings.Join(methods, ", ")
}

// has reports whether the resource knows the method.
func (r resource) has(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead:
		return r.get != nil
	case http.MethodPost:
		return r.post != nil
	}
	return false
}

func get(h http.HandlerFunc) resource { return resource{get: h} }

type handler struct {
	paths map[string]resource
	// cluster makes the resource of one cluster, and endpoint that of an endpoint in
	// it. They are nil where the API shows, or changes, nothing.
	cluster  func(name string) resource
	endpoint func(cluster, id string) resource
	gate     gate
	from     *visitors // nil = nobody counts
}

func newHandler(o Options) *handler {
	h := &handler{gate: newGate(o), paths: map[string]resource{
		"/metrics": get(metrics(o.Stats, o.Log)),
		"/healthz": get(alive),
		"/livez":   get(alive),
		"/readyz":  get(ready(o.State)),
		"/version": get(version(o.Version)),
	}}
	if v := o.View; v != nil {
		h.paths["/"] = get(newStatusPage(o).serve)
		h.paths["/api/v1/clusters"] = get(clusters(v).serve)
		h.paths["/api/v1/routes"] = get(routes(v).serve)
		h.paths["/api/v1/beacons"] = get(beacons(v).serve)
		h.paths["/api/v1/config"] = get(config(v).serve)
		h.cluster = func(name string) resource { return get(cluster(v, name).serve) }
	}
	if c := o.Control; c != nil {
		h.paths["/api/v1/reload"] = resource{post: reload(o.State, c)}
		h.paths["/api/v1/log"] = resource{post: setLogLevel(c)}
		h.endpoint = func(cluster, id string) resource { return resource{post: setEndpoint(c, cluster, id)} }
	}
	return h
}

// find returns the resource of a path as it was written.
func (h *handler) find(path string) (r resource, ok bool) {
	if r, ok = h.paths[path]; ok {
		return r, ok
	}
	rest, ok := strings.CutPrefix(path, clusterPrefix)
	if !ok {
		return resource{}, false
	}
	parts := strings.Split(rest, "/")
	name, err := url.PathUnescape(parts[0])
	switch {
	case err != nil || name == "":
		return resource{}, false
	case len(parts) == 1 && h.cluster != nil:
		return h.cluster(name), true
	case len(parts) == 3 && parts[1] == "endpoints" && parts[2] != "" && h.endpoint != nil:
		return h.endpoint(name, parts[2]), true
	}
	return resource{}, false
}

// ServeHTTP lets a request through the gate to the resource of its path.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.from.serving(r)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	path := r.URL.EscapedPath()
	if err := h.gate.admit(r, path); err != nil {
		refuse(w, path, err)
		return
	}
	found, ok := h.find(path)
	if !ok {
		refuse(w, path, &failure{status: http.StatusNotFound})
		return
	}
	if !found.has(r.Method) {
		w.Header().Set("Allow", found.allow())
		refuse(w, path, &failure{status: http.StatusMethodNotAllowed})
		return
	}
	if err := h.serve(w, r, found); err != nil {
		refuse(w, path, err)
	}
}

// serve has the resource answer, unless it returns an error.
func (h *handler) serve(w http.ResponseWriter, r *http.Request, found resource) error {
	if r.Method != http.MethodPost {
		if _, err := readBody(w, r); err != nil {
			return err
		}
		found.get(w, r)
		return nil
	}
	if err := h.gate.admitChange(r); err != nil {
		return err
	}
	body, err := readBody(w, r)
	if err != nil {
		return err
	}
	members, err := readFields(r.Header.Get("Content-Type"), body)
	if err != nil {
		return err
	}
	answer, err := found.post(members)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, answer)
	return nil
}
