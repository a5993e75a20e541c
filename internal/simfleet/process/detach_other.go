//go:build !unix

package process

import (
	"os"
	"os/exec"
)

// Detach does nothing: a process outlives its parent by itself.
func Detach(*exec.Cmd) {}

// Terminate ends a process; there is no way to ask.
func Terminate(p *os.Process) error { return p.Kill() }
