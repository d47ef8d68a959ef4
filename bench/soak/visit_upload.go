package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"time"
)

// uploading sends bodies of either framing, at its own pace, to upstreams that take them
// at theirs.
func uploading(v *visit) error {
	c, err := v.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	for range 1 + v.rng.IntN(3) {
		k := v.newUpload("/steady/answer", 1_000_000)
		if v.rng.IntN(3) == 0 {
			k.Query = fmt.Sprintf("&slow=%d", 1+v.rng.IntN(8))
		}
		k.Expect = v.rng.IntN(6) == 0
		sent := make(chan error, 1)
		pause := time.Duration(v.rng.IntN(3)*v.rng.IntN(5)) * time.Millisecond
		go func() { sent <- c.upload(k, pause) }()
		goesOn, err := c.receive(k, nil)
		if err != nil {
			c.Close()
			<-sent
			return err
		}
		if err := <-sent; err != nil || !goesOn {
			return err
		}
	}
	return nil
}

// newUpload is a request with an upload of up to size bytes.
func (v *visit) newUpload(path string, size int64) call {
	k := v.newCall(path, 2000)
	k.Method = [...]string{http.MethodPut, http.MethodPost, "REPORT"}[v.rng.IntN(3)]
	k.Upload = v.rng.Int64N(size >> (2 * v.rng.IntN(6)))
	k.Chunked = v.rng.IntN(2) == 0
	return k
}

// upload sends a request with its body.
func (c *client) upload(k call, pause time.Duration) error {
	if err := c.send(k); err != nil {
		return err
	}
	return c.uploadBody(k, pause)
}

func (c *client) uploadBody(k call, pause time.Duration) error {
	var from io.Reader = io.LimitReader(&pattern{seed: uploadSeed(k.Mark)}, k.Upload)
	if pause > 0 {
		from = &slowly{from, pause, 10}
	}
	if !k.Chunked {
		_, err := io.Copy(struct{ io.Writer }{c}, from)
		return err
	}
	w := httputil.NewChunkedWriter(struct{ io.Writer }{c})
	if _, err := io.Copy(struct{ io.Writer }{w}, from); err != nil {
		return err
	}
	_, err := io.WriteString(c, "0\r\n\r\n")
	return err
}

// answeredEarly uploads to an upstream that answers without listening. The answer may be
// lost, but not be wrong.
func answeredEarly(v *visit) error {
	c, err := v.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	k := v.newUpload("/faulty/early", 3_000_000)
	k.Framing = byLength
	sent := make(chan error, 1)
	go func() { sent <- c.upload(k, 0) }()
	r, err := c.final(k.Method)
	if err == nil && r.StatusCode < 500 {
		err = c.compare(k, r, nil)
	}
	c.Close()
	<-sent
	return excused(err)
}
