package beacon

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

// travel passes what r knows through JSON to a new receiver with the same settings.
func travel(t *testing.T, from *Receiver, s Settings, left, arrived time.Time) (*Receiver, *fakeCluster) {
	t.Helper()
	text, err := json.Marshal(from.Export(left))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "00112233") {
		t.Errorf("the secret travels: %s", text)
	}
	var h Handover
	if err := json.Unmarshal(text, &h); err != nil {
		t.Fatal(err)
	}
	to, c := receiving(t, s)
	book := logging(to)
	if err := to.Import(h, arrived); err != nil {
		t.Fatal(err)
	}
	if log := book.take(); !strings.Contains(log, "level=INFO msg=\"took over 2 existing member(s)\"") {
		t.Errorf("log %s", log)
	}
	return to, c
}

func TestHandover(t *testing.T) {
	s := Settings{Timeout: 10 * time.Second}
	old, c := receiving(t, s)
	deliver(t, old, said(t, "http://gone", start), start, accepted)
	at := start.Add(11 * time.Second)
	deliver(t, old, said(t, "http://live", at), at, accepted)
	old.sweep(at)
	c.fails = errors.New("full")
	deliver(t, old, said(t, "http://failed", at), at, AddFailed)

	// Five seconds later, by a wall clock that was set back by an hour.
	back := at.Add(-time.Hour)
	r, c := travel(t, old, s, at.Add(5*time.Second), back)
	if got := states(r); got != "http://failed failed, http://gone evicted, http://live live" {
		t.Errorf("got %s", got)
	}
	if !c.members["http://live"] || c.members["http://gone"] || !c.Owns("http://gone") || c.Owns("http://failed") {
		t.Errorf("members %v", c.members)
	}
	c.changes = nil
	before, after := old.Records(), r.Records()
	for i := range after {
		before[i].LastSeen = after[i].LastSeen
		if after[i] != before[i] {
			t.Errorf("%+v becomes %+v", before[i], after[i])
		}
	}
	r.sweep(back.Add(5 * time.Second)) // the lease goes on where it was
	c.wants(t)
	r.sweep(back.Add(5*time.Second + 1))
	c.wants(t, "disable http://live")
}

func TestReplayMarksTravel(t *testing.T) {
	s := Settings{Timeout: time.Second}
	old, _ := receiving(t, s)
	dead, live := said(t, "http://dead", start), said(t, "http://live", start.Add(2*time.Second))
	deliver(t, old, dead, start, accepted)
	old.sweep(start.Add(2 * time.Second))
	deliver(t, old, live, start.Add(2*time.Second), accepted)
	at := start.Add(3 * time.Second)
	r, c := travel(t, old, s, at, at)
	c.changes = nil
	deliver(t, r, dead, at, Replayed)
	deliver(t, r, live, at, Replayed)
	c.wants(t)
	deliver(t, r, said(t, "http://dead", at), at, accepted)
	c.wants(t, "enable http://dead")
}

func TestFailedAddsAreTriedAtOnceAfterHandover(t *testing.T) {
	old, c := receiving(t, Settings{})
	c.fails = errors.New("full")
	deliver(t, old, said(t, "http://a", start), start, AddFailed)
	r, c := receiving(t, Settings{})
	if err := r.Import(old.Export(start), start); err != nil {
		t.Fatal(err)
	}
	c.wants(t)
	deliver(t, r, said(t, "http://a", start), start, Replayed)
	deliver(t, r, said(t, "http://a", start.Add(time.Second)), start, accepted)
	c.wants(t, "add http://a")
}

func TestImportSkipsWhatMakesNoSense(t *testing.T) {
	r, c := receiving(t, Settings{Timeout: time.Second})
	c.foreign["http://foreign"] = true
	h := Handover{Version: handoverVersion, Records: []HandoverRecord{
		{URL: "http://A", State: Live}, {URL: "http://a/", State: Live}, {URL: "", State: Live}, {URL: "http://a", State: "odd"},
		{URL: "http://b", State: Live, TS: -1}, {URL: "http://foreign", State: Live},
		{URL: "http://c", State: Live, Silent: -5}, {URL: "http://c", State: Evicted}, {URL: "http://d", State: Evicted, Silent: 1<<63 - 1},
	}}
	if err := r.Import(h, start); err != nil {
		t.Fatal(err)
	}
	c.wants(t, "add http://foreign", "add http://c", "adopt http://d")
	if got := states(r); got != "http://c live, http://d evicted" {
		t.Errorf("got %s", got)
	}
	r.sweep(start)
	c.wants(t, "remove http://d")
	h.Version++
	if err := r.Import(h, start); err == nil {
		t.Error("another version is taken")
	}
}

func TestImportKeepsTheMarkOfWhatTheClusterRefuses(t *testing.T) {
	r, c := receiving(t, Settings{})
	c.fails = errors.New("full")
	h := Handover{Version: handoverVersion, Records: []HandoverRecord{{URL: "http://a", State: Live, TS: start.UnixMicro()}}}
	if err := r.Import(h, start); err != nil {
		t.Fatal(err)
	}
	if got := states(r); got != "http://a failed" {
		t.Errorf("got %s", got)
	}
	c.fails = nil
	deliver(t, r, said(t, "http://a", start), start, Replayed)
}

func TestImportKeepsToTheCapacity(t *testing.T) {
	r, _ := receiving(t, Settings{})
	h := Handover{Version: handoverVersion}
	for n := range 2 * capacity {
		m, _ := ParseMember("http://h" + strings.Repeat("x", n%60) + ".b" + strings.Repeat("y", n/60))
		h.Records = append(h.Records, HandoverRecord{URL: m.URL, State: Live})
	}
	if err := r.Import(h, start); err != nil {
		t.Fatal(err)
	}
	if n := len(r.Records()); n != capacity {
		t.Errorf("%d records", n)
	}
}

func TestLogOnlyImportsNothing(t *testing.T) {
	r, err := NewReceiver(ReceiverOptions{Listen: ":1", Settings: Settings{Secret: secret}})
	if err != nil {
		t.Fatal(err)
	}
	h := Handover{Version: handoverVersion, Records: []HandoverRecord{{URL: "http://a", State: Live}}}
	if err := r.Import(h, start); err != nil || len(r.Records()) != 0 {
		t.Errorf("%v, %v", err, r.Records())
	}
}
