package discovery

import (
	"slices"
	"time"
)

// A service is what a watch of SRV records knows besides: two sets of records, since a new
// one counts when its targets are known, and the lookups of the targets of both.
type service struct {
	wanted  []Service // the newest
	adopted []Service // those that the endpoints are made of
	since   time.Time // that wanted is the newest
	timer   *time.Timer
	targets map[string]*lookup
}

// update takes the newest records from m and returns the answer. mu is held.
func (s *service) update(w *Watch, m *memory) Answer {
	if !slices.Equal(m.content.services, s.wanted) {
		s.want(w, m.content.services)
	}
	v := s.view()
	if s.ready(v) && !slices.Equal(s.adopted, s.wanted) {
		s.adopted = s.wanted
		s.prune(w)
	}
	endpoints := weigh(s.found(), &w.query)
	return Answer{Status: s.status(m, v, len(endpoints) > 0), Endpoints: endpoints}
}

// want makes records the newest and begins to look up their targets.
func (s *service) want(w *Watch, records []Service) {
	s.wanted, s.since = records, time.Now()
	for _, record := range records {
		if s.targets[record.Target] == nil {
			s.targets[record.Target] = w.resolver.subscribe(w, targetKey(w, record.Target), w.query.Servers)
		}
	}
	s.prune(w)
	if s.timer != nil {
		s.timer.Stop()
	}
	s.timer = time.AfterFunc(grace, func() {
		w.resolver.mu.Lock()
		defer w.resolver.mu.Unlock()
		w.update()
	})
}

// targetKey is the lookup of a target, which is a full name.
func targetKey(w *Watch, target string) key {
	return key{kind: hostKind, name: target + ".", sources: sourceText(w.query.Servers)}
}

// view is what is known of the targets of the newest records.
type view struct {
	some, pending, failed bool // any of them
	absent                bool // all of them are gone, or there are none
}

func (s *service) view() view {
	v := view{absent: true}
	for _, record := range s.wanted {
		m := &s.targets[record.Target].memory
		v.some = v.some || len(m.content.addrs) > 0
		v.pending = v.pending || m.status == Pending
		v.failed = v.failed || m.status == Failed
		v.absent = v.absent && m.gone
	}
	return v
}

// ready reports whether the newest records can take the place of the adopted ones: when all of
// their targets are known, or some of them and the others take long. Records none of whose
// targets can be found do not, unless the names do not exist.
func (s *service) ready(v view) bool {
	return v.absent || v.some && (!v.pending || time.Since(s.since) >= grace)
}

// status is the outcome of all lookups together. serving: there are endpoints.
func (s *service) status(m *memory, v view, serving bool) Status {
	switch {
	case m.status != Resolved || len(s.wanted) == 0:
		return m.status
	case (v.some || v.pending) && serving:
		return Resolved // those in force are good, or the newest are not known yet
	case v.pending:
		return Pending
	case v.failed:
		return Failed
	}
	return NXDomain
}

// found are the adopted records with the addresses of their targets.
func (s *service) found() []located {
	var all []located
	for _, record := range s.adopted {
		if addrs := s.targets[record.Target].memory.content.addrs; len(addrs) > 0 {
			all = append(all, located{record, addrs})
		}
	}
	return all
}

// prune ends the lookups of targets that neither set has.
func (s *service) prune(w *Watch) {
	for target, l := range s.targets {
		has := func(r Service) bool { return r.Target == target }
		if !slices.ContainsFunc(s.wanted, has) && !slices.ContainsFunc(s.adopted, has) {
			delete(s.targets, target)
			w.resolver.unsubscribe(w, l)
		}
	}
}

func (s *service) stop(w *Watch) {
	for _, l := range s.targets {
		w.resolver.unsubscribe(w, l)
	}
	if s.timer != nil {
		s.timer.Stop()
	}
}
