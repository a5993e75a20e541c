package cli

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet"
)

// fileLimit is the variable with the largest size of a file that a program can write, in bytes.
const fileLimit = "TEST_FILE_LIMIT"

// sharedBuffer is output that is read while it is written.
type sharedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *sharedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *sharedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// signalled is a command that other goroutines send signals.
type signalled struct {
	*exec.Cmd
	started chan struct{}
}

func withSignals(cmd *exec.Cmd) *signalled {
	return &signalled{Cmd: cmd, started: make(chan struct{})}
}

// Run shadows that of exec.Cmd, to say when there is a process.
func (c *signalled) Run() error {
	err := c.Start()
	close(c.started)
	if err != nil {
		return err
	}
	return c.Wait()
}

func (c *signalled) signal(s os.Signal) error {
	<-c.started
	return c.Process.Signal(s)
}

// inATreatedBlock is a time on the fleet's clock, in the fourth block of a short trial with seed 7, whose third write made it.
const inATreatedBlock = 12 * time.Minute

// TestProveTrialSignals: each signal that asks vperf to end restores the value. A second one while that is done changes nothing.
func TestProveTrialSignals(t *testing.T) {
	t.Parallel()
	for name, signals := range rows(t, 2, map[string][]os.Signal{
		"Ctrl-C twice":       {os.Interrupt, os.Interrupt},
		"SIGTERM":            {syscall.SIGTERM},
		"SIGTERM and Ctrl-C": {syscall.SIGTERM, os.Interrupt},
		"SIGHUP":             {syscall.SIGHUP},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			notIgnored(t, signals...)
			w, output := new(writesOf), new(sharedBuffer)
			s := newTrialStage(t, simfleet.Config{Before: w.before, After: w.after})
			cmd := withSignals(s.command(shortTrial()...))
			cmd.Stdout, cmd.Stderr = output, output
			s.once(inATreatedBlock, func() { assert.NoError(t, cmd.signal(signals[0])) })
			w.actAhead(func(n int) {
				if n < 4 || len(signals) < 2 { // the fourth write restores
					return
				}
				assert.NoError(t, cmd.signal(signals[1])) //nolint:testifylint // not the goroutine of the test
				assert.Eventually(t, func() bool { return strings.Contains(output.String(), "press Ctrl-C again") }, time.Minute, time.Millisecond)
			})
			_ = cmd.Run()
			require.Equal(t, exitIncomplete, cmd.ProcessState.ExitCode(), "%s", output)
			require.Equal(t, len(signals) > 1, strings.Contains(output.String(), "press Ctrl-C again"))
			require.Equal(t, "interrupted", s.show(t).Result.Stop)
			require.EqualValues(t, 0, pinThreshold(t, s.somebody(t)))
			require.Contains(t, s.must(t, exitClean, "history", "list"), "restored: 1 undone")
			s.must(t, exitClean, "history", "verify")
		})
	}
}

// notIgnored makes sure that programs of the test do not ignore signals, even if the test was started by nohup or in the background: a
// program inherits ignored signals, and not those that its parent handles.
func notIgnored(t *testing.T, signals ...os.Signal) {
	t.Helper()
	handled := make(chan os.Signal, 1)
	signal.Notify(handled, signals...)
	t.Cleanup(func() { signal.Stop(handled) })
}

// TestTrialCtrlCThrice: the third Ctrl-C ends vperf at once, and the next command that writes restores the value.
func TestTrialCtrlCThrice(t *testing.T) {
	t.Parallel()
	notIgnored(t, os.Interrupt)
	w, output := new(writesOf), new(sharedBuffer)
	s := newTrialStage(t, simfleet.Config{Before: w.before, After: w.after})
	cmd := withSignals(s.command(shortTrial()...))
	cmd.Stdout, cmd.Stderr = output, output
	s.once(inATreatedBlock, func() { assert.NoError(t, cmd.signal(os.Interrupt)) })
	ended := make(chan struct{})
	w.actAhead(func(n int) {
		if n == 4 {
			assert.Eventually(t, func() bool { // from the second one on, each may be the last
				return cmd.signal(os.Interrupt) != nil
			}, time.Minute, 10*time.Millisecond)
			close(ended)
		}
	})
	err := cmd.Run()
	require.Error(t, err)
	<-ended
	require.Equal(t, -1, cmd.ProcessState.ExitCode(), "ended by the signal: %s", output)
	require.Contains(t, s.must(t, exitClean, "history", "list"), "cut short: 1 undo in doubt")
	s.must(t, exitClean, "history", "verify")
	require.EqualValues(t, 0, pinThreshold(t, s.somebody(t)))
}

// TestProveTrialWithoutReaders: nobody reads the output any more, as in vperf trial run | head -1. The trial goes on to its end.
func TestProveTrialWithoutReaders(t *testing.T) {
	t.Parallel()
	for name, closed := range rows(t, 1, map[string][2]bool{"stdout": {true, false}, "stderr": {false, true}, "both": {true, true}}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTrialStage(t, simfleet.Config{})
			cmd := s.command(shortTrial()...)
			reader, writer, err := os.Pipe()
			require.NoError(t, err)
			if closed[0] {
				cmd.Stdout = writer
			}
			if closed[1] {
				cmd.Stderr = writer
			}
			require.NoError(t, cmd.Start())
			require.NoError(t, reader.Close())
			_ = cmd.Wait()
			require.NoError(t, writer.Close())
			require.Contains(t, []int{exitClean, exitIncomplete}, cmd.ProcessState.ExitCode())
			require.Empty(t, s.show(t).Result.Stop)
			require.EqualValues(t, 0, pinThreshold(t, s.somebody(t)))
			require.Contains(t, s.must(t, exitClean, "history", "list"), "restored: 1 undone")
		})
	}
}

// TestApplyWithoutReaders: the same for apply.
func TestApplyWithoutReaders(t *testing.T) {
	t.Parallel()
	s := newTrialStage(t, simfleet.Config{})
	cmd := s.command("apply", "host01", "--rule", "numa-io", "--yes")
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	cmd.Stdout, cmd.Stderr = writer, writer
	require.NoError(t, reader.Close())
	require.NoError(t, cmd.Run())
	require.NoError(t, writer.Close())
	require.EqualValues(t, 60, pinThreshold(t, s.somebody(t)))
}

// TestProveTrialOnAFullDisk: the journal cannot grow any more. The trial ends and restores the value, and the next command completes the
// journal.
func TestProveTrialOnAFullDisk(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the size of files cannot be limited there")
	}
	calm := newTrialStage(t, simfleet.Config{})
	_, text := calm.run(shortTrial()...)
	require.Contains(t, text, "the old values are restored")
	size := calm.journalSize(t)
	for name, part := range rows(t, 1, map[string]float64{"late": .8, "at the end": .97}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTrialStage(t, simfleet.Config{})
			unlimited := s.env
			s.env = append(s.env, fileLimit+"="+strconv.FormatInt(int64(part*float64(size)), 10))
			code, text := s.run(shortTrial()...)
			require.Equal(t, exitUndone, code, text)
			require.Contains(t, text, "writing the journal: ")
			require.Contains(t, text, "the values were restored without a record")
			require.EqualValues(t, 0, pinThreshold(t, s.somebody(t)))
			s.env = unlimited
			require.Contains(t, s.must(t, exitClean, "history", "list"), "cut short: 1 ")
			s.must(t, exitClean, "history", "verify")
			require.Contains(t, s.must(t, exitClean, "history", "list"), "restored: 1 ")
			require.EqualValues(t, 0, pinThreshold(t, s.somebody(t)))
		})
	}
}

// TestTrialWithoutRoom: where the journal has no room to begin with, nothing is changed.
func TestTrialWithoutRoom(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the size of files cannot be limited there")
	}
	s := newTrialStage(t, simfleet.Config{})
	s.env = append(s.env, fileLimit+"=8192")
	code, text := s.run(shortTrial()...)
	require.Equal(t, exitFailed, code, text)
	require.Contains(t, text, "no room for the journal of the run")
	require.EqualValues(t, 0, pinThreshold(t, s.somebody(t)))
	require.NotContains(t, s.must(t, exitClean, "history", "list"), "numa-io")
}

// journalSize is the size of the only journal.
func (v *program) journalSize(t *testing.T) int64 {
	t.Helper()
	journals, err := filepath.Glob(filepath.Join(v.state, "vperf", "simulated", "runs", "*", "journal.jsonl"))
	require.NoError(t, err)
	require.Len(t, journals, 1)
	info, err := os.Stat(journals[0])
	require.NoError(t, err)
	return info.Size()
}
