//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

// Detach gives the command a session of its own, so that it survives the closing of the terminal.
func Detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// Terminate asks a process to end.
func Terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
