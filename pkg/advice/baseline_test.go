package advice_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

func ruleset(t *testing.T, ids ...string) *advice.Ruleset {
	t.Helper()
	set, err := library(t).Select(advice.Selection{Rules: ids})
	require.NoError(t, err)
	return set
}

// compared evaluates a fleet and compares the result with a baseline after saving and loading it.
func compared(t *testing.T, b *advice.Baseline, s *inventory.Snapshot, o advice.Options, rules ...string) *advice.Result {
	t.Helper()
	var text bytes.Buffer
	require.NoError(t, b.Save(&text))
	b, err := advice.LoadBaseline(&text)
	require.NoError(t, err)
	r := evaluate(t, s, o, rules...)
	b.Apply(r, s, ruleset(t, rules...))
	return r
}

// twoVMs returns a fleet in which web-01 fails two rules; web-03 is similar.
func twoVMs() (s *inventory.Snapshot, web01, web03 *inventory.VM) {
	_, _, web01, s = marked()
	twin := *web01
	twin.ID, twin.Name, twin.Path = "vm-3", "web-03", "/dc/vm/web-03"
	twin.VNICs = inventory.Known([]*inventory.VNIC{{Key: 4000, Label: "Network adapter 1", Type: inventory.Known("e1000")}})
	v := s.VCenters[0]
	v.VMs = append(v.VMs, &twin)
	s.Link()
	return s, web01, &twin
}

func TestBaseline(t *testing.T) {
	rules := []string{"cpu-limit", "vnic-vmxnet3"}
	_, _, _, s := marked()
	b := advice.NewBaseline(evaluate(t, s, advice.Options{}, rules...))
	require.Len(t, b.Findings, 2)

	r := compared(t, b, s, advice.Options{}, rules...)
	require.Equal(t, &advice.BaselineCount{Known: 2}, r.Baseline)
	require.False(t, r.Worst(advice.Info), "there are no new findings")
	require.Equal(t, 2, r.Counts[advice.Fail], "known ones fail all the same")

	// Renamed objects, new measurements and another severity do not change a fingerprint.
	fleet, web01, web03 := twoVMs()
	web01.Name, web01.Path, web01.CPULimitMHz = "renamed", "/dc/vm/other/renamed", inventory.Known(int64(2000))
	r = compared(t, b, fleet, advice.Options{Profile: advice.ProfileDatabase}, rules...)
	require.Equal(t, &advice.BaselineCount{Known: 2}, r.Baseline)
	require.True(t, r.Worst(advice.Medium), "web-03 is new")
	for _, f := range r.Findings {
		require.Equal(t, !strings.HasPrefix(f.Object.Name, "web-03"), f.Known(), f.Object.Name)
	}

	// One is fixed, one is unknown, and one rule was not selected.
	web01.CPULimitMHz = inventory.Known(int64(inventory.NoLimit))
	require.Equal(t, &advice.BaselineCount{Known: 1, Fixed: 1}, compared(t, b, fleet, advice.Options{}, rules...).Baseline)
	require.Equal(t, &advice.BaselineCount{Known: 1, Fixed: 1}, compared(t, b, fleet, advice.Options{All: true}, rules...).Baseline, "passes that are kept change nothing")
	web01.CPULimitMHz = inventory.Unread[int64]("no permission")
	require.Equal(t, &advice.BaselineCount{Known: 1}, compared(t, b, fleet, advice.Options{}, rules...).Baseline)
	require.Equal(t, &advice.BaselineCount{Unseen: 1}, compared(t, b, fleet, advice.Options{}, "cpu-limit").Baseline)
	web01.VNICs = inventory.Unread[[]*inventory.VNIC]("no permission")
	require.Equal(t, &advice.BaselineCount{Unseen: 1}, compared(t, b, fleet, advice.Options{}, rules...).Baseline, "an unread device is not fixed")
	fleet.VCenters[0].VMs = []*inventory.VM{web03}
	fleet.Link()
	require.Equal(t, &advice.BaselineCount{Unseen: 2}, compared(t, b, fleet, advice.Options{}, rules...).Baseline, "deleted or out of scope: unknown")
}

func TestWaivedIsNotInTheBaseline(t *testing.T) {
	_, _, _, s := marked()
	r := waived(t, s, "- {rule: cpu-limit, object: '*', reason: x, until: 2027-01-01}\n", "cpu-limit")
	require.Empty(t, advice.NewBaseline(r).Findings, "it would hide that the waiver ended")
	known := advice.NewBaseline(evaluate(t, s, advice.Options{}, "cpu-limit"))
	known.Apply(r, s, ruleset(t, "cpu-limit"))
	require.Equal(t, new(advice.BaselineCount), r.Baseline, "waived is neither known nor fixed")
	require.True(t, r.Findings[0].InBaseline)
}

func TestABaselineIsTheSameForTheSameFails(t *testing.T) {
	text := func(s *inventory.Snapshot) string {
		var b bytes.Buffer
		require.NoError(t, advice.NewBaseline(evaluate(t, s, advice.Options{}, "cpu-limit", "vnic-vmxnet3")).Save(&b))
		return b.String()
	}
	s, _, _ := twoVMs()
	want := text(s)
	v := s.VCenters[0]
	v.VMs[0], v.VMs[1] = v.VMs[1], v.VMs[0]
	require.Equal(t, want, text(s))
	require.Regexp(t, `^\{\n "schema": "vperf.baseline/v1",\n "findings": \[\n  \{\n   "rule": "cpu-limit",\n   "kind": "vm",\n   "name": "web-01",\n   "fingerprint": "[0-9a-f]{64}"`, want)
}

func TestWhatIsNoBaseline(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "the file ends in the middle (after 0 bytes)",
		`{"schema": "vperf.baseline/v1", "`: "the file ends in the middle (after 33 bytes); write it again",
		"hello":                             "not a vperf baseline: invalid character 'h'",
		"[]":                                "not a vperf baseline: ",
		`{"schema": "vperf.audit/v1"}`:      `its schema is "vperf.audit/v1", want vperf.baseline/v1`,
		`{"schema": "vperf.baseline/v2"}`:   "of this version: it is vperf.baseline/v2, this vperf reads vperf.baseline/v1",
		`{"schema": "vperf.baseline/v1"}`:   "it has no list of findings",
		`{"schema": "vperf.baseline/v1", "findings": "none"}`:            "not a vperf baseline: json: cannot unmarshal string",
		`{"schema": "vperf.baseline/v1", "findings": [{"rule": "lro"}]}`: "finding 1 of its list has no rule or no fingerprint",
		`{"schema": "vperf.baseline/v1", "findings": []} {}`:             "not a vperf baseline: invalid character '{' after top-level value",
	} {
		_, err := advice.LoadBaseline(strings.NewReader(text))
		require.ErrorIs(t, err, advice.ErrNotBaseline, text)
		require.ErrorContains(t, err, want)
	}
}
