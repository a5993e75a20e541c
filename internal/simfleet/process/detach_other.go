//go:build !unix

package process

import (
	"os"
	"os/exec"
)

// Detach does nothing: a process outlives its parent by itself.
func Detach(*exec.Cmd) {}

// Terminate kills a process; there is no signal for a graceful end.
func Terminate(p *os.Process) error { return p.Kill() }
