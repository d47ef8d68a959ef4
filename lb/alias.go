package lb

import (
	"math/bits"
	"math/rand/v2"
)

// An alias table draws an index by weight with one random number and one look-up, whatever its
// length (Walker's method). It is immutable.
type alias []slot

// A slot is drawn as often as any other and stands for two indexes: itself below keep and
// other from there on.
type slot struct {
	keep  uint64
	other uint32
}

// newAlias returns the table of weights, each of which is between 1 and MaxWeight.
//
// Every slot has room for the mean weight. An index that is lighter leaves room in its slot,
// which a heavier one fills; weights count times their number, so that the mean is whole.
func newAlias(weights []int64) alias {
	n := uint64(len(weights))
	left := make([]uint64, n) // weight not yet given a place
	mean := uint64(0)
	var light, heavy []int
	for i, w := range weights {
		left[i] = uint64(w) * n
		mean += uint64(w)
	}
	for i := range weights {
		if left[i] < mean {
			light = append(light, i)
		} else {
			heavy = append(heavy, i)
		}
	}
	a := make(alias, n)
	for len(light) > 0 {
		l, h := light[len(light)-1], heavy[len(heavy)-1]
		light = light[:len(light)-1]
		keep, _ := bits.Div64(left[l], 0, mean)
		a[l] = slot{keep, uint32(h)}
		left[h] -= mean - left[l]
		if left[h] < mean {
			heavy = heavy[:len(heavy)-1]
			light = append(light, h)
		}
	}
	for _, i := range heavy {
		a[i] = slot{0, uint32(i)}
	}
	return a
}

// draw returns an index by weight. The table is not empty.
func (a alias) draw(rng *rand.PCG) int {
	i, rest := bits.Mul64(rng.Uint64(), uint64(len(a)))
	if s := a[i]; rest >= s.keep {
		return int(s.other)
	}
	return int(i)
}

// below returns a random number from 0 to n-1; n is above 0. It favours some numbers over
// others by no more than n in 2^64.
func below(rng *rand.PCG, n int64) int64 {
	i, _ := bits.Mul64(rng.Uint64(), uint64(n))
	return int64(i)
}
