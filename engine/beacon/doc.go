// Package beacon keeps the membership of clusters by announcements: signed UDP datagrams in
// which an endpoint tells where it serves. They are those of httpd's mod_proxy_beacon, byte
// for byte, so that either side may be httpd.
//
// A Receiver takes announcements and fills one Cluster with the members that they name: the
// first adds a member, silence for longer than a timeout disables it, the next enables it
// again. An Announcer sends them, also from inside of any Go service.
//
// A datagram is one line of ASCII,
//
//	BEACON url=<origin> host=<name> pid=<n> seq=<n> ts=<microseconds> mac=<16 hex digits>
//
// whose mac is SipHash-2-4 over everything before the blank in front of it. Whoever has the
// secret decides where requests go: it is an administrator's credential.
//
// Nothing in here is on the path of requests. A datagram that is not from a holder of the
// secret is refused without an allocation, before anything in it is read.
package beacon
