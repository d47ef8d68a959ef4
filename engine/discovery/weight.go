package discovery

import (
	"cmp"
	"math"
	"net/netip"
	"slices"
)

const (
	mostEndpoints = 1024 // of one answer
	finest        = 1000 // parts of a weight; finer splits are rounded
	smallShare    = 100  // records of weight 0 get one request in so many
)

// located is a service with the addresses of its target, of which there is at least one.
type located struct {
	Service
	addrs []netip.Addr
}

// weigh makes endpoints of services, which are sorted. Within a priority the shares are exact:
// weights are made larger, all of them alike, if a split needs it.
func weigh(services []located, q *Query) []Endpoint {
	var all []Endpoint
	services = distinct(services)
	for begin := 0; begin < len(services); {
		end := begin
		for end < len(services) && services[end].Priority == services[begin].Priority {
			end++
		}
		all = append(all, weighTier(services[begin:end], q)...)
		begin = end
	}
	return all
}

// distinct returns services of which each target and port is there once: in the priority that
// comes first, with the weights it has there together. No more addresses are left than are used.
func distinct(services []located) []located {
	type place struct {
		target string
		port   uint16
	}
	var out []located
	index := make(map[place]int)
	left := mostEndpoints
	for _, s := range services {
		at := place{s.Target, s.Port}
		if i, ok := index[at]; ok {
			if out[i].Priority == s.Priority {
				out[i].Weight = uint16(min(int(out[i].Weight)+int(s.Weight), math.MaxUint16))
			}
			continue
		}
		if s.addrs = s.addrs[:min(len(s.addrs), left)]; len(s.addrs) == 0 {
			continue
		}
		left -= len(s.addrs)
		index[at] = len(out)
		out = append(out, s)
	}
	return out
}

// weighTier makes endpoints of the services of one priority.
func weighTier(services []located, q *Query) []Endpoint {
	weights := shares(services)
	parts := splitParts(services, weights)
	var all []Endpoint
	var shareOf []float64
	for i, s := range services {
		share := float64(weights[i]) * float64(parts) / float64(len(s.addrs)) * float64(max(q.Weight, 1))
		for _, a := range s.addrs {
			all = append(all, Endpoint{
				Addr:     netip.AddrPortFrom(a, s.Port),
				Priority: int(s.Priority) + q.Priority,
				Target:   s.Target,
			})
			shareOf = append(shareOf, share)
		}
	}
	scale := 1.0
	if most := slices.Max(shareOf); most > MaxWeight {
		scale = MaxWeight / most
	}
	for i := range all {
		all[i].Weight = max(int(math.Round(shareOf[i]*scale)), 1)
	}
	slices.SortFunc(all, func(a, b Endpoint) int {
		return cmp.Or(cmp.Compare(a.Target, b.Target), a.Addr.Compare(b.Addr))
	})
	return all
}

// shares are the weights of services, none of them 0. RFC 2782: records of weight 0 have a very
// small chance beside others; where all have 0, there is nothing to choose by, and all have 1.
func shares(services []located) []int64 {
	var sum, zeros int64
	for _, s := range services {
		sum += int64(s.Weight)
		if s.Weight == 0 {
			zeros++
		}
	}
	factor := int64(1)
	if sum > 0 {
		factor = max((zeros*smallShare+sum-1)/sum, 1)
	}
	out := make([]int64, len(services))
	for i, s := range services {
		out[i] = max(int64(s.Weight)*factor, 1)
	}
	return out
}

// splitParts is the least number that all weights can be multiplied by so that each divides
// evenly among the addresses.
func splitParts(services []located, weights []int64) int64 {
	parts := int64(1)
	for i, s := range services {
		n := int64(len(s.addrs))
		n /= gcd(n, weights[i])
		if parts = parts / gcd(parts, n) * n; parts > finest {
			return finest
		}
	}
	return parts
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
