package main

import (
	"bytes"
	"context"
	"net"
	"testing"
	"time"
)

func TestCommandLine(t *testing.T) {
	f := func(code int, args ...string) {
		t.Helper()
		var out bytes.Buffer
		if got := run(args, &out, &out); got != code {
			t.Errorf("%q: exit code %d, want %d: %s", args, got, code, out.String())
		}
	}
	f(0, "-h")
	f(2, "-unknown")
	f(2, "-datagrams", "0")
	f(2, "-turn", "10ms")
	f(1, "-millrace", "/nowhere/millrace")
}

func TestMedian(t *testing.T) {
	f := func(want float64, all ...float64) {
		t.Helper()
		var turns []turn
		for _, v := range all {
			turns = append(turns, turn{latency: map[string]float64{"p99": v}})
		}
		if got := median(turns, "p99"); got != want {
			t.Errorf("the median of %v is %v, want %v", all, got, want)
		}
	}
	f(3, 3)
	f(2.5, 4, 1, 2, 3)
	f(2, 9, 1, 2)
}

func TestVerdict(t *testing.T) {
	good, failed, lost := turn{member: true}, turn{member: true, failed: 1}, turn{}
	if verdict([]turn{good}) != nil || verdict([]turn{good, failed}) == nil || verdict([]turn{lost, good}) == nil {
		t.Error("the verdict is wrong")
	}
}

func TestFloodHoldsTheRate(t *testing.T) {
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if n := flood(ctx, c.LocalAddr().String(), 1000); n < 1 || n > 300 {
		t.Errorf("%d datagrams in 200 ms, want 200", n)
	}
	if n := flood(ctx, "", 1000); n != 0 {
		t.Errorf("%d datagrams to nowhere", n)
	}
}
