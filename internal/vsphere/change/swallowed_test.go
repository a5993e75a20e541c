package change

import (
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// swallowedCases has one change of each kind of setting that may be written, and the call that writes it.
var swallowedCases = map[string]struct {
	kind       inventory.Scope
	on, change string // in the syntax that asks parses
	call       string
	off        bool // the VM has to be powered off
}{
	"host-option":         {kind: inventory.ScopeHost, on: "host01", change: pinOption + "=40", call: "UpdateOptions"},
	"power-policy":        {kind: inventory.ScopeHost, on: "host01", change: "power-policy=static", call: "ConfigurePowerPolicy"},
	"hyperthreading":      {kind: inventory.ScopeHost, on: "host04", change: "hyperthreading=true", call: "EnableHyperThreading"},
	"driver-options":      {kind: inventory.ScopeHost, on: "host02", change: mellanox + ":driver-options/RSS=8,8", call: "UpdateModuleOptionString"},
	"lun-outstanding-ios": {kind: inventory.ScopeHost, on: "host04", change: demoDisk + ":lun-outstanding-ios=32", call: "esxcli storage core device set"},

	"cluster-drs-automation": {kind: inventory.ScopeCluster, on: "general", change: "cluster-drs-automation=fullyAutomated", call: "ReconfigureComputeResource_Task"},
	"cluster-drs-rate":       {kind: inventory.ScopeCluster, on: "general", change: "cluster-drs-rate=3", call: "ReconfigureComputeResource_Task"},
	"pool-cpu-limit":         {kind: inventory.ScopePool, on: "batch", change: "pool-cpu-limit=-1", call: "UpdateConfig"},
	"pool-memory-limit":      {kind: inventory.ScopePool, on: "batch", change: "pool-memory-limit=4096", call: "UpdateConfig"},
	"switch-nioc":            {kind: inventory.ScopeSwitch, on: "dvs-lowlat", change: "switch-nioc=true", call: "EnableNetworkResourceManagement"},
	"datastore-unmap":        {kind: inventory.ScopeDatastore, on: "san02", change: "datastore-unmap=low", call: "UpdateVmfsUnmapPriority"},

	"vm-latency":             {on: "app-vbs-01", change: "vm-latency=medium"},
	"vm-vcpus":               {on: "db-sql-02", change: "vm-vcpus=4", off: true},
	"vm-cores-per-socket":    {on: "db-sql-02", change: "vm-cores-per-socket=4", off: true},
	"vm-cores-per-numa-node": {on: "db-sql-02", change: "vm-cores-per-numa-node=4", off: true},
	"vm-cpu-hotadd":          {on: "db-sql-02", change: "vm-cpu-hotadd=true", off: true},
	"vm-vnuma-on-hotadd":     {on: "db-sql-02", change: "vm-vnuma-on-hotadd=true", off: true},
	"vm-memory-hotadd":       {on: "db-sql-02", change: "vm-memory-hotadd=true", off: true},
	"vm-cpu-affinity":        {on: "feed-pin-02", change: "vm-cpu-affinity="},
	"vm-memory-affinity":     {on: "app-prefer-01", change: "vm-memory-affinity="},
	"vm-ht-sharing":          {on: "lic-oracle-01", change: "vm-ht-sharing=any"},
	"vm-virtual-mmu":         {on: "db-sql-02", change: "vm-virtual-mmu=on", off: true},
	"vm-virtual-exec":        {on: "db-sql-02", change: "vm-virtual-exec=hvOn", off: true},
	"vm-monitor-type":        {on: "app-vbs-01", change: "vm-monitor-type=stats"},
	"vm-logging":             {on: "app-vbs-01", change: "vm-logging=false"},
	"vm-cpu-reservation":     {on: "app-vbs-01", change: "vm-cpu-reservation=500"},
	"vm-cpu-limit":           {on: "batch-etl-01", change: "vm-cpu-limit=-1"},
	"vm-memory-limit":        {on: "app-cache-01", change: "vm-memory-limit=-1"},
	"vm-memory-reservation":  {on: "app-vbs-01", change: "vm-memory-reservation=512"},
	"vm-memory-lock":         {on: "db-sql-02", change: "vm-memory-lock=true"},
	"vm-vmx":                 {on: "app-vbs-01", change: "vm-vmx/numa.autosize=TRUE"},
	"vnic-vmx":               {on: "feed-keys-01", change: "vm-vmx/Ethernet0.CoalescingParams=64"}, // written as a key of the VM
	"vdisk-iops-limit":       {on: "app-files-01", change: "2000:vdisk-iops-limit=-1"},
}

// A write that the server accepts but does not carry out is detected for every kind of setting: the run fails, no change is
// reported as done, the journal records that the setting is unchanged, and there is nothing to undo.
func TestSwallowedWrites(t *testing.T) {
	t.Parallel()
	var call atomic.Value // that has no effect
	var swallowed atomic.Int32
	call.Store("")
	w := openWorkshopWith(t, simfleet.Config{Swallow: func(c string) bool {
		if c != call.Load() {
			return false
		}
		swallowed.Add(1)
		return true
	}})
	e := w.tuning()
	var err error
	e.Server, err = Server(t.Context(), w.Session)
	require.NoError(t, err)

	off := map[string]bool{}
	for _, kind := range inventory.SettingKinds() {
		if !kind.Applicable() {
			continue
		}
		t.Run(kind.Name, func(t *testing.T) {
			c, known := swallowedCases[kind.Name]
			require.True(t, known, "a kind that can be written needs a case here")
			b := bench{t, w.estate, w.settings}
			if c.kind == "" {
				c.kind, c.call = inventory.ScopeVM, "ReconfigVM_Task"
			}
			var target tuning.Target
			if c.kind == inventory.ScopeVM {
				target = b.vm(c.on)
			} else {
				target = w.target(c.kind, c.on)
			}
			if c.off && !off[c.on] {
				b.turns(target, false)
				off[c.on] = true
			}
			want := asks(c.change)[0]
			p, err := tuning.NewPlan(t.Context(), e.Settings, e.Server, []tuning.Proposal{{
				Target: target, Want: want, Activation: inventory.ActivationLive, Cause: tuning.Cause{Rule: "a-rule", Title: "A rule"},
			}}, time.Now())
			require.NoError(t, err)
			require.Len(t, p.Steps, 1, "%+v", p.Skipped)
			require.Empty(t, p.Steps[0].Deferred)
			require.Equal(t, kind.Name == "vnic-vmx", !strings.HasPrefix(want.Setting, kind.Name), "the case is of its kind")

			runs, err := tuning.OpenRuns(filepath.Join(t.TempDir(), "runs"))
			require.NoError(t, err)
			swallowed.Store(0)
			call.Store(c.call)
			o, err := tuning.Apply(t.Context(), e, runs, p, tuning.Options{User: "test", AcceptIrreversible: true})
			call.Store("")
			var failed *tuning.FailedError
			require.ErrorAs(t, err, &failed)
			require.ErrorContains(t, err, "the server reported success, but nothing changed")
			require.True(t, failed.Undone, "nothing of it is left")
			require.Equal(t, int32(1), swallowed.Load(), "it is written once")
			require.Equal(t, []tuning.State{tuning.StateFailed}, statesOf(o.Results))

			run, err := runs.Get(o.Run)
			require.NoError(t, err)
			require.Equal(t, "failed", run.Result)
			require.Equal(t, []tuning.State{tuning.StateFailed}, statesOf(run.Results), "a year later")
			at := slices.IndexFunc(run.Records, func(r tuning.Record) bool { return r.Kind == tuning.RecordFailed })
			require.GreaterOrEqual(t, at, 0)
			require.Contains(t, run.Records[at].Text, "the server reported success, but nothing changed")
			require.Equal(t, p.Steps[0].Changes[0].Before, b.now(target, want)[0], "live")
			last, err := runs.Last(e.Server)
			require.NoError(t, err)
			require.Nil(t, last, "nothing to take back")
		})
	}
}

func statesOf(results []tuning.Result) []tuning.State {
	var all []tuning.State
	for _, r := range results {
		all = append(all, r.State)
	}
	return all
}
