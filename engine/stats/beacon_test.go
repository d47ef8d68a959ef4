package stats

import (
	"strings"
	"testing"
)

func TestBeaconsAreRead(t *testing.T) {
	r := New(1)
	if text := own(r); strings.Contains(text, "millrace_beacon_") {
		t.Errorf("there are no beacons, and yet series of them:\n%s", text)
	}
	r.SetBeacons(func() Beacons {
		return Beacons{
			Receivers: []BeaconReceiver{
				{Listen: ":5555", Accepted: 5, Dropped: []BeaconDrops{{"mac_mismatch", 2}, {"no_ts", 0}, {"bad_ts", 1}}, Lost: 9},
				{Listen: ":5556"},
			},
			Clusters: []BeaconCluster{{Name: "web", Live: 3, Evicted: 1, Added: 7, ReEnabled: 2}},
			Targets:  []BeaconTarget{{Address: "proxy:1", Sent: 11, Failed: 4}},
		}
	})
	x := scrape(t, r)
	for series, want := range map[string]float64{
		`datagrams_total{listen=":5555"}`:                     8,
		`accepted_total{listen=":5555"}`:                      5,
		`dropped_total{listen=":5555",reason="mac_mismatch"}`: 2,
		`dropped_total{listen=":5555",reason="bad_ts"}`:       1,
		`dropped_total{listen=":5555",reason="no_ts"}`:        absent,
		`lost_total{listen=":5555"}`:                          9,
		`datagrams_total{listen=":5556"}`:                     0,
		`accepted_total{listen=":5556"}`:                      0,
		`lost_total{listen=":5556"}`:                          0,
		`members{cluster="web",state="live"}`:                 3,
		`members{cluster="web",state="evicted"}`:              1,
		`events_total{cluster="web",event="added"}`:           7,
		`events_total{cluster="web",event="re_enabled"}`:      2,
		`events_total{cluster="web",event="evicted"}`:         absent,
		`announcements_total{address="proxy:1"}`:              11,
		`announce_errors_total{address="proxy:1"}`:            4,
	} {
		x.want(t, "millrace_beacon_"+series, want)
	}
}
