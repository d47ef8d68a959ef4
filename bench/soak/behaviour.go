package main

import (
	"math/rand/v2"
	"slices"
)

// A behaviour is one way for a client to be. It returns an error for what should not
// have happened.
type behaviour struct {
	name  string
	share int // of all visits
	visit func(*visit) error
}

// behaviours are all that there are.
var behaviours = []behaviour{
	{"plain", 20, plain},
	{"fickle", 15, fickle},
	{"pipelining", 10, pipelining},
	{"slow reading", 6, slowReading},
	{"slow sending", 4, slowSending},
	{"half-closing", 8, halfClosing},
	{"leaving with the request", 4, leavingWithTheRequest},
	{"aborting", 12, aborting},
	{"uploading", 10, uploading},
	{"answered early", 5, answeredEarly},
	{"tunnelling", 8, tunnelling},
	{"cut short", 6, cutShort},
	{"refused", 4, refusedVisit},
	{"surplus", 4, surplusVisit},
	{"extra listener", 4, extraListener},
}

// drawBehaviour returns the index of one, by their shares.
func drawBehaviour(rng *rand.Rand) int {
	all := 0
	for _, b := range behaviours {
		all += b.share
	}
	n := rng.IntN(all)
	return slices.IndexFunc(behaviours, func(b behaviour) bool {
		n -= b.share
		return n < 0
	})
}
