package netpoll

import (
	"net"
	"strconv"
)

// zoneIndex is the interface number of an IPv6 zone, 0 for none or an unknown one.
func zoneIndex(zone string) uint32 {
	if zone == "" {
		return 0
	}
	if n, err := strconv.ParseUint(zone, 10, 32); err == nil {
		return uint32(n)
	}
	if ifi, err := net.InterfaceByName(zone); err == nil {
		return uint32(ifi.Index)
	}
	return 0
}
