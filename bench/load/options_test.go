package main

import (
	"io"
	"strings"
	"testing"
	"time"
)

func TestOptions(t *testing.T) {
	o, err := parseOptions(strings.Fields("-t 1 -c 8 -d 1.5 -R 100 -upload 3 -close http://a.example:81/x?y"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if o.Connections != 8 || o.Duration != 1500*time.Millisecond || o.Rate != 100 || o.Threads != 1 {
		t.Errorf("got %+v", o)
	}
	want := "POST /x?y HTTP/1.1\r\nHost: a.example:81\r\nContent-Length: 3\r\nConnection: close\r\n\r\n"
	if got := string(o.head()); got != want {
		t.Errorf("head is %q, want %q", got, want)
	}
}

func TestOptionsHeader(t *testing.T) {
	o, err := parseOptions([]string{"-H", "A: b", "-H", "C: d", "-d", "2m", "http://a.example"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	want := "GET / HTTP/1.1\r\nHost: a.example\r\nA: b\r\nC: d\r\n\r\n"
	if got := string(o.head()); got != want || o.Duration != 2*time.Minute {
		t.Errorf("head is %q, duration %v", got, o.Duration)
	}
}

func TestOptionsRefused(t *testing.T) {
	f := func(line string) {
		t.Helper()
		if _, err := parseOptions(strings.Fields(line), io.Discard); err == nil {
			t.Errorf("%q was taken", line)
		}
	}
	f("")
	f("a.example")
	f("https://a.example")
	f("-c 0 http://a.example")
	f("-d 0 http://a.example")
	f("-d 1x http://a.example")
	f("-n -1 http://a.example")
	f("-H nocolon http://a.example")
	f("http://a.example http://b.example")
}

func TestTimetable(t *testing.T) {
	times := newTimetable(1000, 4) // a slot each ms
	var turns []int
	for i := times.pass(5_500_000); i >= 0; i = times.pass(5_500_000) {
		turns = append(turns, i)
	}
	if len(turns) != 6 || turns[0] != 0 || turns[3] != 3 || turns[4] != 0 {
		t.Errorf("turns by 5.5 ms are %v", turns)
	}
	if got := times.next(); got != 6_000_000 {
		t.Errorf("next slot at %d, want 6 ms", got)
	}
	if got := times.due(2, 3); got != 14_000_000 {
		t.Errorf("third repeat of connection 2 is due at %d, want 14 ms", got)
	}
}
