package discovery

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// A zone takes the place of the name servers in tests whose time is not real.
type zone struct {
	mu      sync.Mutex
	records map[question][]dns.RR
	exists  map[string]bool  // other names are NXDOMAIN
	rcodes  map[question]int // instead of records
	delays  map[question]time.Duration
	silent  map[question]bool
	asked   map[question][]time.Time // when each question came
	minimum uint32                   // of the SOA record of negative answers; 0 = none is sent
	steps   bool                     // an alias comes alone, as from a server that does not follow it
}

func newZone() *zone {
	return &zone{records: map[question][]dns.RR{}, exists: map[string]bool{}, rcodes: map[question]int{},
		delays: map[question]time.Duration{}, silent: map[question]bool{}, asked: map[question][]time.Time{}}
}

// set replaces the records of names by those of a zone file. A name alone exists and has none.
func (z *zone) set(lines ...string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	fresh := map[question]bool{}
	for _, line := range lines {
		name, rest, _ := strings.Cut(line, " ")
		z.exists[name] = true
		if rest == "" {
			for _, t := range []uint16{dns.TypeA, dns.TypeAAAA, dns.TypeSRV} {
				delete(z.records, question{name, t})
			}
			continue
		}
		rr, err := dns.NewRR(line)
		if err != nil {
			panic(err)
		}
		q := question{name, rr.Header().Rrtype}
		if !fresh[q] {
			fresh[q], z.records[q] = true, nil
		}
		z.records[q] = append(z.records[q], rr)
	}
}

// remove makes names NXDOMAIN.
func (z *zone) remove(names ...string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	for _, name := range names {
		delete(z.exists, name)
		for q := range z.records {
			if q.name == name {
				delete(z.records, q)
			}
		}
	}
}

// fail gives a question this response code, or with dns.RcodeSuccess its records again.
func (z *zone) fail(name string, rcode int, types ...uint16) {
	z.each(name, types, func(q question) { z.rcodes[q] = rcode })
}

func (z *zone) silence(name string, on bool, types ...uint16) {
	z.each(name, types, func(q question) { z.silent[q] = on })
}

func (z *zone) delay(name string, by time.Duration, types ...uint16) {
	z.each(name, types, func(q question) { z.delays[q] = by })
}

func (z *zone) each(name string, types []uint16, do func(question)) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if types == nil {
		types = []uint16{dns.TypeA, dns.TypeAAAA, dns.TypeSRV}
	}
	for _, t := range types {
		do(question{name, t})
	}
}

// times returns when a question came.
func (z *zone) times(name string, qtype uint16) []time.Time {
	z.mu.Lock()
	defer z.mu.Unlock()
	return append([]time.Time(nil), z.asked[question{name, qtype}]...)
}

func (z *zone) count(name string, qtype uint16) int { return len(z.times(name, qtype)) }

// exchange is that of a client.
func (z *zone) exchange(ctx context.Context, _ netip.AddrPort, q question, _ bool) (*dns.Msg, error) {
	z.mu.Lock()
	z.asked[q] = append(z.asked[q], time.Now())
	silent, delay := z.silent[q], z.delays[q]
	reply := z.reply(q)
	z.mu.Unlock()
	if silent {
		delay = time.Hour
	}
	delay += time.Nanosecond // no answer is there before time goes by
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(delay):
		return reply, nil
	}
}

func (z *zone) reply(q question) *dns.Msg {
	reply := new(dns.Msg)
	reply.Response, reply.Authoritative = true, true
	if code := z.rcodes[q]; code != dns.RcodeSuccess {
		reply.Rcode = code
		return reply
	}
	name := q.name
	for range 40 {
		alias := z.records[question{name, dns.TypeCNAME}]
		if len(alias) == 0 {
			break
		}
		reply.Answer = append(reply.Answer, alias...)
		if z.steps {
			return reply
		}
		name = alias[0].(*dns.CNAME).Target
	}
	reply.Answer = append(reply.Answer, z.records[question{name, q.qtype}]...)
	if len(reply.Answer) == 0 && !z.exists[name] {
		reply.Rcode = dns.RcodeNameError
	}
	if len(reply.Answer) == 0 && z.minimum > 0 {
		reply.Ns = []dns.RR{&dns.SOA{Hdr: dns.RR_Header{Name: "test.", Rrtype: dns.TypeSOA, Class: dns.ClassINET, Ttl: 3600}, Ns: ".", Mbox: ".", Minttl: z.minimum}}
	}
	return reply
}

// A desk is a resolver that asks a zone, with what it was told and logged.
type desk struct {
	*Resolver
	*zone
	log *journal
}

// open makes a desk. Its files are empty; text, if any, is that of resolv.conf.
func open(t *testing.T, text ...string) *desk {
	t.Helper()
	dir := t.TempDir()
	d := &desk{zone: newZone(), log: &journal{}}
	o := Options{Log: slog.New(d.log), ResolvConf: filepath.Join(dir, "resolv.conf"), Hosts: filepath.Join(dir, "hosts")}
	write(t, o.ResolvConf, strings.Join(text, "\n"))
	write(t, o.Hosts, "")
	d.Resolver = newResolver(o, func(context.Context, string, string) ([]netip.Addr, error) { return nil, errors.New("no library") })
	d.Resolver.finder.client.exchange = d.zone.exchange
	t.Cleanup(d.Close)
	return d
}

// A heard is a watch with all that it was told.
type heard struct {
	*Watch
	mu      sync.Mutex
	answers []Answer
}

func (d *desk) watch(q Query) *heard {
	h := &heard{}
	h.Watch = d.Watch(q, func(a Answer) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.answers = append(h.answers, a)
	})
	return h
}

// calls is how often it was told.
func (h *heard) calls() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.answers)
}

// last is what it was told last.
func (h *heard) last() Answer {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.answers) == 0 {
		return Answer{}
	}
	return h.answers[len(h.answers)-1]
}

// A journal keeps log lines as "LEVEL message name status".
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) Enabled(context.Context, slog.Level) bool { return true }
func (j *journal) WithAttrs([]slog.Attr) slog.Handler       { return j }
func (j *journal) WithGroup(string) slog.Handler            { return j }

func (j *journal) Handle(_ context.Context, r slog.Record) error {
	line := r.Level.String() + " " + r.Message
	r.Attrs(func(a slog.Attr) bool {
		if a.Key != "error.message" {
			line += " " + a.Value.String()
		}
		return true
	})
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, line)
	return nil
}

func (j *journal) all() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Join(j.lines, "\n")
}

// text is an answer as status: address*weight@priority=target ...
func (a Answer) text() string {
	out := a.Status.String() + ":"
	for _, e := range a.Endpoints {
		out += " " + e.text()
	}
	return out
}

func (e Endpoint) text() string {
	out := e.Addr.String()
	if e.Weight != 1 || e.Priority != 0 {
		out += "*" + itoa(e.Weight)
	}
	if e.Priority != 0 {
		out += "@" + itoa(e.Priority)
	}
	if e.Target != "" {
		out += "=" + e.Target
	}
	return out
}

// is fails the test unless the watch has this answer.
func (h *heard) is(t *testing.T, want string) {
	t.Helper()
	if got := h.Answer().text(); got != want {
		t.Errorf("answer %q, want %q", got, want)
	}
}
