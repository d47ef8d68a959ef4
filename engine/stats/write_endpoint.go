package stats

func ofEndpoint(c EndpointCounter) func(*text, *view) {
	return func(t *text, v *view) {
		for _, e := range v.endpoints {
			t.count(e.total(c), e.labels)
		}
	}
}

func ofHistogram(s *scale, sum func(*endpointSeries) times) func(*text, *view) {
	return func(t *text, v *view) {
		for _, e := range v.endpoints {
			t.histogram(s, sum(e), e.labels)
		}
	}
}

func ofGauge(g EndpointGauge) func(*text, *view) {
	return func(t *text, v *view) {
		for _, e := range v.endpoints {
			if n, ok := e.value(g); ok {
				t.float(n, e.labels)
			}
		}
	}
}

func writePooled(which func(idle, busy int64) int64) func(*text, *view) {
	return func(t *text, v *view) {
		for _, e := range v.endpoints {
			for w, worker := range v.registry.workerLabels {
				t.count(which(e.pooled(w)), e.labels, worker)
			}
		}
	}
}

// writeAttempts derives the attempts: a retry on the same endpoint is one
// without a pick.
func writeAttempts(t *text, v *view) {
	for _, e := range v.endpoints {
		n := e.total(Selected)
		for _, same := range e.retryTotals().same {
			n += same
		}
		t.count(n, e.labels)
	}
}

func writeExcluded(t *text, v *view) {
	for _, e := range v.endpoints {
		for g := ExcludedCircuitOpen; g <= ExcludedOverloaded; g++ {
			if n, _ := e.value(g); n > 0 {
				t.count(int64(n), e.labels, exclusionLabels[g])
			}
		}
	}
}

// writeUnhealthy counts the times that an endpoint was given up, by who did.
func writeUnhealthy(t *text, v *view) {
	for _, e := range v.endpoints {
		t.count(e.total(MarkedUnhealthy), e.labels, label("health_check_type", "active"))
		n, _ := e.value(CircuitOpened)
		t.count(int64(n), e.labels, label("health_check_type", "circuit_breaker"))
	}
}

// writeOpened counts the times that a circuit opened.
func writeOpened(t *text, v *view) {
	for _, e := range v.endpoints {
		n, _ := e.value(CircuitOpened)
		t.count(int64(n), e.labels)
	}
}

var exclusionLabels = [endpointGaugeCount]string{
	ExcludedCircuitOpen:  label("reason", "circuit_open"),
	ExcludedAlreadyTried: label("reason", "already_tried"),
	ExcludedOverloaded:   label("reason", "overloaded"),
}

func writeAnswers(t *text, v *view) {
	for _, e := range v.endpoints {
		writeStatuses(t, e.statuses(false), e.labels, label("connection_reused", "false"))
		writeStatuses(t, e.statuses(true), e.labels, label("connection_reused", "true"))
	}
}

func writeStatuses(t *text, statuses statusTotals, endpoint, reused string) {
	for status, n := range statuses {
		if n > 0 {
			t.count(n, endpoint, reused, label("http_response_status_code", statusValue(status)))
		}
	}
}

func writeRetries(t *text, v *view) {
	byMethod(t, v, func(r *retryTotals) *[methodCount]int64 { return &r.all })
}

func writeSameRetries(t *text, v *view) {
	byMethod(t, v, func(r *retryTotals) *[methodCount]int64 { return &r.same })
}

func byMethod(t *text, v *view, of func(*retryTotals) *[methodCount]int64) {
	for _, e := range v.endpoints {
		totals := e.retryTotals()
		for m, n := range of(&totals) {
			if n > 0 {
				t.count(n, e.labels, methodLabels[m])
			}
		}
	}
}

func writeLastRetry(t *text, v *view) {
	for _, e := range v.endpoints {
		for m := range e.lastRetry {
			switch e.lastRetry[m].Load() {
			case retrySucceeded:
				t.count(1, e.labels, methodLabels[m])
			case retryFailed:
				t.count(0, e.labels, methodLabels[m])
			}
		}
	}
}

func writeFinalRetries(t *text, v *view) {
	for _, e := range v.endpoints {
		totals := e.retryTotals()
		for m := range methodLabels {
			if n := totals.succeeded[m]; n > 0 {
				t.count(n, e.labels, methodLabels[m], label("outcome", "success"))
			}
			if n := totals.failed[m]; n > 0 {
				t.count(n, e.labels, methodLabels[m], label("outcome", "failure"))
			}
		}
	}
}
