package main

import (
	"fmt"
	"io"
	"net/http"
)

// tunnelling switches to another protocol and talks both ways at once, until one side
// takes its leave.
func tunnelling(v *visit) error {
	c, err := v.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	mark, size := v.marks.Add(1), 1+v.rng.Int64N(300_000)
	upstreamLeaves := v.rng.IntN(2) == 0
	query := ""
	if upstreamLeaves {
		query = fmt.Sprintf("?size=%d", size)
	}
	fmt.Fprintf(c, "GET /steady/socket%s HTTP/1.1\r\nHost: soak.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nX-Mark: %d\r\n\r\n", query, mark)
	r, err := c.final(http.MethodGet)
	if err != nil {
		return err
	}
	if r.StatusCode != http.StatusSwitchingProtocols {
		return fault("status %d to an upgrade", r.StatusCode)
	}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		io.Copy(struct{ io.Writer }{c}, io.LimitReader(&pattern{seed: mark}, size))
		if !upstreamLeaves {
			c.CloseWrite()
		}
	}()
	err = c.echoed(mark, size)
	c.Close()
	<-sent
	return err
}

// echoed reads what the upstream sends back, to the end. Now and then it leaves before.
func (c *client) echoed(mark uint64, size int64) error {
	stay := size
	if c.v.rng.IntN(5) == 0 {
		stay = c.v.rng.Int64N(size)
	}
	n, err := io.Copy(&matcher{pattern{seed: mark}}, io.LimitReader(c.r, stay))
	if err != nil || n != stay {
		return fault("tunnel %d: %d of %d bytes came back: %v", mark, n, size, err)
	}
	if stay < size {
		reset(c.TCPConn)
		return nil
	}
	rest, err := io.ReadAll(c.r)
	if err != nil || string(rest) != farewell {
		return fault("tunnel %d ends with %q, %v", mark, rest, err)
	}
	c.v.whole.Add(1)
	return nil
}
