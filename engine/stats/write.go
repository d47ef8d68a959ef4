package stats

import "io"

// WritePrometheus writes every series in the Prometheus text format 0.0.4: the
// proxy's own families, then those of the process and the Go runtime. It
// returns the first error of w, after which nothing more is written.
func (r *Registry) WritePrometheus(w io.Writer) error {
	t := &text{to: w}
	r.writeOwn(t)
	writeRuntime(t)
	t.flush()
	return t.err
}

func (r *Registry) writeOwn(t *text) {
	v := r.view()
	for _, f := range families() {
		t.begin(&f)
		f.write(t, v)
		if t.err != nil {
			return
		}
	}
}

func (r *Registry) view() *view {
	dns, beacons := r.readDNS(), r.readBeacons()
	r.mu.Lock()
	defer r.mu.Unlock()
	return &view{
		registry:  r,
		routes:    r.routes.sorted(func(rt *Route) string { return rt.labels }),
		endpoints: r.series.sorted(func(e *endpointSeries) string { return e.labels }),
		listeners: r.listeners.sorted(func(l *Listener) string { return l.labels }),
		build:     r.build,
		dns:       dns,
		beacons:   beacons,
	}
}

func plain(c Counter) func(*text, *view) {
	return func(t *text, v *view) { t.count(v.registry.total(c)) }
}

func writeBuild(t *text, v *view) {
	if v.build != "" {
		t.count(1, v.build)
	}
}

func writeReloads(t *text, v *view) {
	for result, n := range v.registry.config.results() {
		if n > 0 {
			t.count(n, label("result", ReloadResult(result).String()))
		}
	}
}

func writeRequests(t *text, v *view) {
	for _, rt := range v.routes {
		for status, n := range rt.statuses() {
			if n > 0 {
				t.count(n, rt.labels, label("status", statusValue(status)))
			}
		}
	}
}

func writeDurations(t *text, v *view) {
	for _, rt := range v.routes {
		t.histogram(&requestScale, rt.durations(), rt.labels)
	}
}

func writeConnections(t *text, v *view) {
	for _, l := range v.listeners {
		t.count(l.open(), l.labels)
	}
}

func writeFailures(t *text, v *view) {
	for e := range errorTypeCount {
		var statuses statusTotals
		for w := range v.registry.sheets {
			v.registry.sheets[w].failures[e].addTo(&statuses)
		}
		for status, n := range statuses {
			if n > 0 {
				t.count(n, label("error_type", e.String()), label("http_response_status_code", statusValue(status)))
			}
		}
	}
}
