package cli

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

const threshold = "Net.NetNetqNumaIOCpuPinThreshold"

// answering runs a command with typed as input on a terminal.
func answering(t *testing.T, ctx context.Context, typed string, args ...string) (code int, stdout, stderr string) { //nolint:revive // as tests have it
	t.Helper()
	io, out, errs := iostreams.Test()
	io.SetTTY(true, false, false)
	io.In = iotest.OneByteReader(strings.NewReader(typed))
	code = run(ctx, NewFactory(io), args)
	return code, out.String(), errs.String()
}

// The full typed answer decides; the whole plan is shown before the question.
func TestApplyAsks(t *testing.T) {
	proof.NotRaced(t)
	serveDemo(t)
	for _, no := range []string{"", "\n", "y\n", "YES\n", "yes please\n", "no\nyes\n"} {
		code, stdout, stderr := answering(t, t.Context(), no, "apply", "host01", "--rule", "numa-io")
		require.Equal(t, exitRefused, code, no)
		require.Empty(t, stdout)
		require.Contains(t, stderr, "host-option/"+threshold+"  0 → 60")
		require.Contains(t, stderr, "Apply 1 change to 1 host on vcenter.demo.local (sandbox)? Type yes: ")
		require.Contains(t, stderr, "declined: nothing was changed")
	}
	now, err := option(t.Context(), os.Getenv, "host01.demo.local", threshold)
	require.NoError(t, err)
	require.Equal(t, "0", now)

	code, stdout, stderr := answering(t, t.Context(), "yes\n", "apply", "host01", "--rule", "numa-io")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "done  host01.demo.local")
	code, _, stderr = answering(t, t.Context(), "no\n", "rollback", "--last")
	require.Equal(t, exitRefused, code)
	require.Contains(t, stderr, "Undo 1 change on vcenter.demo.local (sandbox)? Type yes: ")
	code, stdout, stderr = answering(t, t.Context(), " yes \n", "rollback", "--last")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "undone  host01.demo.local")
}

// When a step fails, what was done stays, or goes back: by --on-error, or as a person says.
func TestAStepThatFails(t *testing.T) {
	proof.NotRaced(t)
	for _, c := range []struct {
		name, typed string
		args        []string
		code        int
		left        string // of the first host
		says        string
	}{
		{"stays", "", []string{"--yes"}, exitNotUndone, "1", "completed changes remain; to undo them: vperf rollback "},
		{"goes back by itself", "", []string{"--yes", "--on-error", "rollback"}, exitUndone, "0", ""},
		{"goes back when asked", "yes\nyes\n", nil, exitUndone, "0", "Undo the completed changes on vcenter.demo.local (sandbox)? Type yes: "},
		{"stays when asked", "yes\nno\n", nil, exitNotUndone, "1", "Undo the completed changes on vcenter.demo.local (sandbox)? Type yes: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			var writes atomic.Int64
			serveFleet(t, simfleet.Config{Swallow: func(method string) bool {
				return method == "UpdateOptions" && writes.Add(1) == 2
			}})
			args := append([]string{"apply", "--all", "--rule", "lro", "--max-hosts", "2"}, c.args...)
			code, stdout, stderr := answering(t, t.Context(), c.typed, args...)
			require.Equal(t, c.code, code, stderr)
			require.Contains(t, stderr, c.says)
			require.Contains(t, stdout, "host02.demo.local")
			now, err := option(t.Context(), os.Getenv, "host05.demo.local", "Net.Vmxnet3SwLRO")
			require.NoError(t, err)
			require.Equal(t, c.left, now)
		})
	}
}

// --yes skips the preview, so it covers a limited number of hosts and VMs.
func TestYesCoversOneHostAndTenVMs(t *testing.T) {
	plan := new(tuning.Plan)
	add := func(kind inventory.Scope, id string) {
		plan.Steps = append(plan.Steps, tuning.Step{Target: tuning.Target{Kind: kind, ID: id, Name: id}})
	}
	usual := changeLimit{Hosts: 1, VMs: 10}
	add(inventory.ScopeHost, "host-1")
	for i := range 10 {
		add(inventory.ScopeVM, string(rune('a'+i)))
	}
	require.NoError(t, usual.check(plan))
	add(inventory.ScopeVM, "z")
	require.EqualError(t, usual.check(plan), "the plan changes 11 VMs, and --yes covers only 10: add --max-vms 11")
	add(inventory.ScopeCluster, "domain-1")
	require.EqualError(t, usual.check(plan), "the plan changes 2 hosts (these count as hosts: cluster domain-1), and --yes covers only 1: add --max-hosts 2\n"+
		"the plan changes 11 VMs, and --yes covers only 10: add --max-vms 11")
	require.NoError(t, changeLimit{Hosts: 2, VMs: 11}.check(plan))
}

// Ctrl-C at a question is not an answer, and vperf stops waiting for one.
func TestAQuestionEndsWithTheContext(t *testing.T) {
	io, _, _ := iostreams.Test()
	io.SetTTY(true, false, false)
	read, never, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { _ = never.Close(); _ = read.Close() })
	io.In = read
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, ask(ctx, io, "?"), context.Canceled)
}

func TestExitCodesOfChanging(t *testing.T) {
	broken := os.ErrNotExist
	for _, c := range []struct {
		err  error
		want int
	}{
		{&tuning.FailedError{Err: broken, Undone: true}, exitUndone},
		{&tuning.FailedError{Err: &tuning.LockedError{By: "x"}}, exitNotUndone},
		{&tuning.StaleError{}, exitStale},
		{&tuning.LockedError{}, exitLocked},
		{&pendingError{}, exitPending},
		{&tuning.RefusedError{}, exitRefused},
		{&driftError{changes: 2}, exitFindings},
		{&tuning.ConflictError{}, exitUsage},
		{tuning.ErrNotPlan, exitUsage},
		{broken, exitFailed},
	} {
		require.Equal(t, c.want, exitCode(c.err), "%T", c.err)
		require.Equal(t, c.want, exitCode(fmt.Errorf("doing it: %w", c.err)), "wrapped %T", c.err)
		require.Equal(t, c.want >= exitFindings, isVerdict(c.err), "%T", c.err)
	}
	require.False(t, isVerdict(source.ErrInterrupted))
}

// The question names each VM or host, once, that the changes restart and the user permitted to restart.
func TestOutagesNeedLeave(t *testing.T) {
	plan := new(tuning.Plan)
	add := func(kind inventory.Scope, name string, needs ...inventory.Activation) {
		s := tuning.Step{ID: len(plan.Steps) + 1, Target: tuning.Target{Kind: kind, ID: name, Name: name}}
		for _, a := range needs {
			s.Changes = append(s.Changes, tuning.Change{Address: tuning.Address{Setting: "s-" + string(a)}, Activation: a})
		}
		plan.Steps = append(plan.Steps, s)
	}
	add(inventory.ScopeVM, "vm-off", inventory.ActivationNextPowerOn)
	add(inventory.ScopeVM, "vm-cycle", inventory.ActivationLive, inventory.ActivationPowerCycle)
	add(inventory.ScopeVM, "vm-cycle", inventory.ActivationPowerOff)
	add(inventory.ScopeHost, "host-live", inventory.ActivationLive)
	add(inventory.ScopeHost, "host-driver\x1b", inventory.ActivationDriverReload)
	none, both := tuning.Options{}, tuning.Options{PowerCycle: true, HostReboot: true}
	require.Empty(t, restartsOf(plan, none).text())
	io, _, stderr := iostreams.Test()
	restartsOf(plan, none).print(io)
	require.Empty(t, stderr.String())
	require.Equal(t, ", restarting up to 1 VM and 1 host", restartsOf(plan, both).text())
	restartsOf(plan, both).print(io)
	require.Equal(t, "may be shut down and started again (--allow power-cycle): vm-cycle\n"+
		"may enter maintenance mode and restart, one after the other (--allow host-reboot): host-driver\\x1b\n", stderr.String())

	run := &tuning.Run{Plan: plan, Results: []tuning.Result{
		{Step: 3, Target: plan.Steps[2].Target, Address: plan.Steps[2].Changes[0].Address, State: tuning.StateUndone},
		{Step: 5, Target: plan.Steps[4].Target, Address: plan.Steps[4].Changes[0].Address, State: tuning.StatePending},
	}}
	require.Equal(t, ", restarting up to 1 host", rollbackRestarts(run, both).text())
	run.Results[0].Waits = inventory.ActivationPowerCycle
	require.Equal(t, ", restarting up to 1 VM and 1 host", rollbackRestarts(run, both).text())
	run.Plan = nil
	require.Empty(t, rollbackRestarts(run, both).text())
}
