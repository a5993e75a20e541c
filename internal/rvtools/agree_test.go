package rvtools_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/rvtools"
	"github.com/vperf/vperf/internal/rvtools/rvtoolstest"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/rules"
)

// demo returns all facts of the demo fleet's vCenter.
func demo(t *testing.T) *inventory.Snapshot {
	t.Helper()
	s, err := source.Facts(t.Context(), vspheretest.Demo(t), inventory.Targets{}, inventory.Everything(), nil)
	require.NoError(t, err)
	return s
}

var library = sync.OnceValues(func() (*advice.Ruleset, error) {
	l, err := advice.Load(advice.Source{FS: rules.FS})
	if err != nil {
		return nil, err
	}
	return l.Select(advice.Selection{})
})

// place is a check: a rule and the object that it is evaluated on.
type place struct{ rule, kind, id string }

// outcome is the result of a check.
type outcome struct {
	advice.Outcome

	profile advice.Profile
	why     string // the reason for the profile
}

type outcomes map[place]outcome

// judge returns the outcome of every check. Findings that others cover are fails. An empty profile is each object's own.
func judge(t *testing.T, s *inventory.Snapshot, profile advice.Profile) outcomes {
	t.Helper()
	set, err := library()
	require.NoError(t, err)
	result, err := advice.Evaluate(context.Background(), s, set, advice.Options{
		All: true, Include: []advice.VMState{advice.VMOff, advice.VMTemplate}, Profile: profile,
	})
	require.NoError(t, err)
	all := outcomes{}
	for _, f := range result.Findings {
		all[place{f.Rule.ID, string(f.Object.Kind), f.Object.ID}] = outcome{f.Outcome, f.Profile, f.ProfileWhy}
		for _, c := range f.Covers {
			all[place{c.Rule, string(c.Object.Kind), c.Object.ID}] = outcome{f.Outcome, f.Profile, f.ProfileWhy}
		}
	}
	return all
}

func workbook(t *testing.T, sheets []rvtoolstest.Sheet, form rvtoolstest.Form) *inventory.Snapshot {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, rvtoolstest.WriteWorkbook(&b, sheets, form))
	s, err := rvtools.LoadWorkbook(t.Context(), bytes.NewReader(b.Bytes()), int64(b.Len()), "fleet.xlsx", time.Time{})
	require.NoError(t, err)
	return s
}

func folder(t *testing.T, sheets []rvtoolstest.Sheet, form rvtoolstest.Form) *inventory.Snapshot {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, rvtoolstest.WriteFolder(dir, sheets, form))
	s, err := rvtools.Load(t.Context(), dir)
	require.NoError(t, err)
	return s
}

// disagreements compares the outcomes of an export with those of its fleet, in both directions.
func disagreements(fleet, export outcomes) string {
	var all []string
	for at, got := range export {
		if want := fleet[at]; (got.Outcome == advice.Fail || got.Outcome == advice.Pass) && got.Outcome != want.Outcome {
			all = append(all, fmt.Sprintf("%v: the export has %s, the fleet %q", at, got.Outcome, want.Outcome))
		}
	}
	for at, want := range fleet {
		if got := export[at]; want.Outcome == advice.Fail && got.Outcome != advice.Fail && got.Outcome != advice.Unknown {
			all = append(all, fmt.Sprintf("%v: the fleet has %s, the export %q", at, want.Outcome, got.Outcome))
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

func (o outcomes) count(of advice.Outcome) (n int) {
	for _, x := range o {
		if x.Outcome == of {
			n++
		}
	}
	return n
}

// TestProveExportsAgreeWithTheFleet audits the exports of the demo fleet: what an export does not leave unknown is what the fleet's own
// audit finds, in both directions, for every profile.
func TestProveExportsAgreeWithTheFleet(t *testing.T) {
	s := demo(t)
	sheets := rvtoolstest.Of(s)
	exports := map[string]*inventory.Snapshot{
		"workbook": workbook(t, sheets, rvtoolstest.Form{}), "German 3.11": workbook(t, sheets, rvtoolstest.Form{MB: true, Language: "de", Inline: true}),
		"CSV": folder(t, sheets, rvtoolstest.Form{}), "French CSV": folder(t, sheets, rvtoolstest.Form{Language: "fr", Separator: ';'}),
	}
	for _, profile := range proof.Sample(t, 2, advice.Profiles()) {
		fleet := judge(t, s, profile)
		got := judge(t, exports["workbook"], profile)
		require.Empty(t, disagreements(fleet, got), profile)
		require.Greater(t, got.count(advice.Fail), 40, profile)
		require.Greater(t, got.count(advice.Pass), 400, profile)
	}
	want := judge(t, exports["workbook"], "")
	t.Logf("%d fails and %d passes of the export, %d and %d of the fleet", want.count(advice.Fail), want.count(advice.Pass), judge(t, s, "").count(advice.Fail), judge(t, s, "").count(advice.Pass))
	for name, export := range exports {
		require.Equal(t, want, judge(t, export, ""), name)
	}
}

// TestProfilesOfExports compares the outcomes under the profile of each object. Tags, vSAN and NUMA nodes are not in exports: where
// they decide, the profile is another one, and its reason says that facts were not read.
func TestProfilesOfExports(t *testing.T) {
	s := demo(t)
	fleet, export := judge(t, s, ""), judge(t, workbook(t, rvtoolstest.Of(s), rvtoolstest.Form{}), "")
	others := 0
	for at, got := range export {
		want, both := fleet[at]
		if !both || want.profile == got.profile {
			continue
		}
		others++
		require.Contains(t, got.why, "not read", at)
		delete(fleet, at)
		delete(export, at)
	}
	require.NotZero(t, others)
	require.Empty(t, disagreements(fleet, export))
}
