package main

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// fullHouse takes every permit that the proxy has for clients and, since each of these
// clients waits for the end of an answer, every permit for upstreams. All are served,
// which shows that no permit is lost, and one more has to wait, which shows that none is
// too many.
func fullHouse(p *place, permits int) error {
	v := &visit{place: p}
	var all []*client
	defer func() {
		for _, c := range all {
			reset(c.TCPConn) // a mere end of its side would leave it waiting for the answer
		}
	}()
	hold := func() (*client, error) {
		c, err := v.dial()
		if err != nil {
			return nil, err
		}
		all = append(all, c)
		return c, c.send(call{Method: "GET", Path: "/steady/hold", Framing: byLength, Size: 2, Mark: v.marks.Add(1)})
	}
	for i := range permits {
		c, err := hold()
		if err != nil {
			return err
		}
		c.SetDeadline(time.Now().Add(10 * time.Second))
		r, err := c.final("GET")
		if err != nil {
			return fmt.Errorf("client %d of %d gets no answer: %w", i+1, permits, err)
		}
		if r.StatusCode != 200 {
			return fmt.Errorf("client %d of %d gets status %d", i+1, permits, r.StatusCode)
		}
	}
	surplus, err := hold()
	if err != nil {
		return err
	}
	surplus.SetDeadline(time.Now().Add(300 * time.Millisecond))
	switch r, err := surplus.final("GET"); {
	case err == nil:
		return fmt.Errorf("client %d of %d does not have to wait: status %d", permits+1, permits, r.StatusCode)
	case !errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("client %d of %d does not have to wait: %w", permits+1, permits, err)
	}
	return nil
}
