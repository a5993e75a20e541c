package change

import (
	"context"
	"encoding/json"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/soap"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// switching opens the run of a trial of wanted values, one for each target.
func (w *workshop) switching(t *testing.T, e tuning.Estate, want tuning.Assignment, targets ...tuning.Target) (*tuning.Switching, *tuning.Runs) {
	t.Helper()
	var all []tuning.Proposal
	for _, target := range targets {
		all = append(all, tuning.Proposal{Target: target, Want: want, Cause: tuning.Cause{Rule: "r", Title: "R"}})
	}
	p, err := tuning.NewPlan(t.Context(), e.Settings, e.Server, all, time.Now())
	require.NoError(t, err)
	require.Len(t, p.Steps, len(targets), "%+v", p.Skipped)
	runs, err := tuning.OpenRuns(t.TempDir() + "/runs")
	require.NoError(t, err)
	s, err := tuning.OpenSwitching(t.Context(), e, runs, p, tuning.Options{}, json.RawMessage(`{}`))
	require.NoError(t, err)
	return s, runs
}

// TestCallsOfASwitch: after the first switch, a switch of a host takes four calls: read, compare, write, read back; the first
// of several hosts takes three. It takes no survey.
// taskPolls is how often a task may be polled before it ends: it depends on the machine.
const taskPolls = 3

func TestCallsOfASwitch(t *testing.T) {
	t.Parallel()
	w := openWorkshop(t)
	e := estateOf(t, w.estate)
	start := w.everything(t)
	vm := func(name string) tuning.Target {
		for _, v := range w.all.VMs {
			if v.Name == name {
				return tuning.Target{Kind: inventory.ScopeVM, ID: v.ID, Name: v.Name, Path: v.Path}
			}
		}
		require.FailNow(t, "no VM "+name)
		return tuning.Target{}
	}
	hosts := func(names ...string) (all []tuning.Target) {
		for _, name := range names {
			all = append(all, w.target(inventory.ScopeHost, name))
		}
		return all
	}
	for name, c := range map[string]struct {
		want    tuning.Assignment
		targets []tuning.Target
		calls   int // of one switch of all targets
	}{
		"host option":           {assign(pinOption, "", "40"), hosts("host01", "host02", "host04"), 3 + 4 + 4},
		"power policy":          {assign("power-policy", "", "low"), hosts("host01", "host02", "host06"), 3 + 4 + 4},
		"LUN outstanding I/Os":  {assign("lun-outstanding-ios", demoDisk, "16"), hosts("host01", "host02", "host04"), 3 + 4 + 4},
		"VM CPU limit":          {assign("vm-cpu-limit", "", "4000"), []tuning.Target{vm("web-01")}, 5 + taskPolls},
		"VM CPU reservation":    {assign("vm-cpu-reservation", "", "100"), []tuning.Target{vm("web-01")}, 5 + taskPolls},
		"VM memory reservation": {assign("vm-memory-reservation", "", "256"), []tuning.Target{vm("web-01")}, 5 + taskPolls},
		"disk IOPS limit":       {assign("vdisk-iops-limit", "2000", "1000"), []tuning.Target{vm("web-01")}, 5 + taskPolls},
		"pool CPU limit":        {assign("pool-cpu-limit", "", "-1"), []tuning.Target{w.target(inventory.ScopePool, "batch")}, 4},
		"pool memory limit":     {assign("pool-memory-limit", "", "-1"), []tuning.Target{w.target(inventory.ScopePool, "batch")}, 4},
		"NetIOC":                {assign("switch-nioc", "", "true"), []tuning.Target{w.target(inventory.ScopeSwitch, "dvs-lowlat")}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := w.switching(t, e, c.want, c.targets...)
			all := func(on bool) map[int]bool {
				steps := map[int]bool{}
				for i := range c.targets {
					steps[i+1] = on
				}
				return steps
			}
			require.NoError(t, s.Set(t.Context(), all(true)))
			want, _ := c.want.Value.Value()
			for _, target := range c.targets {
				found, err := w.Read(t.Context(), target, []tuning.Address{c.want.Address})
				require.NoError(t, err)
				now, _ := found[0].Value()
				require.Equal(t, want.Text, now.Text)
			}
			for _, on := range []bool{false, true} {
				var err error
				calls := vspheretest.CallsOf(w.Session, func() { err = s.Set(t.Context(), all(on)) })
				require.NoError(t, err)
				require.LessOrEqual(t, vspheretest.Sum(calls), c.calls, "%v", calls)
			}
			calls := vspheretest.CallsOf(w.Session, func() { require.NoError(t, s.Set(t.Context(), nil)) })
			require.Equal(t, len(c.targets), vspheretest.Sum(calls), "to check takes one call for each target: %v", calls)
			o, err := s.Close(t.Context(), false)
			require.NoError(t, err)
			require.Equal(t, len(c.targets), o.Count(tuning.StateUndone))
			require.Empty(t, changed(start, w.everything(t)))
		})
	}
}

// TestSwitchThroughLostAnswers: each write of a trial loses its answer; what was read back counts.
func TestSwitchThroughLostAnswers(t *testing.T) {
	t.Parallel()
	w := openWorkshop(t)
	e := estateOf(t, w.estate)
	start := w.everything(t)
	s, _ := w.switching(t, e, assign("power-policy", "", "low"), w.target(inventory.ScopeHost, "host01"), w.target(inventory.ScopeHost, "host02"))
	l := w.losing("ConfigurePowerPolicy", nil)
	require.NoError(t, s.Set(t.Context(), map[int]bool{1: true}))
	require.NoError(t, s.Set(t.Context(), map[int]bool{1: false, 2: true}))
	o, err := s.Close(t.Context(), false)
	require.NoError(t, err)
	require.Equal(t, []tuning.State{tuning.StateUndone, tuning.StateUndone}, statesOf(o.Results))
	require.EqualValues(t, 4, l.lost.Load())
	require.Empty(t, changed(start, w.everything(t)))
}

// cutOff ends the connection for good at a certain call of those that are counted: before it, or after it was carried out.
type cutOff struct {
	next  soap.RoundTripper
	at    int64
	ahead bool

	mu    sync.Mutex
	names []string
}

func (c *cutOff) RoundTrip(ctx context.Context, req, res soap.HasFault) error {
	c.mu.Lock()
	c.names = append(c.names, vspheretest.MethodOf(req))
	n := int64(len(c.names))
	c.mu.Unlock()
	if c.at > 0 && (n > c.at || n == c.at && c.ahead) {
		return io.ErrUnexpectedEOF
	}
	err := c.next.RoundTrip(ctx, req, res)
	if n == c.at {
		return io.ErrUnexpectedEOF
	}
	return err
}

// TestProveLostInATrial: vperf loses its server for good before or after a call near each write of a trial. The next vperf
// restores the values.
func TestProveLostInATrial(t *testing.T) {
	t.Parallel()
	w := openWorkshop(t)
	w.SetForTest(session.TestSettings{RetryPause: time.Millisecond})
	e := estateOf(t, w.estate)
	start, carrier := w.everything(t), w.Transport()
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	script := func(c *cutOff) (*tuning.Runs, error) {
		s, runs := w.switching(t, e, assign(pinOption, "", "40"), w.target(inventory.ScopeHost, "host01"), w.target(inventory.ScopeHost, "host02"))
		w.SetTransport(c)
		defer w.SetTransport(carrier)
		for _, on := range []map[int]bool{{1: true}, {1: false, 2: true}} {
			if err := s.Set(t.Context(), on); err != nil {
				break
			}
		}
		_, err := s.Close(interrupted, false)
		return runs, err
	}
	calm := &cutOff{next: carrier}
	_, err := script(calm)
	require.NoError(t, err)
	type moment struct {
		at    int64
		ahead bool
	}
	var moments []moment
	for i, name := range calm.names {
		if name == "UpdateOptions" {
			for _, at := range []int{i, i + 1, i + 2} {
				moments = append(moments, moment{int64(at), true}, moment{int64(at), false})
			}
		}
	}
	require.Len(t, moments, 4*6, "%q", calm.names)
	for _, c := range proof.Sample(t, 3, moments) {
		runs, err := script(&cutOff{next: carrier, at: c.at, ahead: c.ahead})
		if err == nil {
			require.Empty(t, changed(start, w.everything(t)), "Close said that all is restored; cut off at %d of %q", c.at, calm.names)
		}
		_, err = tuning.Recover(t.Context(), e, runs, tuning.Options{})
		require.NoError(t, err)
		require.Empty(t, changed(start, w.everything(t)), "cut off at %d of %q", c.at, calm.names)
		all, err := runs.List()
		require.NoError(t, err)
		require.Equal(t, tuning.ResultRestored, all[0].Result)
	}
}
