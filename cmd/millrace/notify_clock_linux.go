package main

import (
	"syscall"
	"time"
	"unsafe"
)

// monotonicMicroseconds is CLOCK_MONOTONIC, by which the service manager tells the end of
// one reload from the end of another; 0 if there is none.
func monotonicMicroseconds() int64 {
	const clockMonotonic = 1
	var now syscall.Timespec
	if _, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&now)), 0); errno != 0 {
		return 0
	}
	return now.Nano() / int64(time.Microsecond)
}
