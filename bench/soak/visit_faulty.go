package main

import (
	"errors"
	"fmt"
	"net/http"
)

// ends are ways for an upstream to end a connection.
var ends = [...]string{"close", "reset"}

// cutShort asks for an answer that breaks off. It must not look whole.
func cutShort(v *visit) error {
	c, err := v.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	k := v.newCall("/faulty/cut", 100_000)
	k.Size++
	if k.Framing == byClose {
		k.Framing = byLength // the other way leaves no trace of the cut
	}
	k.Query = fmt.Sprintf("&at=%d&end=%s", v.rng.Int64N(k.Size), ends[v.rng.IntN(len(ends))])
	if err := c.send(k); err != nil {
		return err
	}
	r, err := c.final(k.Method)
	if err != nil {
		return excused(err)
	}
	if r.StatusCode != http.StatusOK {
		if r.StatusCode < 500 || r.StatusCode > 504 {
			return fault("status %d where the upstream broke off", r.StatusCode)
		}
		return nil
	}
	if err := c.compare(k, r, nil); err != nil {
		return excused(err)
	}
	return fault("%s %d: an answer that broke off is passed on as whole", k.Path, k.Mark)
}

// refusedVisit asks upstreams that do not answer, or do so in no known language.
func refusedVisit(v *visit) error {
	c, err := v.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	k := v.newCall([...]string{"/faulty/refuse", "/faulty/garbage"}[v.rng.IntN(2)], 0)
	k.Query = "&end=" + ends[v.rng.IntN(len(ends))]
	if err := c.send(k); err != nil {
		return err
	}
	return c.refused()
}

// surplusVisit asks upstreams that say more than their answer. Nobody may get to see it.
func surplusVisit(v *visit) error {
	c, err := v.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	for range 3 {
		k := v.newCall("/faulty/surplus", 5000)
		if k.Framing == byClose {
			k.Framing = byLength
		}
		goesOn, err := c.do(k)
		if errors.Is(err, errFault) {
			return err
		}
		if err != nil || !goesOn {
			return excused(err)
		}
	}
	return nil
}
