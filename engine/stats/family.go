package stats

import "slices"

// Kinds of families.
const (
	counter   = "counter"
	gaugeKind = "gauge"
	histoKind = "histogram"
	summary   = "summary"
)

// A family is a metric with all its series.
type family struct {
	name, kind, help string
	write            func(*text, *view)
}

// A view is the handles that are read in one scrape.
type view struct {
	registry  *Registry
	routes    []*Route
	endpoints []*endpointSeries
	listeners []*Listener
	build     string
	dns       DNS
	beacons   Beacons
}

const proxy = "millrace_proxy_"

// families returns every family of ours, in the order in which they are written.
func families() []family {
	return slices.Concat(processFamilies(), proxyFamilies(), dnsFamilies(), beaconFamilies())
}

func processFamilies() []family {
	return []family{
		{"millrace_build_info", gaugeKind, "Version of the program, of the Go release and of the source it was built from; always 1.", writeBuild},
		{"millrace_config_last_reload_success", gaugeKind, "Whether the last load of the configuration succeeded: 1, else 0.",
			func(t *text, v *view) { t.float(v.registry.config.success()) }},
		{"millrace_config_last_reload_timestamp_seconds", gaugeKind, "Unix time of the last load of the configuration that succeeded.",
			func(t *text, v *view) { t.float(v.registry.config.successTime()) }},
		{"millrace_config_reloads_total", counter, "Reloads of the configuration, by result.", writeReloads},
		{"millrace_requests_total", counter, "Client requests that ended, by route, cluster and status.", writeRequests},
		{"millrace_request_duration_seconds", histoKind, "Time from a complete request head to the head of its answer.", writeDurations},
		{"millrace_connections", gaugeKind, "Open client connections, by listener as configured.", writeConnections},
		{"millrace_accept_errors_total", counter, "Accepts that failed for want of descriptors or memory.", plain(AcceptErrors)},
		{"millrace_access_log_dropped_total", counter, "Lines that the access log could not take.", plain(AccessLogDropped)},
		{"millrace_trace_spans_dropped_total", counter, "Spans that were not exported.", plain(TraceSpansDropped)},
	}
}

func proxyFamilies() []family {
	return []family{
		{proxy + "backends_selected_total", counter, "Times an endpoint was picked by the balancer.", ofEndpoint(Selected)},
		{proxy + "backends_selected_per_request_total", counter, "Attempts on an endpoint: picks and retries on the same endpoint.", writeAttempts},
		{proxy + "backends_excluded_total", counter, "Times an endpoint was passed over in a pick, by reason.", writeExcluded},
		{proxy + "backends_unhealthy_total", counter, "Times an endpoint was given up, by an active check or its circuit breaker.", writeUnhealthy},
		{proxy + "requests_total", counter, "Attempts that got an answer, by status and kind of connection.", writeAnswers},
		{proxy + "failures_total", counter, "Requests that ended without an answer of an endpoint, by type and the status the client got.", writeFailures},
		{proxy + "retry_count_total", counter, "Retries that went to an endpoint, by method.", writeRetries},
		{proxy + "same_upstream_retry_count_total", counter, "Retries on the endpoint that had just failed, by method; part of retry_count.", writeSameRetries},
		{proxy + "retry_final", gaugeKind, "Whether the last retry that ended a request succeeded: 1, else 0.", writeLastRetry},
		{proxy + "retry_final_total", counter, "Last retries of a request, by outcome.", writeFinalRetries},
		{proxy + "retry_budget_exhausted_total", counter, "Retries that the retry budget refused, by the endpoint that had failed.", ofEndpoint(RetriesRefused)},
		{proxy + "retry_budget_tokens_available", gaugeKind, "Retries that the budget of the endpoint's cluster allows now.", ofGauge(BudgetTokens)},
		{proxy + "circuit_state", gaugeKind, "State of an endpoint's circuit breaker: 0 closed, 1 open, 2 half-open.", ofGauge(CircuitState)},
		{proxy + "circuit_open_total", counter, "Times that an endpoint's circuit breaker opened.", writeOpened},
		{proxy + "circuit_flapping", gaugeKind, "Whether an endpoint's circuit breaker changes too often: 1, else 0.", ofGauge(CircuitFlapping)},
		{proxy + "health_success_total", counter, "Active checks that passed.", ofEndpoint(CheckPassed)},
		{proxy + "health_failure_total", counter, "Active checks that failed.", ofEndpoint(CheckFailed)},
		{proxy + "health_duration_seconds", histoKind, "Time that active checks took.",
			ofHistogram(&requestScale, func(e *endpointSeries) times {
				return e.sum(func(s *endpointSheet) *histogram { return &s.check })
			})},
		{proxy + "stale_retries_total", counter, "Requests sent again on a fresh connection because the reused one turned out to be closed.", ofEndpoint(StaleRetries)},
		{proxy + "upstream_response_truncated_total", counter, "Answers that ended before their Content-Length.", ofEndpoint(UpstreamTruncated)},
		{proxy + "tls_handshake_failures_total", counter, "TLS handshakes with an endpoint that failed.", ofEndpoint(TLSHandshakeFailures)},
		{proxy + "connect_latency_seconds", histoKind, "Time to establish a connection, TLS included.",
			ofHistogram(&requestScale, func(e *endpointSeries) times {
				return e.sum(func(s *endpointSheet) *histogram { return &s.connect })
			})},
		{proxy + "ttfb_seconds", histoKind, "Time from a request sent to the first byte of its answer.", ofHistogram(&requestScale, (*endpointSeries).firstBytes)},
		{proxy + "lb_active_connections", gaugeKind, "Attempts in flight on an endpoint.", ofGauge(ActiveConnections)},
		{proxy + "lb_ewma_latency_seconds", gaugeKind, "Moving average of an endpoint's latency; 0 is not measured.", ofGauge(EWMALatency)},
		{proxy + "lb_warmup_state", gaugeKind, "Whether no answer of an endpoint was timed yet: 1, else 0.", ofGauge(WarmingUp)},
		{proxy + "lb_score", gaugeKind, "Score of an endpoint under the cluster's algorithm; lower is preferred.", ofGauge(Score)},
		{proxy + "pool_hit_total", counter, "Idle connections that were taken for a request.", ofEndpoint(Reused)},
		{proxy + "pool_miss_total", counter, "Connections that were opened because none was idle.",
			func(t *text, v *view) {
				for _, e := range v.endpoints {
					t.count(e.opened(), e.labels)
				}
			}},
		{proxy + "pool_idle", gaugeKind, "Idle connections, by worker.", writePooled(func(idle, _ int64) int64 { return idle })},
		{proxy + "pool_outstanding", gaugeKind, "Connections in use, by worker.", writePooled(func(_, busy int64) int64 { return busy })},
		{proxy + "pool_waits_total", counter, "Requests that had to wait for a connection.", ofEndpoint(PoolWaits)},
		{proxy + "pool_wait_time_seconds", histoKind, "Time that requests waited for a connection.",
			ofHistogram(&waitScale, func(e *endpointSeries) times {
				return e.sum(func(s *endpointSheet) *histogram { return &s.wait })
			})},
		{proxy + "pool_local_limit", gaugeKind, "Most connections to an endpoint; 0 is no limit.", ofGauge(LocalLimit)},
		{proxy + "pool_global_limit", gaugeKind, "Most upstream connections of the process.",
			func(t *text, v *view) { t.count(v.registry.globalLimit.Load()) }},
	}
}
