package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestSums(t *testing.T) {
	got, err := sums(strings.NewReader(`# HELP a text
# TYPE a gauge
a{x="1 2"} 3
a{x="}"} 4.5
b 1e3

`))
	if err != nil || len(got) != 2 || got["a"] != 7.5 || got["b"] != 1000 {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := sums(strings.NewReader("a many\n")); err == nil {
		t.Error("no error for a sample that is no number")
	}
}

func TestUnlike(t *testing.T) {
	before := state{"a": 1, "b": 2, "c": 0}
	if got := before.unlike(before); got != nil {
		t.Errorf("a state is unlike itself: %q", got)
	}
	got := state{"a": 2, "b": 2, "c": 1}.unlike(before)
	if !slices.Equal(got, []string{"a: 2, before 1", "c: 1, before 0"}) {
		t.Errorf("got %q", got)
	}
	if got := (state{"a": 1}).unlike(before); len(got) != 1 {
		t.Errorf("a number that is missing: got %q", got)
	}
}

func TestResident(t *testing.T) {
	bytes, err := resident(os.Getpid())
	if err != nil || bytes < 1<<20 || bytes > 1<<32 {
		t.Errorf("got %d, %v", bytes, err)
	}
}
