//go:build !linux

package beacon

// Other kernels do not tell a socket what it has lost.
const controlSize = 0

func countLosses(uintptr) {}

func lossCount([]byte) uint32 { return 0 }
