package lb

// Pick returns the endpoint for the next attempt and counts it active, until Endpoint.Finish, or
// nil when no endpoint is left. tried holds what this exchange has tried and may be nil. It is
// Begin for a Cluster without breakers, budget, key and cookie, whose algorithm needs no clock.
func (p *Picker) Pick(tried *Tried) *Endpoint {
	var a Attempt
	if p.Begin(&a, &Want{Tried: tried}) != Picked {
		return nil
	}
	return a.endpoint
}

// Finish ends an attempt that Pick began. It is called exactly once for each Pick that
// returned e, by any goroutine.
func (e *Endpoint) Finish(Result) { e.active.Add(-1) }
