//go:build darwin || freebsd

package main

import (
	"io/fs"
	"syscall"
)

func stampOf(st fs.FileInfo) stamp {
	sys := st.Sys().(*syscall.Stat_t)
	return stamp{uint64(sys.Dev), uint64(sys.Ino), sys.Size, sys.Mtimespec.Nano(), sys.Ctimespec.Nano()}
}
