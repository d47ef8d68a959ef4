package main

import (
	"fmt"
	"io"
	"time"
)

// halfClosing ends its side as soon as the answer begins. The rest of it must come.
func halfClosing(v *visit) error {
	c, err := v.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	k := v.newCall("/steady/answer", 200_000)
	k.Query = "&pause=2"
	if err := c.send(k); err != nil {
		return err
	}
	if _, err := c.r.Peek(1); err != nil {
		return err
	}
	c.CloseWrite()
	if _, err := c.receive(k, nil); err != nil {
		return err
	}
	return c.ends()
}

// leavingWithTheRequest ends its side behind the request. It gets the answer or none.
func leavingWithTheRequest(v *visit) error {
	c, err := v.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	k := v.newCall("/steady/answer", 20_000)
	if err := c.send(k); err != nil {
		return err
	}
	c.CloseWrite()
	_, err = c.receive(k, nil)
	return excused(err)
}

// aborting leaves at a bad moment.
func aborting(v *visit) error {
	c, err := v.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	switch v.rng.IntN(6) {
	case 0: // without a word
	case 1: // inside the head
		k := v.newCall("/steady/answer", 1000)
		io.WriteString(c, k.head()[:10+v.rng.IntN(40)])
	case 2: // while the upstream is at work
		c.send(v.newCall("/steady/answer", 100_000))
		time.Sleep(time.Duration(v.rng.IntN(4)) * time.Millisecond)
	case 3: // inside the answer
		k := v.newCall("/steady/answer", 3_000_000)
		k.Size += 100_000
		c.send(k)
		io.CopyN(io.Discard, c.r, 1+v.rng.Int64N(100_000))
	case 4: // inside an answer that stopped: without a reset it would count as half-closing
		k := v.newCall("/faulty/stall", 100_000)
		k.Size++
		k.Query = fmt.Sprintf("&at=%d", v.rng.Int64N(k.Size))
		c.send(k)
		time.Sleep(time.Duration(v.rng.IntN(200)) * time.Millisecond)
		reset(c.TCPConn)
	case 5: // inside the upload
		k := v.newUpload("/steady/answer", 1_000_000)
		k.Upload += 1000
		c.send(k)
		part := k
		part.Upload, part.Chunked = v.rng.Int64N(k.Upload), false
		if k.Chunked {
			fmt.Fprintf(c, "%x\r\n", k.Upload)
		}
		c.uploadBody(part, 0)
	}
	if v.rng.IntN(2) == 0 {
		reset(c.TCPConn)
	}
	return nil
}
