package beacon

import (
	"encoding/binary"
	"syscall"
)

const controlSize = 64 // bytes: room for the count and more

// countLosses asks the kernel to tell with each datagram how many were lost before it.
func countLosses(fd uintptr) {
	_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RXQ_OVFL, 1)
}

// lossCount finds that number in the control messages of a datagram. It is left out as long
// as it is 0. syscall.ParseSocketControlMessage would do, but allocates.
func lossCount(control []byte) uint32 {
	for len(control) >= syscall.SizeofCmsghdr {
		size, level, kind := readControlHeader(control)
		if size < syscall.SizeofCmsghdr || size > len(control) {
			return 0
		}
		value := control[syscall.CmsgLen(0):]
		if level == syscall.SOL_SOCKET && kind == syscall.SO_RXQ_OVFL && len(value) >= 4 {
			return binary.NativeEndian.Uint32(value)
		}
		control = control[min(syscall.CmsgSpace(size-syscall.CmsgLen(0)), len(control)):]
	}
	return 0
}

// readControlHeader reads a struct cmsghdr: a size_t and two ints.
func readControlHeader(b []byte) (size int, level, kind int32) {
	const ints = 8
	words := b[syscall.SizeofCmsghdr-ints:]
	level, kind = int32(binary.NativeEndian.Uint32(words)), int32(binary.NativeEndian.Uint32(words[4:]))
	if syscall.SizeofCmsghdr-ints == 8 {
		return int(binary.NativeEndian.Uint64(b)), level, kind
	}
	return int(binary.NativeEndian.Uint32(b)), level, kind
}
