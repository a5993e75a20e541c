//go:build linux || darwin

package doctor

import "syscall"

// mayWrite asks the operating system. It sees read-only file systems too.
func mayWrite(folder string) error {
	const writeAndSearch = 2 | 1
	return syscall.Access(folder, writeAndSearch)
}
