package cli

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/vperf/vperf/internal/source"
)

// endSignals are the signals that ask us to end: Ctrl-C, kill, and a terminal that is closed unless nohup has it ignored.
func endSignals() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// withEnd is a context that the signals of endings end. The first Ctrl-C only ends watches that have measured enough. Until stop
// is called.
func withEnd(from context.Context) (ctx context.Context, stop func()) {
	ctx, early := source.WithEarlyStop(from)
	ctx, cancel := context.WithCancel(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, endSignals()...)
	go func() {
		for {
			select {
			case s := <-signals:
				if s == os.Interrupt && early.Stop() {
					continue
				}
				signal.Stop(signals) // a second one ends the process at once
				cancel()
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() { signal.Stop(signals); cancel() }
}

// holdSignals has the second signal not end the process: it calls warn, and only the third one ends the process. It is for commands that
// restore values after the first one. Until stop is called.
func holdSignals(warn func()) (stop func()) {
	signals, done := make(chan os.Signal, 2), make(chan struct{})
	signal.Notify(signals, endSignals()...)
	go func() {
		for n := 1; ; n++ {
			select {
			case <-signals: // withEnd gets the first one, too
			case <-done:
				return
			}
			if n == 2 {
				warn()
				signal.Stop(signals)
				return
			}
		}
	}()
	return sync.OnceFunc(func() { signal.Stop(signals); close(done) })
}
