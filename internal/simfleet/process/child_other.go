//go:build !linux

package process

import "os/exec"

// tieToParent does nothing here: the child ends when its standard input does.
func tieToParent(*exec.Cmd) {}

// startTied starts the command and closes exited when it has ended.
func startTied(cmd *exec.Cmd, exited chan<- struct{}) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() {
		_ = cmd.Wait() // its exit status does not matter
		close(exited)
	}()
	return nil
}
