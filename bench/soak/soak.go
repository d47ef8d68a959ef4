package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

const (
	restLimit   = 5 * time.Second // from the end of the load until everything is as before
	growthLimit = 4 << 20         // bytes that the process may have grown since the first round
	formLimit   = 10 * time.Second
	idleCPU     = 100 * time.Millisecond // a second, of a proxy that has nothing to do
)

// A soak is one run on a rig.
type soak struct {
	options
	rig     *rig
	verdict *verdict
	crowd   *crowd
	out     io.Writer
}

// rounds loads the proxy and lets it rest, again and again. An error is one of the rig or
// of ctx; what the proxy does wrong is in the verdict.
func (s *soak) rounds(ctx context.Context) error {
	if err := fullHouse(&s.rig.place, s.Permits); err != nil {
		s.verdict.violated("full house before the load: %v", err)
	}
	before, err := s.quiet()
	if err != nil {
		return err
	}
	var first int64
	for round := range s.Rounds {
		if err := s.round(ctx, round); err != nil {
			return err
		}
		rested := time.Now().Add(restLimit)
		if err := s.rest(before, rested); err != nil {
			return err
		}
		memory, err := s.memory(first, rested)
		if err != nil {
			return err
		}
		if round == 0 {
			first = memory
		}
		if err := s.idle(); err != nil {
			return err
		}
		if err := fullHouse(&s.rig.place, s.Permits); err != nil {
			s.verdict.violated("full house after round %d: %v", round+1, err)
		}
		if err := s.rest(before, time.Now().Add(restLimit)); err != nil {
			return err
		}
		s.report(round, memory)
	}
	return nil
}

// quiet waits until the proxy does nothing, and returns its state.
func (s *soak) quiet() (state, error) {
	var last state
	steady := 0
	for end := time.Now().Add(2 * restLimit); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		now, err := s.rig.measure()
		if err != nil {
			return nil, err
		}
		busy := now["millrace_connections"] + now["millrace_proxy_pool_idle"] + now["connections at the upstreams"]
		if busy == 0 && last != nil && len(now.unlike(last)) == 0 {
			if steady++; steady == 3 {
				return now, nil
			}
		} else {
			steady = 0
		}
		last = now
	}
	return nil, fmt.Errorf("the proxy does not come to rest before the load: %v", last)
}

// round is one time of load, with changes of the configuration in it. It ends on form a.
func (s *soak) round(ctx context.Context, round int) error {
	applied, err := s.applied()
	if err != nil {
		return err
	}
	s.rig.file.changes = 0
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() {
		if s.Reload > 0 {
			stopped <- s.rig.file.run(stop, s.Reload)
		} else {
			stopped <- nil
		}
	}()
	loading, cancel := context.WithTimeout(ctx, s.Duration/time.Duration(s.Rounds))
	s.crowd.load(loading, round, s.Clients)
	cancel()
	close(stop)
	if err := errors.Join(<-stopped, ctx.Err()); err != nil {
		return err
	}
	if s.Reload == 0 {
		return nil
	}
	return s.reloaded(applied)
}

// reloaded goes back to form a, and checks that a good part of the changes was seen. Those
// that follow fast on each other may be taken as one.
func (s *soak) reloaded(before float64) error {
	if err := s.rig.file.write(formA); err != nil {
		return err
	}
	if err := s.rig.becomes(formA, formLimit); err != nil {
		s.verdict.violated("after the last change: %v", err)
	}
	after, err := s.applied()
	if err != nil {
		return err
	}
	if n := int(after - before); 3*n < s.rig.file.changes {
		s.verdict.violated("%d reloads for %d changes of the configuration", n, s.rig.file.changes)
	}
	return nil
}

// applied returns how many reloads there were.
func (s *soak) applied() (float64, error) {
	families, err := s.rig.scrape()
	return families["millrace_config_reloads_total"], err
}

// rest waits until the proxy is as before, at most until end.
func (s *soak) rest(before state, end time.Time) error {
	for {
		now, err := s.rig.measure()
		if err != nil {
			return err
		}
		differences := now.unlike(before)
		if len(differences) == 0 {
			return nil
		}
		if time.Now().After(end) {
			s.verdict.violated("after %v of rest: %s", restLimit, strings.Join(differences, "; "))
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// memory returns how many bytes the process has in memory when it has rested until end. It
// is a violation to have grown since the first round; first is 0 in that one.
func (s *soak) memory(first int64, end time.Time) (int64, error) {
	for {
		bytes, err := resident(s.rig.proxy.Pid)
		if err != nil {
			return 0, err
		}
		grown := bytes - first
		switch rested := time.Now().After(end); {
		case first > 0 && grown <= growthLimit, first == 0 && rested:
			return bytes, nil
		case rested:
			s.verdict.violated("memory has grown by %.1f MiB since the first round", float64(grown)/(1<<20))
			return bytes, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// idle checks that a proxy without clients does next to nothing.
func (s *soak) idle() error {
	before, err := s.rig.proxy.Usage()
	if err != nil {
		return err
	}
	time.Sleep(time.Second)
	after, err := s.rig.proxy.Usage()
	if used := after.Sub(before).CPU; err == nil && used > idleCPU {
		s.verdict.violated("%v of CPU used in a second without clients", used)
	}
	return err
}

func (s *soak) report(round int, memory int64) {
	fmt.Fprintf(s.out, "soak: after round %d: %d answers compared, %d changes of the configuration in it, %.1f MiB, %d violations\n",
		round+1, s.rig.place.whole.Load(), s.rig.file.changes, float64(memory)/(1<<20), s.verdict.violations())
	if round+1 < s.Rounds {
		return
	}
	for i := range behaviours {
		fmt.Fprintf(s.out, "soak: %7d visits %s\n", s.crowd.visits[i].Load(), behaviours[i].name)
	}
}
