//go:build !linux

package process

import "os/exec"

// tieToParent does nothing here: the child ends when its standard input does.
func tieToParent(*exec.Cmd) {}

// startTied starts the command and closes exited once it is gone.
func startTied(cmd *exec.Cmd, exited chan<- struct{}) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() {
		_ = cmd.Wait() // how it ended does not matter: its fleet is gone
		close(exited)
	}()
	return nil
}
