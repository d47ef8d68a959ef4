// Package discovery finds the addresses of upstreams in the DNS and keeps them fresh.
//
// A Resolver takes Watches. Each names a host (A and AAAA records) or a service (SRV records,
// RFC 2782) and has at any time an Answer: the endpoints to use now. Equal lookups are shared,
// each is one goroutine, and nothing here is on the path of requests: whoever watches is told
// of changes and otherwise left alone, however slow or wrong the name servers are.
//
// What holds over the life of a name:
//
//   - It is looked up again shortly before its TTL is over, at least every five minutes and at
//     most once a second.
//   - A lookup that fails (timeout, SERVFAIL, a malformed answer) is tried again after one
//     second, then ever more seldom, up to every 30. The last good answer stays in force
//     meanwhile, for as long as it takes.
//   - That a name or its records do not exist is believed when three lookups in a row say so.
//   - The order of records has no meaning. Answers are sorted, so one that only turned round
//     is no change.
//
// The client is a stub (RFC 1034, 5.3.1): it asks recursive servers, over UDP with EDNS0
// (RFC 6891) and over TCP what did not fit (RFC 7766). Each query has a socket, and thereby a
// port, and an id of its own, and only a reply from the address that was asked, with that id
// and that question, is read (RFC 5452).
package discovery
