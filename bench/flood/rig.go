package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"millrace/bench/process"
	"millrace/bench/upstream"
	"millrace/engine/beacon"
)

const secret = beacon.Secret("hex:00112233445566778899aabbccddeeff")

// configuration has one cluster, with one configured endpoint and members.
const configuration = `
workers: 1
listeners: [%q]
admin: {address: %q}
routes: [{cluster: web}]
clusters: {web: {upstreams: ["http://%s"]}}
beacon: {receive: [{listen: %q, cluster: web, secret: %q, timeout: 2s}]}
`

// A rig is a proxy, an upstream that is both configured and a member, and who loads them.
type rig struct {
	options  *options
	upstream *upstream.Upstream
	member   *upstream.Upstream
	proxy    *process.Process
	dir      string
	address  string // of the proxy, for clients
	admin    string
	beacon   string // for announcements
	quiet    context.CancelFunc
}

func newRig(ctx context.Context, o *options) (r *rig, err error) {
	r = &rig{options: o}
	defer func() {
		if err != nil {
			r.stop()
		}
	}()
	if r.upstream, err = upstream.BuiltIn(); err != nil {
		return r, err
	}
	if r.member, err = upstream.BuiltIn(); err != nil {
		return r, err
	}
	if r.dir, err = os.MkdirTemp("", "bench-flood-"); err != nil {
		return r, err
	}
	for _, to := range []*string{&r.address, &r.admin, &r.beacon} {
		if *to, err = process.FreePort(); err != nil {
			return r, err
		}
	}
	file := filepath.Join(r.dir, "millrace.yaml")
	text := fmt.Sprintf(configuration, r.address, r.admin, r.upstream.Address, r.beacon, string(secret))
	if err = os.WriteFile(file, []byte(text), 0o600); err != nil {
		return r, err
	}
	program, err := exec.LookPath(o.Millrace)
	if err != nil {
		return r, err
	}
	if program, err = filepath.Abs(program); err != nil {
		return r, err
	}
	if r.proxy, err = process.Start(r.dir, program, "run", "-config", file); err != nil {
		return r, err
	}
	if err = r.proxy.Listening(r.address, 5*time.Second); err != nil {
		return r, err
	}
	return r, r.join(ctx)
}

// join has the member announce itself until the rig stops.
func (r *rig) join(ctx context.Context) error {
	a, err := beacon.NewAnnouncer(beacon.AnnouncerOptions{
		To: []string{r.beacon}, URL: "http://" + r.member.Address, Secret: secret, Interval: 300 * time.Millisecond,
	})
	if err != nil {
		return err
	}
	ctx, r.quiet = context.WithCancel(ctx)
	go a.Run(ctx)
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if live, err := r.metric(`millrace_beacon_members{cluster="web",state="live"}`); err == nil && live == 1 {
			return nil
		}
	}
	return fmt.Errorf("the member does not join: %s", r.proxy.Output())
}

func (r *rig) stop() {
	if r.quiet != nil {
		r.quiet()
	}
	if r.proxy != nil {
		r.proxy.Stop()
	}
	for _, u := range []*upstream.Upstream{r.upstream, r.member} {
		if u != nil {
			u.Stop()
		}
	}
	_ = os.RemoveAll(r.dir)
}

// metric is the sum of the samples whose line begins with name.
func (r *rig) metric(name string) (sum float64, err error) {
	answer, err := http.Get("http://" + r.admin + "/metrics")
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, name) {
			v, _ := strconv.ParseFloat(strings.TrimSpace(line[strings.LastIndexByte(line, ' '):]), 64)
			sum += v
		}
	}
	return sum, err
}

// quantiles are those of the load generator's result that are compared.
var quantiles = []string{"p50", "p99", "p99.9"}

// A turn is one measurement.
type turn struct {
	sent         int64 // datagrams
	judged, lost int64 // of them: by the receiver, by the kernel
	requests     int64
	failed       int64
	latency      map[string]float64 // by quantile, microseconds
	cpu          time.Duration      // of the proxy
	after        int64              // memory of the proxy at the end, bytes
	member       bool               // the member is live at the end, and was not evicted
}

func (t turn) String() string {
	return fmt.Sprintf("%7d datagrams (%d judged, %d lost)  %d requests, %d failed  p50 %.0f us  p99 %.0f us  p99.9 %.0f us  %v CPU  %.1f MB",
		t.sent, t.judged, t.lost, t.requests, t.failed, t.latency["p50"], t.latency["p99"], t.latency["p99.9"], t.cpu.Round(time.Millisecond), megabytes(t.after))
}

// turn measures once, with forged datagrams to some place.
func (r *rig) turn(ctx context.Context, at where) (t turn, err error) {
	to, stop, err := r.target(at)
	if err != nil {
		return t, err
	}
	defer stop()
	before, err := r.proxy.Usage()
	if err != nil {
		return t, err
	}
	judged, _ := r.metric("millrace_beacon_datagrams_total")
	lost, _ := r.metric("millrace_beacon_lost_total")
	flooding, end := context.WithCancel(ctx)
	sent := make(chan int64, 1)
	go func() { sent <- flood(flooding, to, r.options.Datagrams) }()
	err = r.load(ctx, &t)
	end()
	t.sent = <-sent
	if err != nil {
		return t, err
	}
	if t.after, err = r.proxy.Memory(); err != nil {
		return t, err
	}
	after, err := r.proxy.Usage()
	if err != nil {
		return t, err
	}
	t.cpu = after.Sub(before).CPU
	judgedNow, _ := r.metric("millrace_beacon_datagrams_total")
	lostNow, _ := r.metric("millrace_beacon_lost_total")
	t.judged, t.lost = int64(judgedNow-judged), int64(lostNow-lost)
	live, err := r.metric(`millrace_beacon_members{cluster="web",state="live"}`)
	evicted, _ := r.metric(`millrace_beacon_events_total{cluster="web",event="evicted"}`)
	t.member = live == 1 && evicted == 0
	return t, err
}

// load sends requests for one turn.
func (r *rig) load(ctx context.Context, t *turn) error {
	cmd := exec.CommandContext(ctx, r.options.Load, "-json", "-c", "16", "-R", strconv.Itoa(r.options.Requests),
		"-d", r.options.Turn.String(), "http://"+r.address+"/")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return err
	}
	var result struct {
		Requests int64
		Non2xx   int64 `json:"non_2xx"`
		Errors   map[string]int64
		Latency  map[string]float64 `json:"latency_us"`
	}
	if err := json.Unmarshal(out.Bytes(), &result); err != nil {
		return err
	}
	t.requests, t.failed, t.latency = result.Requests, result.Non2xx, result.Latency
	for _, n := range result.Errors {
		t.failed += n
	}
	return nil
}

// target is where datagrams go, empty for nowhere.
func (r *rig) target(at where) (to string, stop func(), err error) {
	switch at {
	case elsewhere:
		c, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			return "", nil, err
		}
		return c.LocalAddr().String(), func() { _ = c.Close() }, nil
	case here:
		to = r.beacon
	}
	return to, func() {}, nil
}

// flood sends forged datagrams until ctx ends, and returns how many. An empty address gets
// none.
func flood(ctx context.Context, to string, perSecond int) (sent int64) {
	if to == "" {
		return 0
	}
	c, err := net.Dial("udp", to)
	if err != nil {
		return 0
	}
	defer c.Close()
	forged := forgeries()
	began := time.Now()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return sent
		case <-tick.C:
		}
		due := int64(time.Since(began).Seconds() * float64(perSecond))
		for due = min(due, sent+int64(perSecond/10)); sent < due; sent++ { // after a stall it does not make all of it up at once
			_, _ = c.Write(forged[sent%int64(len(forged))])
		}
	}
}

// forgeries are what somebody sends who does not have the secret.
func forgeries() [][]byte {
	key, _ := beacon.Secret("somebody else's secret").Key()
	says := beacon.Announcement{URL: "http://10.0.0.5:8080", Host: "app", PID: 1, TS: time.Now().UnixMicro()}
	signed := says.Append(nil, key)
	return [][]byte{
		signed,
		append(signed[:len(signed)-16:len(signed)-16], "0000000000000000"...),
		[]byte("BEACON url=http://10.0.0.5:8080"),
		bytes.Repeat([]byte("a=b "), 500),
		bytes.Repeat([]byte{0xff}, 3000),
		append(bytes.Repeat([]byte(" mac="), 400), "0123456789abcdef"...),
	}
}
