package route

// A Rule is one route as configured.
type Rule[T any] struct {
	// Hosts are the patterns the route serves, as CheckHost describes them. An empty
	// list, or an empty pattern in it, serves any host.
	Hosts []string
	// Listeners are the indexes of the listeners that the route serves, each from 0 to
	// 4095; none means all.
	Listeners []int
	// Prefix is the path prefix, as CheckPrefix describes it.
	Prefix string
	// Value is what Find hands back.
	Value T
}

// A Table maps host and path to the value of a rule.
// It is immutable and safe for concurrent use.
type Table[T any] struct {
	index   *index
	matches []Match[T] // by the rule's number
}

// A Match is the route that Find chose.
type Match[T any] struct {
	Value  T
	Prefix string // the rule's prefix
}

// A Verdict is the outcome of Find.
type Verdict uint8

const (
	Found   Verdict = iota
	NoRoute         // no route serves host and path; to be answered 404
	BadPath         // the path is unsafe or ambiguous; to be answered 400
)

// Scratch is the memory that Find and Strip reuse. The zero value is ready.
// It belongs to one worker: it is not for concurrent use.
type Scratch struct {
	host    [maxHost]byte // the host in lower case
	normal  []byte        // the path in normal form
	reading []byte        // another reading of it
}

// New builds a table of rules. The error joins one *RuleError for every fault found; the
// table is nil then.
func New[T any](rules []Rule[T]) (*Table[T], error) {
	b := newBuilder()
	t := &Table[T]{index: b.index, matches: make([]Match[T], 0, len(rules))}
	for i := range rules {
		r := &rules[i]
		b.add(i, r.Hosts, r.Listeners, r.Prefix)
		t.matches = append(t.matches, Match[T]{Value: r.Value, Prefix: r.Prefix})
	}
	if err := b.finish(); err != nil {
		return nil, err
	}
	return t, nil
}

// Find returns the route for a request that came in on the listener of that index.
//
// host is host or host:port as received and known to be well formed; nil or empty matches
// only routes for any host. path is the raw path without its query; it starts with a
// slash, or is refused ("*", the asterisk-form, is for the caller to answer). The match is
// meaningful only with Found. Nothing in it points into host, path or scratch, and Find
// does not allocate once scratch has grown to the longest path.
func (t *Table[T]) Find(listener int, host, path []byte, scratch *Scratch) (m Match[T], v Verdict) {
	id, v := t.index.find(listener, host, path, scratch)
	if v != Found {
		return m, v
	}
	return t.matches[id], Found
}
