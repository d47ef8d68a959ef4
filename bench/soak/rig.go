package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"millrace/bench/process"
)

// clusters are the first words of the paths: how the upstreams behave there.
var clusters = []string{"steady", "fickle", "faulty"}

// A rig is the proxy under test, with upstreams behind it.
type rig struct {
	place     place
	admin     string
	proxy     *process.Process
	upstreams []*upstream
	file      *rewriter
	dir       string
}

// startRig runs the binary in a folder of its own. stop must be called, also after an
// error.
func startRig(o options) (r *rig, err error) {
	r = &rig{}
	if r.dir, err = os.MkdirTemp("", "soak-"); err != nil {
		return r, err
	}
	var addresses []string
	for i := range 3 {
		u, err := startUpstream(o.Seed + uint64(i))
		if err != nil {
			return r, err
		}
		r.upstreams = append(r.upstreams, u)
		addresses = append(addresses, u.Address)
	}
	if err := r.configure(o, addresses); err != nil {
		return r, err
	}
	binary, err := filepath.Abs(o.Millrace)
	if err != nil {
		return r, err
	}
	if r.proxy, err = process.Start(r.dir, binary, "run", "-config", r.file.path); err != nil {
		return r, err
	}
	return r, r.proxy.Listening(r.place.Address, 10*time.Second)
}

// configure chooses addresses and writes form a.
func (r *rig) configure(o options, upstreams []string) error {
	for _, address := range []*string{&r.place.Address, &r.place.Extra, &r.admin} {
		free, err := process.FreePort()
		if err != nil {
			return err
		}
		*address = free
	}
	texts, err := render(formBlanks{Address: r.place.Address, Extra: r.place.Extra, Admin: r.admin,
		Permits: o.Permits, Clusters: clusters}, upstreams)
	if err != nil {
		return err
	}
	r.place.Forms = true
	r.file = newRewriter(filepath.Join(r.dir, "millrace.yaml"), texts, o.Seed)
	if err := r.file.write(formA); err != nil {
		return err
	}
	r.file.changes = 0
	return nil
}

// stop ends everything and returns what the proxy wrote.
func (r *rig) stop() (log string) {
	if r.proxy != nil {
		r.proxy.Stop()
		log = r.proxy.Output()
	}
	for _, u := range r.upstreams {
		u.Stop()
	}
	os.RemoveAll(r.dir)
	return log
}

// becomes waits until answers come by a form, on every worker as far as that shows.
func (r *rig) becomes(form string, within time.Duration) error {
	const inARow = 16
	v := &visit{place: &r.place}
	var last string
	seen := 0
	for end := time.Now().Add(within); seen < inARow; {
		if time.Now().After(end) {
			return fmt.Errorf("answers come by form %q, want %q", last, form)
		}
		got, err := v.form()
		if err != nil {
			return err
		}
		seen++
		if last = got; got != form {
			seen = 0
			time.Sleep(50 * time.Millisecond)
		}
	}
	return nil
}

// form returns by which form of the configuration an answer comes.
func (v *visit) form() (string, error) {
	c, err := v.dial()
	if err != nil {
		return "", err
	}
	defer c.Close()
	k := call{Method: "GET", Path: "/steady/answer", Framing: byLength, Mark: v.marks.Add(1)}
	if err := c.send(k); err != nil {
		return "", err
	}
	r, err := c.final(k.Method)
	if err != nil {
		return "", err
	}
	return r.Header.Get("X-Form"), nil
}
