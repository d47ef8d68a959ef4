// Command load is a load generator for HTTP/1.1 servers on Linux.
//
// Without -R it is a closed loop: each connection sends its next request when
// the answer to the last one is complete. With -R it sends at a constant rate,
// as wrk2 does: each connection has a timetable, and a latency is measured from
// the moment its request was due, not from when it could be sent. A server that
// stalls is thus charged for every request that had to wait.
//
//	load -c 64 -d 10s http://127.0.0.1:8080/
//	load -c 256 -R 20000 -d 30s http://127.0.0.1:8080/
//
// Each thread is one event loop with its share of the connections.
package main
