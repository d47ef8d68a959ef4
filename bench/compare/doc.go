// Command compare measures proxies side by side on this machine (Linux).
//
//	compare [FLAGS] MODE...
//
// The proxies stand in front of the same upstream and get the same load, in
// turn: A B C A B C. What counts is the CPU time of the proxy's process by
// completed request (or by MB), and the ratio to the others: the median of the
// ratios of paired turns. See docs/benchmarks.md.
package main
