package route

import (
	"errors"
	"strings"
	"testing"
)

// faults returns the faults that New finds, a line each.
func faults(t *testing.T, rules []Rule[int]) []*RuleError {
	t.Helper()
	table, err := New(rules)
	if err == nil {
		return nil
	}
	if table != nil {
		t.Error("New returned a table beside the error")
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		t.Fatalf("%T is not joined", err)
	}
	var all []*RuleError
	for _, one := range joined.Unwrap() {
		var fault *RuleError
		if !errors.As(one, &fault) {
			t.Fatalf("%T is no *RuleError", one)
		}
		all = append(all, fault)
	}
	return all
}

func TestNewCollisions(t *testing.T) {
	rule := func(prefix string, hosts []string, listeners ...int) Rule[int] {
		return Rule[int]{Prefix: prefix, Hosts: hosts, Listeners: listeners}
	}
	a, b := []string{"a.example"}, []string{"b.example", "A.Example."}
	// first is the rule that the second collides with, or none.
	f := func(one, two Rule[int], first int) {
		t.Helper()
		got := none
		for _, fault := range faults(t, []Rule[int]{one, two}) {
			if got = fault.First; fault.Index != 1 || fault.Field != "" {
				t.Errorf("fault %+v", fault)
			}
		}
		if got != first {
			t.Errorf("%v, %v: collides with %d, want %d", one, two, got, first)
		}
	}
	f(rule("/", nil), rule("/", nil), 0)
	f(rule("/", nil), rule("/", []string{""}), 0)
	f(rule("/", nil), rule("/a", nil), none)
	f(rule("/a", nil), rule("/a/", nil), none)
	f(rule("/", a), rule("/", nil), none)
	f(rule("/", a), rule("/", b), 0)
	f(rule("/", a), rule("/x", b), none)
	f(rule("/", a), rule("/", []string{"*.a.example"}), none)
	f(rule("/", []string{"*.a.example"}), rule("/", []string{"*.A.example."}), 0)
	f(rule("/", []string{"[::1]"}), rule("/", []string{"[0:0::1]"}), 0)
	f(rule("/", nil, 1), rule("/", nil), none)
	f(rule("/", nil), rule("/", nil, 1), none)
	f(rule("/", nil, 1), rule("/", nil, 2), none)
	f(rule("/", nil, 1), rule("/", nil, 2, 1), 0)
	f(rule("/", nil, 1, 2), rule("/", nil, 2), 0)
	f(rule("/", nil, 1, 1), rule("/", nil, 2), none)
	f(rule("/", a, 1), rule("/", b, 1), 0)
}

// TestNewReportsAll: every fault of every rule is in the error, with its place.
func TestNewReportsAll(t *testing.T) {
	got := faults(t, []Rule[int]{
		{Prefix: "/"},
		{Prefix: "x", Hosts: []string{"a.example", "b:80", "*"}, Listeners: []int{0, -1, maxListener}},
		{Prefix: "/"},
		{Prefix: "/y", Hosts: []string{"a.example", "A.example"}},
		{Prefix: "/", Hosts: []string{""}},
	})
	want := []string{
		"route 1: prefix: ", "route 1: listeners[1]: ", "route 1: listeners[2]: ", "route 1: hosts[1]: ", "route 1: hosts[2]: ",
		"route 2: route 0 ", "route 3: hosts[1]: ", "route 4: route 0 ",
	}
	if len(got) != len(want) {
		t.Fatalf("%d faults, want %d: %v", len(got), len(want), got)
	}
	for i, fault := range got {
		if !strings.HasPrefix(fault.Error(), want[i]) {
			t.Errorf("fault %d is %q, want %q", i, fault, want[i])
		}
	}
}

func TestNewEmpty(t *testing.T) {
	table := mustNew(t, nil)
	if got := outcome(table, 0, "a.example", "/"); got != "404" {
		t.Errorf("an empty table answers %s", got)
	}
}
