package engine_test

import (
	"testing"

	"millrace/engine"
)

// What is known of a name also goes to a process that asks other servers: those of its own
// configuration, or of one that was reloaded before they had answered.
func TestNamesAreHandedOverToOtherServers(t *testing.T) {
	t.Parallel()
	f := func(what string, reload bool) {
		t.Helper()
		n := newNameserver(t, "app.test. 60 A 127.0.0.1")
		p := n.named("url: http://app.test").run(t)
		p.settles("127.0.0.1:80")
		id := p.resolved()[0].ID
		if _, err := p.engine.SetEndpoint(p.engine.Clusters()[0].Name, id, engine.EndpointChange{State: "drain"}); err != nil {
			t.Fatal(err)
		}
		slow := newNameserver(t)
		slow.silence(true)
		s := slow.named("url: http://app.test")
		if reload {
			p.reload(s)
		}
		next := p.follow(s)
		if got := next.resolved(); len(got) != 1 || got[0].ID != id || got[0].State != "drain" {
			t.Errorf("%s: endpoints %+v, want that of before", what, got)
		}
	}
	f("at the hand-over", false)
	f("by a reload before", true)
}
