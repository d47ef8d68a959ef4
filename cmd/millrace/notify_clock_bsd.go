//go:build darwin || freebsd

package main

// monotonicMicroseconds is 0: no service manager of these systems asks for it.
func monotonicMicroseconds() int64 { return 0 }
