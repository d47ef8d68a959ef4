// Command floor is a relay on gnet's poller with nothing in it: the system calls of a proxy
// and none of its work. What it costs, no proxy on that poller can go below. It tells how
// many allocations a request costs when the relay itself makes none.
package main
