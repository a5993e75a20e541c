//go:build unix

package cli

import (
	"os"
	"strconv"
	"syscall"
)

// In a program with this variable no file can be larger, as on a full disk.
func init() {
	limit, err := strconv.ParseUint(os.Getenv(fileLimit), 10, 63)
	if err == nil && syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}) != nil {
		panic("cannot limit the size of files")
	}
}
