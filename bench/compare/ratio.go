package main

import (
	"math"
	"slices"
)

// A ratio compares two proxies by the ratios of their paired turns, so that
// what disturbs the machine for a while disturbs both sides.
type ratio struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// pairedRatio divides turn by turn. Both lists have one value a turn.
func pairedRatio(of, to []float64) ratio {
	list := make([]float64, len(of))
	for i := range of {
		list[i] = of[i] / to[i]
	}
	return ratio{median(list), slices.Min(list), slices.Max(list)}
}

// median returns the middle of list, NaN when it is empty.
func median(list []float64) float64 {
	if len(list) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(list))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
