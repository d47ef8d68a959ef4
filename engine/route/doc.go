// Package route is the host and prefix table: it says which route serves a request, or
// why none may.
//
// # Which route
//
// The host is compared without regard to case, port and one trailing dot; an IPv6 address
// must come in the spelling of RFC 5952, as browsers send it. A route with
// that exact host goes before one with a wildcard (the longest suffix first), and that
// before one for any host. Among the routes of one host the longest prefix wins. When a
// more specific host has no route for the path, the next less specific one is asked, so
// a catch-all for any host also catches what a host of its own leaves open. Of two routes
// with the same host and prefix, one that names the listener goes before one that names
// none.
//
// A prefix matches whole path segments: /a matches /a, /a/ and /a/x, not /ab. A prefix
// that ends in a slash matches what starts with it: /a/ matches /a/ and /a/x, not /a.
//
// # Path safety
//
// Upstreams do not agree on what a path means, so a path that some of them would read as
// leading elsewhere must not pass a prefix that was meant to fence it in. Two rules see
// to that, both before a route is chosen.
//
// First, a path is refused if it holds a dot segment in any spelling (encoded, followed
// by parameters, next to an encoded slash or a backslash), an encoded NUL, a %u escape, a
// dot, slash or backslash that was encoded more than once, or a broken escape that turns
// into a whole one when its neighbours are decoded.
//
// Second, the path is brought into normal form (RFC 3986 6.2.2): escapes of unreserved
// characters are decoded, the digits of all others are upper case, and runs of slashes
// become one. The prefix is matched against that. Then it is looked up in the four other
// readings that upstreams are known for: encoded slashes and backslashes as slashes; the
// same with ;parameters dropped; ;parameters dropped with slashes left encoded; and that
// one with the slashes decoded after all. Unless all choose the same route, or all none,
// the path is refused. Behind a prefix all of this passes: /api/a%2Fb;c leads to /api in
// every reading.
//
// What goes upstream is the path as it came, byte for byte, unless the route strips its
// prefix. Not detected are upstreams that ignore case, that decode overlong UTF-8 or that
// drop dots and blanks at the end of a name.
package route
