package engine

import (
	"time"

	"millrace/engine/beacon"
	"millrace/engine/config"
)

// An announcement is what is announced to one receiver.
type announcement struct {
	address, url string
	secret       beacon.Secret
	interval     time.Duration
}

// announcing is an announcer that runs, or is about to.
type announcing struct {
	announcement
	announcer *beacon.Announcer
	running
}

// planAnnouncer adds one announcer to p, unless p has it. beacons.mu is held.
func (e *Engine) planAnnouncer(p *beaconPlan, c *config.BeaconAnnounce) error {
	secret, err := config.ReadSecret(c.Secret)
	if err != nil {
		return err
	}
	wanted := announcement{c.Address.Text, c.Advertise, beacon.Secret(secret.Reveal()), c.Interval}
	if findAnnouncer(p.announcers, wanted) != nil {
		return nil // it is written twice
	}
	a := findAnnouncer(e.beacons.announcers, wanted)
	if a == nil {
		a = &announcing{announcement: wanted}
		a.announcer, err = beacon.NewAnnouncer(beacon.AnnouncerOptions{
			To: []string{wanted.address}, URL: wanted.url, Secret: wanted.secret, Interval: wanted.interval, Log: e.log,
		})
		if err != nil {
			return err
		}
	}
	p.announcers = append(p.announcers, a)
	return nil
}

func findAnnouncer(all []*announcing, wanted announcement) *announcing {
	for _, a := range all {
		if a.announcement == wanted {
			return a
		}
	}
	return nil
}

// silence ends all announcements, for good: who sends requests is to stop before we do.
func (b *beacons) silence() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.silent = true
	for _, a := range b.announcers {
		a.stop()
	}
}
