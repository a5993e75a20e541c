package advice_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/rules"
)

// walker returns a rule of the user's that compares each pair of the host's VMs for each VM.
func walker(first string) string {
	return "id: walker\ntitle: A rule\ncategory: vm\nscope: vm\nseverity: low\nwant: " + first + " && host.vms.all(o, o.name != \"x\" && host.vms.all(p, p.name != vm.name + \"x\"))\nwhy: It matters.\n"
}

// A rule that exceeds its cost limit is unknown on every object, also on those that it passed or failed before.
func TestRuleBeyondItsCostIsUnknownEverywhere(t *testing.T) {
	s := crowd(2, 200)
	s.VCenters[0].VMs[0].CPULimitMHz = inventory.Unread[int64]("not read")
	for name, first := range map[string]string{
		"passed before":         `true`,
		"failed before":         `vm.name != "vm-00-0001"`,
		"unknown before":        `vm.cpuLimitMHz != 3`,
		"not applicable before": `(vm.name != "vm-00-0001" || vm.live("cpu.costop").p95 >= 0.0)`,
	} {
		t.Run(name, func(t *testing.T) {
			for _, all := range []bool{false, true} {
				set := rulesOf(t, advice.Selection{}, walker(first), limited)
				r, err := advice.Evaluate(t.Context(), s, set, advice.Options{All: all})
				require.NoError(t, err)
				require.Equal(t, advice.RuleCount{Rule: r.Rules["walker"].Rule, Checked: 400, Unknown: 400}, *r.Rules["walker"])
				require.Equal(t, 400+1, r.Counts[advice.Unknown], "and the unread limit of one VM")
				require.Equal(t, 800, r.Checks)
				require.Equal(t, 800, r.Counts[advice.Unknown]+r.Counts[advice.Pass]+r.Counts[advice.Fail])
				n := 0
				for _, f := range r.Findings {
					if f.Rule.ID == "walker" {
						n++
						require.Equal(t, advice.Unknown, f.Outcome)
						require.Contains(t, f.Reason, "exceed the cost limit of 1000000 steps")
						require.Contains(t, f.Reason, "select fewer hosts")
					}
				}
				require.Equal(t, 400, n)
			}
		})
	}
	r, err := advice.Evaluate(t.Context(), crowd(2, 20), rulesOf(t, advice.Selection{}, walker(`true`)), advice.Options{})
	require.NoError(t, err)
	require.Equal(t, 40, r.Counts[advice.Pass], "the same rule on a small inventory")
}

// The limit counts each case once: a rule that reads only facts that many VMs share costs little on any number of them.
func TestSharedCasesCostOnce(t *testing.T) {
	set := rulesOf(t, advice.Selection{}, `id: walker
title: A rule
category: vm
scope: vm
severity: low
want: vm.cpuLimitMHz == -1 || lists.range(100000).all(n, n >= 0)
why: It matters.
`)
	r, err := advice.Evaluate(t.Context(), crowd(4, 100), set, advice.Options{})
	require.NoError(t, err)
	require.Equal(t, 400, r.Counts[advice.Pass])
}

// Functions that walk a list inside one call cost what they walk.
func TestFunctionsThatWalkListsCost(t *testing.T) {
	s := healthyEstate(1)
	cost := func(want string) uint64 {
		l, err := advice.Load(advice.Source{FS: rules.FS, Lean: true}, advice.Source{FS: ruleFile("walker", want), User: true})
		require.NoError(t, err)
		costs, _, err := advice.Costs(t.Context(), s, l, advice.Selection{Rules: []string{"walker"}})
		require.NoError(t, err)
		return costs["walker"]
	}
	require.Greater(t, cost(`cluster.optionDrift().size() == 0`), cost(`cluster.name.size() == 0`)+3)
	require.Greater(t, cost(`sum(lists.range(1000)) >= 0`), cost(`sum(lists.range(10)) >= 0`)+900)
}

// No rule of the library takes more than a 20th of the limit that rules of users have.
func TestLibraryStaysFarBelowTheLimit(t *testing.T) {
	s := healthyEstate(1)
	for seed := range uint64(40) {
		s.VCenters = append(s.VCenters, healthyEstate(seed+2).VCenters...)
	}
	l, err := advice.Load(advice.Source{FS: rules.FS, Lean: true})
	require.NoError(t, err)
	costs, limit, err := advice.Costs(t.Context(), s, l, advice.Selection{Diagnoses: true})
	require.NoError(t, err)
	require.Positive(t, costs["mem-overcommit"])
	for id, c := range costs {
		require.Less(t, c*20, limit, id)
	}
}

// ruleFile returns a rule over clusters.
func ruleFile(id, want string) fstest.MapFS {
	text := "id: " + id + "\ntitle: A rule\ncategory: cluster\nscope: cluster\nseverity: low\nwant: |-\n  " + want + "\nwhy: It matters.\n"
	return fstest.MapFS{id + ".yaml": {Data: []byte(text)}}
}
