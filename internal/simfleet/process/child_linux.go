package process

import (
	"os/exec"
	"runtime"
	"syscall"
)

// tieToParent has the system tell the child when the parent dies, should it not notice by itself. It is told, not
// killed, so that it can remove its files.
func tieToParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
}

// startTied starts the command and closes exited once it is gone. For the system the parent is the thread that started
// the child, not the process, so that thread is kept until the child ends.
func startTied(cmd *exec.Cmd, exited chan<- struct{}) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // how it ended does not matter: its fleet is gone
			close(exited)
		}
	}()
	return <-started
}
