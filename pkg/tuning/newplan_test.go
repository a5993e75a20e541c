package tuning_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// shelf is a Settings in memory: conditions of targets, and previews of their settings.
type shelf struct {
	tuning.Settings

	conditions map[string]tuning.Condition
	prospects  map[string]tuning.Preview // by target and address; the default is a live change from "before"
	failing    error
	trouble    error // the error of Preview
	asked      []string
	calls      int // the number of calls of Preview
}

func (s *shelf) Survey(_ context.Context, targets []tuning.Target) ([]tuning.Condition, error) {
	out := make([]tuning.Condition, len(targets))
	for i, t := range targets {
		c := s.conditions[t.ID]
		c.Target = t
		if _, state, reason := c.Privileges.Get(); state == inventory.StateUnread && reason == "" {
			c.Privileges = inventory.Known([]string{"Right"})
		}
		out[i] = c
	}
	return out, s.failing
}

func (s *shelf) Preview(_ context.Context, requests []tuning.Request) ([][]tuning.Preview, error) {
	s.calls++
	out := make([][]tuning.Preview, len(requests))
	for i, w := range requests {
		for _, a := range w.Assignments {
			out[i] = append(out[i], s.prospect(w.Condition.Target.ID+" "+a.Key(), a))
		}
	}
	return out, s.trouble
}

func (s *shelf) prospect(at string, a tuning.Assignment) tuning.Preview {
	s.asked = append(s.asked, at)
	p := s.prospects[at]
	if p.Before.IsZero() {
		p.Before = text("before")
	}
	if p.After.IsZero() {
		p.After = a.Value
	}
	if p.Activation == "" {
		p.Activation = inventory.ActivationLive
	}
	if p.Privileges == nil {
		p.Privileges = []string{"Right"}
	}
	p.Inverse = tuning.Inverse{Kind: inventory.InverseExact}
	return p
}

func target(id string) tuning.Target {
	kind := map[string]inventory.Scope{
		"vm": inventory.ScopeVM, "host": inventory.ScopeHost, "resgroup": inventory.ScopePool, "domain": inventory.ScopeCluster,
		"dvs": inventory.ScopeSwitch, "datastore": inventory.ScopeDatastore,
	}
	prefix, _, _ := strings.Cut(id, "-")
	return tuning.Target{Kind: kind[prefix], ID: id, Name: "name of " + id, Path: "/dc/" + id}
}

func proposal(id, setting string, value inventory.Fact[inventory.Value], rule string) tuning.Proposal {
	return tuning.Proposal{
		Target: target(id), Want: tuning.Assignment{Address: tuning.Address{Setting: setting}, Value: value},
		Activation: inventory.ActivationLive, Cause: tuning.Cause{Rule: rule, Title: "Title of " + rule},
	}
}

var (
	server = tuning.Server{Name: "vc", UUID: "uuid"}
	night  = time.Date(2026, 11, 20, 22, 14, 0, 0, time.FixedZone("", 3600))
)

func plan(t *testing.T, s *shelf, all ...tuning.Proposal) *tuning.Plan {
	t.Helper()
	p, err := tuning.NewPlan(t.Context(), s, server, all, night)
	require.NoError(t, err)
	return p
}

// stepsOf summarizes the steps: target, settings, and whether they wait for the VM to be off.
func stepsOf(p *tuning.Plan) []string {
	var all []string
	for _, s := range p.Steps {
		words := []string{s.Target.ID}
		for _, c := range s.Changes {
			words = append(words, c.Key())
		}
		if s.Deferred != "" {
			words = append(words, "(deferred)")
		}
		all = append(all, strings.Join(words, " "))
	}
	return all
}

func TestPlanHasWhatIsThereNow(t *testing.T) {
	s := &shelf{
		conditions: map[string]tuning.Condition{"host-1": {Owner: "host profile gold", Place: "the profile", Host: "host-1", Cluster: "domain-c1"}},
		prospects:  map[string]tuning.Preview{"host-1 host-option/Net.UseHwTSO": {Before: long(0), After: long(1), Privileges: []string{"Right"}}},
	}
	p := plan(t, s, proposal("host-1", "host-option/Net.UseHwTSO", text("1"), "tso"))
	require.Equal(t, tuning.PlanSchema, p.Schema)
	require.Equal(t, night.UTC(), p.Made)
	require.Equal(t, server, p.Server)
	require.NotEmpty(t, p.Digest)
	require.Equal(t, []tuning.Step{{
		ID: 1, Target: target("host-1"), Activation: inventory.ActivationLive,
		Owner: "host profile gold", Place: "the profile", Host: "host-1", Cluster: "domain-c1",
		Changes: []tuning.Change{{
			Address: tuning.Address{Setting: "host-option/Net.UseHwTSO"}, Before: long(0), After: long(1), Activation: inventory.ActivationLive,
			Inverse: tuning.Inverse{Kind: inventory.InverseExact}, Privileges: []string{"Right"},
			Causes: []tuning.Cause{{Rule: "tso", Title: "Title of tso"}},
		}},
	}}, p.Steps)
	require.Empty(t, p.Skipped)
	require.False(t, p.Empty())
}

func TestNothingProposedAsksNobody(t *testing.T) {
	p, err := tuning.NewPlan(t.Context(), &shelf{failing: errors.New("asked")}, server, nil, night, tuning.Skipped{Why: "must be named"})
	require.NoError(t, err)
	require.True(t, p.Empty())
	require.Equal(t, []tuning.Skipped{{Why: "must be named"}}, p.Skipped)
}

func TestALostServerIsAnError(t *testing.T) {
	_, err := tuning.NewPlan(t.Context(), &shelf{failing: errors.New("gone")}, server,
		[]tuning.Proposal{proposal("host-1", "power-policy", text("static"), "a")}, night)
	require.EqualError(t, err, "reading the state of the targets: gone")
}

func TestRulesOfOneMindAreJoined(t *testing.T) {
	a := proposal("vm-1", "vm-vmx/numa.X", text("TRUE"), "a")
	b := proposal("vm-1", "vm-vmx/NUMA.x", text("true"), "b")
	b.Activation = inventory.ActivationPowerCycle
	s := &shelf{conditions: map[string]tuning.Condition{"vm-1": {Running: true}}}
	p := plan(t, s, a, b, a)
	require.Len(t, p.Steps, 1)
	require.Len(t, p.Steps[0].Changes, 1)
	require.Equal(t, []tuning.Cause{a.Cause, b.Cause}, p.Steps[0].Changes[0].Causes)
	require.Equal(t, inventory.ActivationPowerCycle, p.Steps[0].Activation, "the stricter of the two")
}

func TestRulesOfTwoMindsAreAConflict(t *testing.T) {
	_, err := tuning.NewPlan(t.Context(), &shelf{}, server, []tuning.Proposal{
		proposal("vm-1", "vm-vmx/numa.x", text("TRUE"), "a"),
		proposal("vm-1", "vm-vmx/numa.x", absent(), "b"),
		proposal("vm-2", "vm-vmx/numa.x", absent(), "b"),
	}, night)
	conflict, ok := errors.AsType[*tuning.ConflictError](err)
	require.True(t, ok)
	require.Equal(t, []tuning.Want{{Rule: "a", Value: "TRUE"}, {Rule: "b", Value: "nothing"}}, conflict.Wants)
	require.EqualError(t, err, "vm-vmx/numa.x of name of vm-1: a needs TRUE, b needs nothing")
}

func TestAllConflictsAreTold(t *testing.T) {
	_, err := tuning.NewPlan(t.Context(), &shelf{}, server, []tuning.Proposal{
		proposal("vm-1", "vm-latency", text("high"), "a"), proposal("vm-1", "vm-latency", text("normal"), "b"),
		proposal("vm-2", "vm-latency", text("high"), "a"), proposal("vm-2", "vm-latency", text("normal"), "b"),
	}, night)
	require.ErrorContains(t, err, "name of vm-1")
	require.ErrorContains(t, err, "name of vm-2")
	_, ok := errors.AsType[*tuning.ConflictError](err)
	require.True(t, ok)
}

// TestARuleOfTwoMindsIsLeft: one rule wants different values for two ports of one driver, so choosing a rule cannot
// resolve it.
func TestARuleOfTwoMindsIsLeft(t *testing.T) {
	a, b := proposal("host-1", "driver-options/RSS", text("4,4"), "rss"), proposal("host-1", "driver-options/RSS", absent(), "rss")
	a.Cause.Object, b.Cause.Object = "/dc/host-1/vmnic4", "/dc/host-1/vmnic5"
	p := plan(t, &shelf{}, a, b)
	require.True(t, p.Empty())
	require.Equal(t, []tuning.Skipped{{
		Target: target("host-1"), Address: a.Want.Address, Rules: []string{"rss"}, Refused: true,
		Why: "the rules need 4,4 for /dc/host-1/vmnic4 and nothing for /dc/host-1/vmnic5, but all share one setting",
	}}, p.Skipped)
}

func TestWhatIsLeftAndWhy(t *testing.T) {
	unread := inventory.Unread[inventory.Value]("no answer")
	for name, c := range map[string]struct {
		condition tuning.Condition
		prospect  tuning.Preview
		why       string
		refused   bool
		asked     bool
	}{
		"gone":             {tuning.Condition{Gone: "there is no such host"}, tuning.Preview{}, "there is no such host", true, false},
		"untouchable":      {tuning.Condition{Untouchable: "a pseudo host"}, tuning.Preview{}, "a pseudo host", true, false},
		"busy":             {tuning.Condition{Busy: "Enter maintenance mode by root"}, tuning.Preview{}, "another task is running on it: Enter maintenance mode by root", true, false},
		"refused":          {tuning.Condition{}, tuning.Preview{Refused: "at most 60 here"}, "at most 60 here", true, true},
		"so already":       {tuning.Condition{}, tuning.Preview{Before: text("static")}, "already has this value", false, true},
		"unread before":    {tuning.Condition{}, tuning.Preview{Before: unread}, "its value could not be read: no answer", true, true},
		"unread after":     {tuning.Condition{}, tuning.Preview{After: unread}, "the value to write is unknown: no answer", true, true},
		"by hand":          {tuning.Condition{}, tuning.Preview{Activation: inventory.ActivationManual}, "the change is manual", true, true},
		"no privilege":     {tuning.Condition{Privileges: inventory.Known([]string{"A"})}, tuning.Preview{Privileges: []string{"A", "B", "C"}}, "missing privilege B, C", true, true},
		"no privilege but": {tuning.Condition{Privileges: inventory.Known([]string{})}, tuning.Preview{Before: text("static")}, "already has this value", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := &shelf{
				conditions: map[string]tuning.Condition{"host-1": c.condition},
				prospects:  map[string]tuning.Preview{"host-1 power-policy": c.prospect},
			}
			p := plan(t, s, proposal("host-1", "power-policy", text("static"), "a"))
			require.True(t, p.Empty())
			require.Equal(t, []tuning.Skipped{{
				Target: target("host-1"), Address: tuning.Address{Setting: "power-policy"}, Rules: []string{"a"}, Why: c.why, Refused: c.refused,
			}}, p.Skipped)
			require.Equal(t, c.asked, len(s.asked) > 0)
		})
	}
}

func TestPrivilegesThatNobodyCouldCheckAreNoted(t *testing.T) {
	s := &shelf{conditions: map[string]tuning.Condition{"host-1": {Privileges: inventory.Unread[[]string]("ESXi does not say")}}}
	p := plan(t, s, proposal("host-1", "power-policy", text("static"), "a"))
	require.Equal(t, []string{"your privileges could not be checked: ESXi does not say"}, p.Steps[0].Notes)
}

// TestDoubtsAreNoted: if the owner of the settings could not be read, the plan says so instead of assuming that there
// is none.
func TestDoubtsAreNoted(t *testing.T) {
	doubts := []string{"its tags could not be read: no REST", "whether a host profile owns it could not be read: no permission"}
	s := &shelf{conditions: map[string]tuning.Condition{"host-1": {Doubts: doubts}}}
	p := plan(t, s, proposal("host-1", "power-policy", text("static"), "a"), proposal("host-1", "hyperthreading", text("true"), "b"),
		proposal("host-2", "power-policy", text("static"), "a"))
	require.Len(t, p.Steps, 3)
	for _, step := range p.Steps {
		if step.Target.ID == "host-1" {
			require.Equal(t, doubts, step.Notes)
		} else {
			require.Empty(t, step.Notes)
		}
	}
}

// TestAllTargetsAreAskedAboutAtOnce: there is one call for all targets, so that a server can answer for many of them at
// once.
func TestAllTargetsAreAskedAboutAtOnce(t *testing.T) {
	var all []tuning.Proposal
	for i := range 30 {
		all = append(all, proposal(fmt.Sprintf("host-%02d", i), "power-policy", text("static"), "a"))
	}
	s := &shelf{}
	require.Len(t, plan(t, s, all...).Steps, 30)
	require.Equal(t, 1, s.calls)

	s.trouble = errors.New("trouble with host-03")
	_, err := tuning.NewPlan(t.Context(), s, server, all, night)
	require.EqualError(t, err, "checking the changes: trouble with host-03")
}

func TestActivationFollowsTheObject(t *testing.T) {
	const (
		live, next, cycle, off = inventory.ActivationLive, inventory.ActivationNextPowerOn, inventory.ActivationPowerCycle, inventory.ActivationPowerOff
		reload, reboot         = inventory.ActivationDriverReload, inventory.ActivationHostReboot
	)
	for name, c := range map[string]struct {
		id           string
		running      bool
		rule, server inventory.Activation
		want         inventory.Activation
		deferred     bool
	}{
		"the rule raises it":                      {"vm-1", true, cycle, live, cycle, false},
		"the server raises it":                    {"vm-1", true, live, cycle, cycle, false},
		"a VM that runs must be off":              {"vm-1", true, live, off, off, true},
		"the rule wants it off":                   {"vm-1", true, off, live, off, true},
		"a VM that is off needs no cycle":         {"vm-1", false, cycle, next, next, false},
		"a VM that is off is off":                 {"vm-1", false, off, next, next, false},
		"the rule wants a cycle of one off":       {"vm-1", false, cycle, live, next, false},
		"live is live, on or off":                 {"vm-1", false, live, live, live, false},
		"a host's reboot":                         {"host-1", true, live, reboot, reboot, false},
		"a rule knows of a reboot":                {"host-1", true, reboot, live, reboot, false},
		"a driver's reload is a reboot if so":     {"host-1", true, reload, reboot, reboot, false},
		"a host that is down still needs a start": {"host-1", false, reboot, live, reboot, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := &shelf{
				conditions: map[string]tuning.Condition{c.id: {Running: c.running}},
				prospects:  map[string]tuning.Preview{c.id + " vm-logging": {Activation: c.server}},
			}
			want := proposal(c.id, "vm-logging", text("x"), "a")
			want.Activation = c.rule
			p := plan(t, s, want)
			require.Len(t, p.Steps, 1)
			require.Equal(t, c.want, p.Steps[0].Activation)
			require.Equal(t, c.want, p.Steps[0].Changes[0].Activation)
			require.Equal(t, c.deferred, p.Steps[0].Deferred != "")
		})
	}
}

func TestChangesOfAGroupAreOneStep(t *testing.T) {
	spec := func(a inventory.Activation) tuning.Preview { return tuning.Preview{Group: "spec", Activation: a} }
	s := &shelf{
		conditions: map[string]tuning.Condition{"vm-1": {Running: true}},
		prospects: map[string]tuning.Preview{
			"vm-1 vm-cpu-limit":   spec(inventory.ActivationLive),
			"vm-1 vm-latency":     spec(inventory.ActivationPowerCycle),
			"vm-1 vm-cpu-hotadd":  spec(inventory.ActivationPowerOff),
			"vm-1 vm-memory-lock": spec(inventory.ActivationLive),
			"vm-1 vm-vmx/a.b":     {Activation: inventory.ActivationLive},
			"vm-1 vm-vmx/c.d":     {Activation: inventory.ActivationLive},
		},
	}
	p := plan(t, s,
		proposal("vm-1", "vm-cpu-limit", text("-1"), "limit"), proposal("vm-1", "vm-cpu-hotadd", text("false"), "hotadd"),
		proposal("vm-1", "vm-vmx/a.b", text("1"), "x"), proposal("vm-1", "vm-latency", text("high"), "latency"),
		proposal("vm-1", "vm-memory-lock", text("true"), "hotadd"), proposal("vm-1", "vm-vmx/c.d", text("1"), "y"))
	require.Equal(t, []string{
		"vm-1 vm-cpu-limit vm-latency",
		"vm-1 vm-vmx/a.b",
		"vm-1 vm-vmx/c.d",
		"vm-1 vm-cpu-hotadd vm-memory-lock (deferred)", // waits with the other change of its rule
	}, stepsOf(p))
	require.Equal(t, inventory.ActivationPowerCycle, p.Steps[0].Activation, "the strictest of its changes")
	require.Equal(t, inventory.ActivationPowerOff, p.Steps[3].Activation)
}

func TestWhatARuleWantsOfAVMGoesTogether(t *testing.T) {
	refused := tuning.Preview{Refused: "more than the host has"}
	for name, c := range map[string]struct {
		prospects map[string]tuning.Preview
		proposals []tuning.Proposal
		steps     []string
		left      int
	}{
		"one refused leaves all": {
			map[string]tuning.Preview{"vm-1 vm-cpu-reservation": refused},
			[]tuning.Proposal{
				proposal("vm-1", "vm-latency", text("high"), "a"), proposal("vm-1", "vm-cpu-reservation", long(9), "a"),
				proposal("vm-1", "vm-memory-lock", text("true"), "a"),
			}, nil, 3,
		},
		"another rule's change stays for its sake": {
			map[string]tuning.Preview{"vm-1 vm-cpu-reservation": refused},
			[]tuning.Proposal{
				proposal("vm-1", "vm-cpu-reservation", long(9), "a"),
				proposal("vm-1", "vm-memory-lock", text("true"), "a"), proposal("vm-1", "vm-memory-lock", text("true"), "b"),
			}, []string{"vm-1 vm-memory-lock"}, 1,
		},
		"a value that is already set does not block other changes": {
			map[string]tuning.Preview{"vm-1 vm-memory-lock": {Before: text("true")}},
			[]tuning.Proposal{proposal("vm-1", "vm-latency", text("high"), "a"), proposal("vm-1", "vm-memory-lock", text("true"), "a")},
			[]string{"vm-1 vm-latency"}, 1,
		},
		"another VM is another change": {
			map[string]tuning.Preview{"vm-1 vm-cpu-reservation": refused},
			[]tuning.Proposal{proposal("vm-1", "vm-cpu-reservation", long(9), "a"), proposal("vm-2", "vm-cpu-reservation", long(9), "a")},
			[]string{"vm-2 vm-cpu-reservation"}, 1,
		},
		"settings of a host are independent": {
			map[string]tuning.Preview{"host-1 host-option/Net.A": refused},
			[]tuning.Proposal{proposal("host-1", "host-option/Net.A", long(1), "a"), proposal("host-1", "host-option/Net.B", long(1), "a")},
			[]string{"host-1 host-option/Net.B"}, 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := plan(t, &shelf{prospects: c.prospects}, c.proposals...)
			require.Equal(t, c.steps, stepsOf(p))
			require.Len(t, p.Skipped, c.left)
			for _, s := range p.Steps {
				for _, x := range s.Changes {
					require.Len(t, x.Causes, 1)
				}
			}
		})
	}
	t.Run("two devices of a VM", func(t *testing.T) {
		a, b := proposal("vm-1", "vm-vmx/ethernet0.x", text("1"), "a"), proposal("vm-1", "vm-vmx/ethernet1.x", text("1"), "a")
		a.Cause.Object, b.Cause.Object = "/vm-1/nic 1", "/vm-1/nic 2"
		p := plan(t, &shelf{prospects: map[string]tuning.Preview{"vm-1 vm-vmx/ethernet0.x": refused}}, a, b)
		require.Equal(t, []string{"vm-1 vm-vmx/ethernet1.x"}, stepsOf(p))
	})
	t.Run("why", func(t *testing.T) {
		p := plan(t, &shelf{prospects: map[string]tuning.Preview{"vm-1 vm-cpu-reservation": refused}},
			proposal("vm-1", "vm-latency", text("high"), "a"), proposal("vm-1", "vm-cpu-reservation", long(9), "a"))
		require.Equal(t, "goes together with vm-cpu-reservation, which is skipped: more than the host has", p.Skipped[0].Why)
		require.True(t, p.Skipped[0].Refused)
	})
}

func TestStepsAreInASafeOrder(t *testing.T) {
	s := &shelf{
		conditions: map[string]tuning.Condition{"vm-2": {Running: true}},
		prospects: map[string]tuning.Preview{
			"vm-3 vm-cpu-reservation":  {Before: long(9000)},
			"vm-4 vm-cpu-reservation":  {Before: long(0)},
			"vm-5 vm-memory-lock":      {Before: text("true")},
			"vm-2 vm-cpu-hotadd":       {Activation: inventory.ActivationPowerOff},
			"host-1 driver-options/R":  {Activation: inventory.ActivationHostReboot},
			"host-2 host-option/Net.A": {},
		},
	}
	p := plan(t, s,
		proposal("domain-1", "cluster-drs-rate", long(3), "a"), proposal("dvs-1", "switch-nioc", text("true"), "a"),
		proposal("datastore-1", "datastore-unmap", text("low"), "a"),
		proposal("host-1", "driver-options/R", text("4"), "a"), proposal("host-2", "host-option/Net.A", long(1), "a"), proposal("host-1", "power-policy", text("static"), "a"),
		proposal("vm-4", "vm-cpu-reservation", long(9000), "a"), proposal("vm-3", "vm-cpu-reservation", long(0), "a"),
		proposal("vm-2", "vm-cpu-hotadd", text("false"), "b"), proposal("vm-2", "vm-logging", text("true"), "c"),
		proposal("vm-5", "vm-memory-lock", text("false"), "a"), proposal("vm-5", "vm-cpu-affinity", text(""), "a"),
		proposal("resgroup-1", "pool-cpu-limit", long(-1), "a"))
	require.Equal(t, []string{
		"resgroup-1 pool-cpu-limit",
		"vm-3 vm-cpu-reservation", // releases before vm-4 reserves
		"vm-2 vm-logging",
		"vm-2 vm-cpu-hotadd (deferred)",
		"vm-4 vm-cpu-reservation",
		"vm-5 vm-memory-lock", // does more than release
		"vm-5 vm-cpu-affinity",
		"host-1 power-policy",
		"host-2 host-option/Net.A",
		"host-1 driver-options/R", // needs a reboot
		"datastore-1 datastore-unmap",
		"dvs-1 switch-nioc",
		"domain-1 cluster-drs-rate",
	}, stepsOf(p))
	for i, s := range p.Steps {
		require.Equal(t, i+1, s.ID)
	}
	hosts, vms := p.ObjectCounts()
	require.Equal(t, []int{6, 4}, []int{hosts, vms}, "every object other than a VM counts as a host")
}

func saved(t *testing.T) (*tuning.Plan, string) {
	t.Helper()
	p := plan(t, &shelf{prospects: map[string]tuning.Preview{"vm-1 vm-vmx/a.b": {Before: absent()}}},
		proposal("vm-1", "vm-vmx/a.b", text("bad \xff name <&>"), "a"), proposal("host-1", "power-policy", text("before"), "b"))
	var b bytes.Buffer
	require.NoError(t, p.Save(&b))
	return p, b.String()
}

func TestASavedPlanIsTheSamePlan(t *testing.T) {
	p, text := saved(t)
	back, err := tuning.LoadPlan(strings.NewReader(text))
	require.NoError(t, err)
	require.Equal(t, p.Digest, back.Digest)
	require.Equal(t, p.Made, back.Made)
	require.Equal(t, p.Steps[0].Changes[0].Before, back.Steps[0].Changes[0].Before, "absent is still absent")
	var again bytes.Buffer
	require.NoError(t, back.Save(&again))
	reloaded, err := tuning.LoadPlan(&again)
	require.NoError(t, err)
	require.Equal(t, back, reloaded)

	var compact bytes.Buffer
	require.NoError(t, json.Compact(&compact, []byte(text)))
	_, err = tuning.LoadPlan(&compact)
	require.NoError(t, err, "a different layout is not an edit")
}

func TestAnEmptyPlanCanBeSaved(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, plan(t, &shelf{}).Save(&b))
	p, err := tuning.LoadPlan(&b)
	require.NoError(t, err)
	require.True(t, p.Empty())
}

func TestAPlanThatIsNoneIsRefused(t *testing.T) {
	_, good := saved(t)
	edited := "not a vperf plan any more: the file was edited after it was made"
	for name, c := range map[string]struct {
		text string
		want string
	}{
		"empty":                       {"", "not a vperf plan: the file ends in the middle (after 0 bytes)"},
		"cut off":                     {good[:len(good)/2], "the file ends in the middle"},
		"no JSON":                     {"vperf\n", "not a vperf plan: invalid character"},
		"another file":                {`{"schema": "vperf.snapshot/v1"}`, `its schema is "vperf.snapshot/v1", want vperf.plan/v1`},
		"no schema":                   {`{}`, `its schema is "", want vperf.plan/v1`},
		"a newer one":                 {`{"schema": "vperf.plan/v2", "x": 1}`, "not a vperf plan of this version: it is vperf.plan/v2"},
		"an unknown field":            {strings.Replace(good, `"steps"`, `"stepz": 1, "steps"`, 1), `unknown field "stepz"`},
		"text after its end":          {good + "{}", "invalid character '{' after top-level value"},
		"another value":               {strings.Replace(good, "bad ", "worse ", 1), edited},
		"another target":              {strings.Replace(good, `"id": "vm-1"`, `"id": "vm-2"`, 1), edited},
		"no digest":                   {strings.Replace(good, `"digest": "`, `"digest": "0`, 1), edited},
		"an unknown field in a value": {strings.Replace(good, `"type": "string"`, `"type": "string", "more": 1`, 1), `unknown field "more"`},
		"null steps":                  {`{"schema": "vperf.plan/v1", "steps": [null]}`, edited},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := tuning.LoadPlan(strings.NewReader(c.text))
			require.ErrorIs(t, err, tuning.ErrNotPlan)
			require.ErrorContains(t, err, c.want)
			require.Nil(t, p)
		})
	}
}

// TestAPlanWithHolesIsRefused: a plan with a correct digest but missing parts is refused.
func TestAPlanWithHolesIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		alter func(*tuning.Step)
		want  string
	}{
		"numbered otherwise": {func(s *tuning.Step) { s.ID = 7 }, "step 1 is numbered 7"},
		"no target":          {func(s *tuning.Step) { s.Target.ID = "" }, "step 1 has no target"},
		"no changes":         {func(s *tuning.Step) { s.Changes = nil }, "step 1 changes nothing"},
		"no such setting":    {func(s *tuning.Step) { s.Changes[0].Setting = "vm-magic" }, `step 1: no kind of setting "vm-magic"`},
		"nothing before":     {func(s *tuning.Step) { s.Changes[0].Before = inventory.Fact[inventory.Value]{} }, "vm-vmx/a.b has no value before"},
		"nothing after":      {func(s *tuning.Step) { s.Changes[0].After = inventory.Fact[inventory.Value]{} }, "vm-vmx/a.b has no value after"},
		"no rule":            {func(s *tuning.Step) { s.Changes[0].Causes = nil }, "vm-vmx/a.b has no rule"},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := saved(t)
			c.alter(&p.Steps[0])
			p.Digest = tuning.DigestForTest(t, p)
			var b bytes.Buffer
			require.NoError(t, p.Save(&b))
			_, err := tuning.LoadPlan(&b)
			require.ErrorIs(t, err, tuning.ErrNotPlan)
			require.ErrorContains(t, err, c.want)
		})
	}
}
