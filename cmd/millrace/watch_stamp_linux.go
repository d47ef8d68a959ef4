package main

import (
	"io/fs"
	"syscall"
)

func stampOf(st fs.FileInfo) stamp {
	sys := st.Sys().(*syscall.Stat_t)
	return stamp{uint64(sys.Dev), sys.Ino, sys.Size, sys.Mtim.Nano(), sys.Ctim.Nano()}
}
