package discovery

import (
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// What resolv.conf may ask for, at most.
const (
	mostSources  = 8
	mostSearched = 16
	mostDots     = 15
	mostAttempts = 5
	mostTimeout  = 10 * time.Second
)

const port = 53

// settings are how lookups are made: by what servers, in what patience.
type settings struct {
	sources  []netip.AddrPort
	search   []string // domains, lower case, each with a final dot
	dots     int      // a name with fewer is searched for first
	timeout  time.Duration
	attempts int
	rotate   bool // begin with another source each time
	tcp      bool // never use UDP
}

// standard are the settings for what nobody wrote.
func standard() settings {
	return settings{dots: 1, timeout: 2 * time.Second, attempts: 2}
}

// parseResolvConf reads the text of a resolv.conf(5). What it does not know, or is out of
// range, it leaves aside, as the C library does. hostname gives the search list if none is
// written.
func parseResolvConf(text, hostname string) settings {
	s := standard()
	if _, domain, ok := strings.Cut(hostname, "."); ok {
		s.search = searchList([]string{domain})
	}
	for line := range strings.Lines(text) {
		if i := strings.IndexAny(line, "#;"); i >= 0 {
			line = line[:i]
		}
		if words := strings.Fields(line); len(words) > 1 {
			s.take(words[0], words[1:])
		}
	}
	if len(s.sources) == 0 {
		s.sources = []netip.AddrPort{
			netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), port),
			netip.AddrPortFrom(netip.IPv6Loopback(), port),
		}
	}
	return s
}

// take applies one line.
func (s *settings) take(word string, rest []string) {
	switch word {
	case "nameserver":
		if a, err := netip.ParseAddr(rest[0]); err == nil && len(s.sources) < mostSources {
			s.sources = append(s.sources, netip.AddrPortFrom(a, port))
		}
	case "domain":
		s.search = searchList(rest[:1])
	case "search":
		s.search = searchList(rest)
	case "options":
		for _, o := range rest {
			s.option(o)
		}
	}
}

func (s *settings) option(o string) {
	name, value, _ := strings.Cut(o, ":")
	n, err := strconv.Atoi(value)
	if value != "" && (err != nil || n < 0) {
		return
	}
	switch {
	case name == "ndots" && value != "":
		s.dots = min(n, mostDots)
	case name == "timeout" && value != "":
		s.timeout = min(time.Duration(max(n, 1))*time.Second, mostTimeout)
	case name == "attempts" && value != "":
		s.attempts = min(max(n, 1), mostAttempts)
	case o == "rotate":
		s.rotate = true
	case o == "use-vc", o == "usevc", o == "tcp":
		s.tcp = true
	}
}

// searchList makes domains of what is written. The root is not one: a name is tried as it
// stands anyway.
func searchList(domains []string) []string {
	var list []string
	for _, d := range domains {
		d = strings.ToLower(strings.TrimSuffix(d, "."))
		if isName(d) && len(list) < mostSearched {
			list = append(list, d+".")
		}
	}
	return list
}

// candidates are the names that a name may stand for, in the order in which to try them,
// all with a final dot.
func (s *settings) candidates(name string) []string {
	if strings.HasSuffix(name, ".") {
		return []string{name}
	}
	var all []string
	for _, domain := range s.search {
		if full := name + "." + domain; len(full) <= mostName+1 {
			all = append(all, full)
		}
	}
	if strings.Count(name, ".") >= s.dots {
		return append([]string{name + "."}, all...)
	}
	return append(all, name+".")
}
