package route

// none is the number of no rule.
const none = -1

// An index finds the number of the rule for host and path.
type index struct {
	exact       map[string]*prefixes // by host in lower case
	wild        map[string]*prefixes // by suffix with its leading dot: ".a.example" for *.a.example
	wildLengths []int                // lengths that occur in wild, longest first
	any         *prefixes            // of the rules for any host
}

// prefixes holds the rules of one host pattern.
//
// A look-up costs a hash for each length at which the path has a segment boundary, not
// for each rule, so it is as cheap with ten thousand rules as with one.
type prefixes struct {
	rules   map[string]*candidates
	lengths []int       // lengths that occur in rules, longest first, without the root's
	root    *candidates // of the prefix "/", the most common one; nil if there is none
}

// candidates are the rules of one host pattern and prefix, one a listener at most.
type candidates struct {
	all   int   // the rule that names no listener, or none
	bound []int // the rules that name a listener, or none, by listener; may be short
}

// find is Table.Find for rule numbers.
func (x *index) find(listener int, host, path []byte, s *Scratch) (int, Verdict) {
	marks := scan(path)
	name := x.name(host, s)
	if marks&suspicious != 0 {
		return x.findSlow(request{listener, name}, path, marks, s)
	}
	return verdict(x.lookup(request{listener, name}, path))
}

// A request is what a look-up goes by apart from the path.
type request struct {
	listener int
	host     []byte // as index.name returns it
}

// findSlow judges a path whose octets call for a closer look.
func (x *index) findSlow(r request, path []byte, marks mark, s *Scratch) (int, Verdict) {
	path, marks, ok := s.safe(path, marks)
	if !ok {
		return none, BadPath
	}
	id := x.lookup(r, path)
	if marks&ambiguous != 0 && !x.agree(r, path, id, s) {
		return none, BadPath
	}
	return verdict(id)
}

func verdict(id int) (int, Verdict) {
	if id == none {
		return none, NoRoute
	}
	return id, Found
}

// name returns the host in the form the maps are keyed by, in s or in host's own memory;
// nil if no map could hold it.
func (x *index) name(host []byte, s *Scratch) []byte {
	if len(x.exact) == 0 && len(x.wild) == 0 {
		return nil
	}
	return foldHost(host, &s.host)
}

// lookup returns the rule for a path in normal form, or none.
func (x *index) lookup(r request, path []byte) int {
	if len(r.host) > 0 {
		if id := x.exact[string(r.host)].lookup(r.listener, path); id != none {
			return id
		}
		if id := x.lookupWild(r, path); id != none {
			return id
		}
	}
	return x.any.lookup(r.listener, path)
}

// lookupWild asks the wildcards that cover the host, longest suffix first. The part
// under the asterisk must be a label at least.
func (x *index) lookupWild(r request, path []byte) int {
	for _, n := range x.wildLengths {
		at := len(r.host) - n
		if at <= 0 || r.host[at] != '.' || r.host[at-1] == '.' {
			continue
		}
		if id := x.wild[string(r.host[at:])].lookup(r.listener, path); id != none {
			return id
		}
	}
	return none
}

// lookup returns the rule with the longest prefix of path that serves the listener.
func (p *prefixes) lookup(listener int, path []byte) int {
	if p == nil {
		return none
	}
	for _, n := range p.lengths {
		if !boundary(path, n) {
			continue
		}
		if id := p.rules[string(path[:n])].choose(listener); id != none {
			return id
		}
	}
	return p.root.choose(listener)
}

// boundary reports whether path[:n] exists and ends where a segment does, before or
// behind the slash.
func boundary(path []byte, n int) bool {
	if n >= len(path) {
		return n == len(path)
	}
	return path[n] == '/' || path[n-1] == '/'
}

// choose prefers the rule bound to the listener.
func (c *candidates) choose(listener int) int {
	if c == nil {
		return none
	}
	if uint(listener) < uint(len(c.bound)) && c.bound[listener] != none {
		return c.bound[listener]
	}
	return c.all
}
