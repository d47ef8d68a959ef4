package health

import "testing"

// A sequence of probes: + passed, - failed. The wanted verdicts, one a probe: ? unknown,
// h healthy, u unhealthy.
func TestVerdict(t *testing.T) {
	signs := map[Verdict]byte{Unknown: '?', Healthy: 'h', Unhealthy: 'u'}
	f := func(from Verdict, fails, passes int, probes, want string) {
		t.Helper()
		c := &Check{Fails: fails, Passes: passes}
		state := tally{verdict: from}
		got := ""
		for _, p := range probes {
			state = state.add(p == '+', c)
			got += string(signs[state.verdict])
		}
		if got != want {
			t.Errorf("from %c, fails %d, passes %d, %s: %s, want %s", signs[from], fails, passes, probes, got, want)
		}
	}
	f(Unknown, 2, 2, "+", "h")
	f(Unknown, 2, 2, "-+", "?h")
	f(Unknown, 2, 2, "--", "?u")
	f(Unknown, 1, 1, "-+-", "uhu")
	f(Healthy, 2, 2, "-+-+-", "hhhhh")
	f(Healthy, 3, 2, "---", "hhu")
	f(Healthy, 3, 2, "--+--+---", "hhhhhhhhu")
	f(Unhealthy, 2, 2, "+", "u")
	f(Unhealthy, 2, 3, "++-+++", "uuuuuh")
	f(Unhealthy, 2, 2, "++--", "uhhu")
	f(Unhealthy, 2, 1, "-----+", "uuuuuh")
}
