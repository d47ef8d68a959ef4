package config

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// An Address is where something listens, or for an announcement, is sent: host and port,
// or a unix socket.
type Address struct {
	Text string // as written
	Host string // without brackets; empty for every address of the machine
	Port uint16 // 0 if and only if Unix is set
	Unix string // absolute path of a socket
}

// String returns the address as written.
func (a Address) String() string { return a.Text }

// HostPort returns host:port with IPv6 in brackets; empty for a unix socket.
func (a Address) HostPort() string {
	if a.Unix != "" {
		return ""
	}
	return bracketed(a.Host) + ":" + strconv.Itoa(int(a.Port))
}

// everywhere reports whether a stands for every address of the machine.
func (a Address) everywhere() bool {
	ip, err := netip.ParseAddr(a.Host)
	return a.Unix == "" && (a.Host == "" || err == nil && ip.IsUnspecified())
}

// same reports whether a and b cannot both be bound.
func (a Address) same(b Address) bool {
	if a.Unix != "" || b.Unix != "" {
		return a.Unix == b.Unix
	}
	return a.Port == b.Port && (strings.EqualFold(a.Host, b.Host) || a.everywhere() && b.everywhere())
}

// covers reports whether a and b are the same, or one of them is everywhere on the port of
// the other.
func (a Address) covers(b Address) bool {
	return a.same(b) || a.Unix == "" && b.Unix == "" && a.Port == b.Port && (a.everywhere() || b.everywhere())
}

// listenAddress takes a TCP address or unix:/path.
func listenAddress(to *Address) scalar[Address] {
	return addressForm(to, "an address", func(s string) (Address, error) {
		if path, ok := strings.CutPrefix(s, "unix:"); ok {
			return Address{Text: s, Unix: path}, checkSocketPath(path)
		}
		return parseAddress(s)
	}).like("^(unix:/.*|" + patternAddress + ")$")
}

// hostPort takes host:port.
func hostPort(to *Address) scalar[Address] {
	return addressForm(to, "host:port", parseAddress).like("^" + patternAddress + "$")
}

func addressForm(to *Address, kind string, parse func(string) (Address, error)) scalar[Address] {
	return scalar[Address]{to: to, kind: kind, parse: parse, show: Address.String}
}

func parseAddress(s string) (Address, error) {
	if isWholeNumber(s) {
		return Address{}, fmt.Errorf("%s is a port alone; write \":%s\" for every address, or host:port", shown(s), s)
	}
	if strings.HasPrefix(s, "unix:") {
		return Address{}, fmt.Errorf("%s is a unix socket, which is not possible here; write host:port", shown(s))
	}
	host, port, hasPort, err := splitPort(s)
	if err != nil {
		return Address{}, err
	}
	if !hasPort {
		return Address{}, fmt.Errorf("%s has no port; write host:port, [v6]:port or :port", shown(s))
	}
	n, err := parsePort(port)
	if err != nil {
		return Address{}, err
	}
	if host == "*" {
		return Address{}, fmt.Errorf("%s is not an address; write :%s for every address", shown(s), port)
	}
	if host != "" && !strings.Contains(host, ":") {
		err = checkHostName(host)
	}
	return Address{Text: s, Host: host, Port: n}, err
}

// checkSocketPath returns an error unless s can be the path of a unix socket.
func checkSocketPath(s string) error {
	const most = 107 // bytes in sockaddr_un without the final NUL; some systems have 103
	switch {
	case !strings.HasPrefix(s, "/"):
		return fmt.Errorf("%s is not the absolute path of a socket", shown(s))
	case len(s) > most:
		return fmt.Errorf("%s is longer than the %d bytes of a socket's path", shown(s), most)
	}
	return nil
}
