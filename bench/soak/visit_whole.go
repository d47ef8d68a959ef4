package main

import (
	"io"
	"net/http"
	"time"
)

// plain makes some requests on one connection.
func plain(v *visit) error { return v.several("/steady/answer") }

// fickle does so to upstreams that close connections at any time between two answers.
func fickle(v *visit) error { return v.several("/fickle/answer") }

func (v *visit) several(path string) error {
	c, err := v.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	for range 1 + v.rng.IntN(8) {
		k := v.newCall(path, 40_000)
		if v.rng.IntN(8) == 0 {
			k.Method = http.MethodHead
		}
		if v.rng.IntN(8) == 0 {
			k.Query = "&pause=2"
		}
		if goesOn, err := c.do(k); err != nil || !goesOn {
			return err
		}
		time.Sleep(time.Duration(v.rng.IntN(5)) * time.Millisecond)
	}
	return nil
}

// pipelining sends several requests before it reads the first answer.
func pipelining(v *visit) error {
	c, err := v.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	for range 1 + v.rng.IntN(3) {
		var calls []call
		text := ""
		for range 2 + v.rng.IntN(8) {
			k := v.newCall("/steady/answer", 6000)
			calls = append(calls, k)
			text += k.head()
		}
		if _, err := io.WriteString(c, text); err != nil {
			return err
		}
		for _, k := range calls {
			goesOn, err := c.receive(k, nil)
			if err != nil {
				return err
			}
			if !goesOn {
				return fault("the connection ends inside a pipeline")
			}
		}
	}
	return nil
}

// slowReading takes its answer in small pieces, so that the proxy has to hold the
// upstream back.
func slowReading(v *visit) error {
	c, err := v.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	c.SetReadBuffer(64 << 10) // less than a segment of loopback would make TCP itself crawl
	k := v.newCall("/steady/answer", 4_000_000)
	if err := c.send(k); err != nil {
		return err
	}
	_, err = c.receive(k, func(body io.Reader) io.Reader {
		return &slowly{body, time.Duration(1+v.rng.IntN(20)) * time.Millisecond, 20}
	})
	return err
}

// slowSending sends the head in pieces.
func slowSending(v *visit) error {
	c, err := v.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	c.SetNoDelay(true)
	k := v.newCall("/steady/answer", 1000)
	head := k.head()
	for len(head) > 0 {
		n := min(len(head), 1+v.rng.IntN(40))
		if _, err := io.WriteString(c, head[:n]); err != nil {
			return err
		}
		head = head[n:]
		time.Sleep(time.Duration(v.rng.IntN(15)) * time.Millisecond)
	}
	_, err = c.receive(k, nil)
	return err
}

// extraListener uses a listener that comes and goes. It may be refused, but not deceived.
func extraListener(v *visit) error {
	if v.Extra == "" {
		return nil
	}
	c, err := v.dialTo(v.Extra)
	if err != nil {
		return excused(err)
	}
	defer c.Close()
	for range 1 + v.rng.IntN(4) {
		if goesOn, err := c.do(v.newCall("/steady/answer", 10_000)); err != nil || !goesOn {
			return excused(err)
		}
		time.Sleep(time.Duration(v.rng.IntN(30)) * time.Millisecond)
	}
	return nil
}
