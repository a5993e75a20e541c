package cli

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/source"
)

// The first Ctrl-C ends the measurement, the next one ends the command.
func TestCtrlCIsHeardOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("nobody can send Ctrl-C there")
	}
	ctx, stop := withEnd(t.Context())
	defer stop()
	heard := make(chan bool, 1)
	done := source.EarlyStopOf(ctx).Watching(func() bool { heard <- true; return true })
	press := func() {
		self, err := os.FindProcess(os.Getpid())
		require.NoError(t, err)
		require.NoError(t, self.Signal(os.Interrupt))
	}
	press()
	require.True(t, <-heard)
	require.Eventually(t, func() bool { return source.StoppedEarly(ctx) }, time.Minute, time.Millisecond)
	require.NoError(t, ctx.Err(), "the command goes on")
	done()
	press()
	<-ctx.Done()
}

// A measurement that ended early has a result, and the exit code shows that it is shorter than requested.
func TestEnoughIsNoSuccess(t *testing.T) {
	streams, out, errs := iostreams.Test()
	ctx, early := source.WithEarlyStop(t.Context())
	source.EarlyStopOf(ctx).Watching(func() bool { return true })
	require.True(t, early.Stop())
	code := run(ctx, NewFactory(streams), []string{"version"})
	require.Equal(t, exitInterrupted, code)
	require.Contains(t, out.String(), "vperf")
	require.Equal(t, "vperf: interrupted\n", errs.String())
}
