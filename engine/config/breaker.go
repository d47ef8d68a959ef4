package config

import "time"

// CircuitBreaker is when an endpoint is left alone, and when it is tried again.
type CircuitBreaker struct {
	// MaxFails failures inside Window open the circuit.
	MaxFails int
	Window   time.Duration
	// OpenDuration is the time from open to half-open.
	OpenDuration time.Duration
	// ConsecutivePasses in half-open close the circuit.
	ConsecutivePasses int
	// Record5xx counts 5xx answers as failures.
	Record5xx bool
	// LatencyThreshold counts slower answers as failures; 0 is none.
	LatencyThreshold time.Duration
	// FlappingTransitions inside FlappingWindow mark an endpoint as flapping; 0 is off.
	FlappingTransitions int
	FlappingWindow      time.Duration
	// SlowStart is the time over which a recovered endpoint gets its full share; 0 is at once.
	SlowStart time.Duration
}

func (b *CircuitBreaker) form() form {
	const most = 100_000
	return mapping{keys: keys{
		{name: "max_fails", form: integer(&b.MaxFails, 1, most),
			doc: "Failures inside `window` that open the circuit"},
		{name: "window", form: duration(&b.Window, positive),
			doc: "How long a failure counts"},
		{name: "open_duration", form: duration(&b.OpenDuration, positive),
			doc: "How long an endpoint is then left alone, before one request at a time tries it"},
		{name: "consecutive_passes", form: integer(&b.ConsecutivePasses, 1, most),
			doc: "Successful tries that close the circuit"},
		{name: "record_5xx", form: boolean(&b.Record5xx),
			doc: "Count 5xx answers as failures"},
		{name: "latency_threshold", form: optional{duration(&b.LatencyThreshold, positive)},
			doc: "Count slower answers as failures"},
		{name: "flapping_transitions", form: integer(&b.FlappingTransitions, 0, most),
			doc: "Transitions inside `flapping_window` that mark an endpoint as flapping, which quiets its log. 0 is off"},
		{name: "flapping_window", form: duration(&b.FlappingWindow, positive),
			doc: "How long a transition counts"},
		{name: "slow_start", form: duration(&b.SlowStart, zeroAllowed),
			doc: "How long a recovered endpoint takes to get its full share. 0 is at once"},
	}}
}

// RetryBudget caps retries to a share of the traffic.
type RetryBudget struct {
	// MaxRetryRate is the part of a token that a success deposits, 0 to 1.
	MaxRetryRate float64
	// MaxTokens is the size of the bucket, which starts full.
	MaxTokens int
	// RefillRate is tokens per second.
	RefillRate float64
}

func (b *RetryBudget) form() form {
	const most = 1_000_000
	return mapping{keys: keys{
		{name: "max_retry_rate", form: decimal(&b.MaxRetryRate, 0, 1),
			doc: "What a success puts back, 0 to 1: retries as a share of successes. 0 is nothing"},
		{name: "max_tokens", form: integer(&b.MaxTokens, 1, most),
			doc: "Size of the bucket: how many retries may come in a burst"},
		{name: "refill_rate", form: decimal(&b.RefillRate, 0, most),
			doc: "Tokens that time puts back, each second. 0 is none"},
	}}
}
