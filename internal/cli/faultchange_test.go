package cli

import (
	"context"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi"
	"github.com/vmware/govmomi/find"

	"github.com/vperf/vperf/internal/faulty"
	"github.com/vperf/vperf/internal/simfleet"
)

// changingFleet is a fleet that a test changes while a command uses it.
type changingFleet struct {
	*simfleet.Fleet

	jump func(time.Duration) // moves the clock of the server and its hosts
}

// fleetChange is a change of a fleet, and whether it is made before the command instead of during one of its reads.
type fleetChange struct {
	before bool
	make   func(changingFleet) error
}

// meanwhile is the phase of changes of the fleet: they happen at the read that other rows have a fault at.
const meanwhile faultPhase = "meanwhile"

// clockOff is by how much clocks are wrong.
const clockOff = 10 * time.Minute

const vmMoves = "VM moves to another host"

// changeRows are the changes of the fleet.
var changeRows = []faultRow{
	{name: "server's clock is 10 min ahead", change: fleetChange{true, jumps(clockOff)}},
	{name: "server's clock is 10 min behind", change: fleetChange{true, jumps(-clockOff)}},
	{name: "server's clock jumps 10 min ahead", change: fleetChange{false, jumps(clockOff)}},
	{name: "server's clock jumps 10 min back", change: fleetChange{false, jumps(-clockOff)}},
	{name: vmMoves, change: fleetChange{false, moves}},
	{name: "two VMs have one name", change: fleetChange{true, renames}},
	{name: "VM gets the name of another one", change: fleetChange{false, renames}},
}

func init() {
	for _, row := range changeRows {
		row.kind, row.phases, row.says = faulty.Happens, []faultPhase{meanwhile}, `^$`
		faultRows = append(faultRows, row)
	}
}

func jumps(d time.Duration) func(changingFleet) error {
	return func(f changingFleet) error {
		f.jump(d)
		return nil
	}
}

func moves(f changingFleet) error { return f.Happen(simfleet.DRSMove, "host01") }

// renames gives two VMs one name. They are in different folders, as vCenter demands it.
func renames(f changingFleet) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	u := *f.URL()
	u.User = url.UserPassword(f.User(), f.Password())
	c, err := govmomi.NewClient(ctx, &u, true)
	if err != nil {
		return err
	}
	defer func() { _ = c.Logout(ctx) }()
	vm, err := find.NewFinder(c.Client).VirtualMachine(ctx, "/*/vm/trading/trade-lat-01")
	if err != nil {
		return err
	}
	task, err := vm.Rename(ctx, "web-01")
	if err != nil {
		return err
	}
	return task.Wait(ctx)
}

// newChangingFleet starts a fleet. Its clock stands still if results are to be compared.
func newChangingFleet(t *testing.T, still bool) changingFleet {
	t.Helper()
	var ahead atomic.Int64
	clock := time.Now
	if still {
		clock = stillTime
	}
	now := func() time.Time { return clock().Add(time.Duration(ahead.Load())) }
	fleet, err := simfleet.Start(simfleet.Config{Now: now, Zone: simfleet.MidMorning(clock()), VCenterOnly: true})
	require.NoError(t, err)
	t.Cleanup(fleet.Close)
	return changingFleet{fleet, func(d time.Duration) { ahead.Add(int64(d)) }}
}

// happening returns the fault of a cell. If the cell is a change of the fleet, it is made by the fault, or now; then there is no fault.
func (c faultCell) happening(t *testing.T, f changingFleet) *faulty.Fault {
	t.Helper()
	if c.row.change.before {
		require.NoError(t, c.row.change.make(f))
		return nil
	}
	fault := c.fault()
	if fault.Kind != faulty.Happens {
		return &fault
	}
	fault.Do = func() { assert.NoError(t, c.row.change.make(f)) }
	return &fault
}

// readsAround runs a command that reads while the fleet changes. Each result is the one from before or from after the change. Those that
// depend on counters also depend on the time, so that they cannot be compared.
func readsAround(t *testing.T, c faultCell) string {
	t.Helper()
	f := newChangingFleet(t, true)
	read := func(fault *faulty.Fault) map[string]string {
		r := readFrom(t, c, f.Fleet, fault)
		require.Equal(t, exitClean, r.code, r.text())
		require.Equal(t, fault != nil, r.hits > 0, "whether a call met the change")
		facts := c.column.facts(t, r.stdout)
		require.NotEmpty(t, facts)
		return facts
	}
	if c.row.change.before || c.column.live {
		read(c.happening(t, f))
		return "whole 0"
	}
	before := read(nil)
	got := read(c.happening(t, f))
	after := read(nil)
	for key, is := range got {
		require.Contains(t, []string{before[key], after[key]}, is, key)
	}
	for key, is := range before {
		if after[key] == is {
			require.Equal(t, is, got[key], key)
		}
	}
	return "whole 0"
}
