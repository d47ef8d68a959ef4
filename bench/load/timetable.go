package main

import "time"

// A timetable says when the requests of one thread's connections are due.
// Every connection has the same interval between its requests, and their
// starts are spread evenly over it, so that the moments at which anything is
// due are equally far apart: the slots. Slot s is the turn of connection
// s mod connections.
type timetable struct {
	connections int
	step        float64 // ns between slots
	slot        int64   // the next one to come
}

// newTimetable spreads rate requests a second over so many connections.
func newTimetable(rate float64, connections int) *timetable {
	return &timetable{connections: connections, step: float64(time.Second) / rate}
}

// due returns when connection i is due for its nth request, from 0, in ns from
// the start. It is computed from the start, so that rounding does not add up.
func (t *timetable) due(i int, n int64) int64 {
	return int64(t.step * (float64(i) + float64(n)*float64(t.connections)))
}

// pass returns the connection whose slot has come by now and moves on; -1
// when the next slot lies ahead.
func (t *timetable) pass(now int64) int {
	if t.next() > now {
		return -1
	}
	i := int(t.slot % int64(t.connections))
	t.slot++
	return i
}

// next returns when the next slot begins, in ns from the start.
func (t *timetable) next() int64 { return int64(t.step * float64(t.slot)) }
