package health

// A Verdict is what probes have found about an endpoint.
type Verdict uint8

const (
	Unknown   Verdict = iota // no probe has ended yet; counts as healthy
	Healthy                  // the last probes passed
	Unhealthy                // enough of them failed
)

// A tally is a verdict with the probes in a row that speak against it, or for it.
type tally struct {
	verdict       Verdict
	fails, passes int // in a row, up to the last probe
}

// add returns the tally after one more probe. Before the first verdict one pass is enough:
// the endpoint serves already.
func (t tally) add(passed bool, c *Check) tally {
	if passed {
		t.fails, t.passes = 0, t.passes+1
	} else {
		t.fails, t.passes = t.fails+1, 0
	}
	switch {
	case t.verdict != Unhealthy && t.fails >= c.Fails:
		t.verdict = Unhealthy
	case t.verdict == Unknown && passed:
		t.verdict = Healthy
	case t.verdict == Unhealthy && t.passes >= c.Passes:
		t.verdict = Healthy
	}
	return t
}
