package cli

import (
	"bytes"
	"net/http"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet"
)

// writesOf acts at the writes of a host's option.
type writesOf struct {
	mu    sync.Mutex
	n     int
	ahead func(n int) // before the nth write is carried out: actAhead
	then  func(n int) // after it; a panic with http.ErrAbortHandler loses the answer
	away  int         // so many calls are dropped
}

func (w *writesOf) before(call string) (drop bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.away > 0 {
		w.away--
		return true
	}
	if call == "UpdateOptions" && w.ahead != nil {
		w.ahead(w.n + 1)
	}
	return false
}

func (w *writesOf) after(call string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if call == "UpdateOptions" {
		if w.n++; w.then != nil {
			w.then(w.n)
		}
	}
}

// actAhead has act called before the nth write is carried out. The server may be in use.
func (w *writesOf) actAhead(act func(n int)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ahead = act
}

// loses loses the answer of a write, and has the server drop some calls.
func (w *writesOf) loses(nth, away int) {
	w.then = func(n int) {
		if n == nth {
			w.away = away
			panic(http.ErrAbortHandler)
		}
	}
}

// dropped calls that a read of a setting survives, and more than it does: it is tried six times, each with two retries.
const (
	briefly = 2
	longer  = 20
)

// TestProveTrialAnswerLost: the answer of a write is lost, and the server is away then. A switch that was made is found by reading. If the
// server stays away, the trial ends; the end waits for the server and restores the value.
func TestProveTrialAnswerLost(t *testing.T) {
	t.Parallel()
	for name, c := range rows(t, 1, map[string]struct {
		seed       string
		nth, away  int
		code       []int
		stop, says string
	}{
		"of the first switch":                    {"7", 1, 0, []int{exitClean, exitIncomplete}, "", ""},
		"of a switch back":                       {"7", 2, briefly, []int{exitClean, exitIncomplete}, "", ""},
		"of a switch, and the server stays away": {"7", 3, longer, []int{exitUndone}, "switch", "the connection ended without an answer"},
		"of a switch back, the server too":       {"7", 4, longer, []int{exitUndone}, "switch", "the connection ended without an answer"},
		"of the restore":                         {"1", 8, briefly, []int{exitClean, exitIncomplete}, "", ""},
		"of the restore, and the server too":     {"1", 8, longer, []int{exitClean, exitIncomplete}, "", ""},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := new(writesOf)
			w.loses(c.nth, c.away)
			s := newTrialStage(t, simfleet.Config{Before: w.before, After: w.after})
			code, text := s.run(shortTrial("--seed", c.seed)...)
			require.Contains(t, c.code, code, text)
			require.Contains(t, text, c.says)
			require.Equal(t, c.stop, s.show(t).Result.Stop, text)
			require.GreaterOrEqual(t, w.n, c.nth)
			require.Zero(t, w.away)
			require.EqualValues(t, 0, pinThreshold(t, s.somebody(t)))
			require.Contains(t, s.must(t, exitClean, "history", "list"), "restored: 1 undone")
			s.must(t, exitClean, "history", "verify")
		})
	}
}

// TestProveTrialHostLostInASwitch: the host is lost in the moment of a switch. Nobody can read its value, so the trial reports that, and
// the next command restores it when the host is back.
func TestProveTrialHostLostInASwitch(t *testing.T) {
	t.Parallel()
	for name, c := range rows(t, 1, map[string]struct {
		nth  int   // write
		left int64 // the value until the host is back
	}{
		"on":       {1, 0},
		"off":      {2, 60},
		"on again": {3, 0},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s *trialStage
			w, lost := new(writesOf), make(chan bool)
			w.actAhead(func(n int) {
				if n == c.nth {
					assert.NoError(t, s.fleet.Happen(simfleet.HostLost, "host01")) //nolint:testifylint // not the goroutine of the test
					close(lost)
				}
			})
			s = newTrialStage(t, simfleet.Config{Before: w.before, After: w.after})
			cmd, output := s.command(shortTrial()...), new(bytes.Buffer)
			cmd.Stdout, cmd.Stderr = output, output
			require.NoError(t, cmd.Start())
			go func() {
				<-lost
				_ = cmd.Process.Signal(os.Interrupt) // otherwise it waits ten minutes for the host
			}()
			_ = cmd.Wait()
			require.Equal(t, exitNotUndone, cmd.ProcessState.ExitCode(), "%s", output)
			require.Contains(t, output.String(), "not all old values are restored: vperf rollback ")
			require.Contains(t, s.must(t, exitClean, "history", "list"), "cut short: 1 ")
			require.NoError(t, s.fleet.Happen(simfleet.HostBack, "host01"))
			other := s.somebody(t)
			require.Equal(t, c.left, pinThreshold(t, other))
			s.must(t, exitClean, "history", "verify") // it writes to the journal, so it recovers
			require.EqualValues(t, 0, pinThreshold(t, other))
			require.Contains(t, s.must(t, exitClean, "history", "list"), "restored: 1 ")
		})
	}
}
