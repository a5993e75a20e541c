package process

import (
	"os/exec"
	"runtime"
	"syscall"
)

// tieToParent makes the system send the child a signal when the parent dies, in addition to the end of its input. The signal does
// not kill it, so that it can remove its files.
func tieToParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
}

// startTied starts the command and closes exited when it has ended. For the system the parent is the thread that started the
// child, not the process, so that thread is kept until the child ends.
func startTied(cmd *exec.Cmd, exited chan<- struct{}) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // its exit status does not matter
			close(exited)
		}
	}()
	return <-started
}
