//go:build unix

package userfile

import (
	"io/fs"
	"syscall"
)

func owner(info fs.FileInfo) (uid int, known bool) {
	stat, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return 0, false
	}
	return int(stat.Uid), true
}
