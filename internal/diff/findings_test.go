package diff

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/rules"
)

// judged evaluates some of the library's rules on a snapshot.
func judged(t *testing.T, s *inventory.Snapshot, ids ...string) *Judgement {
	t.Helper()
	l, err := advice.Load(advice.Source{FS: rules.FS, Lean: true})
	require.NoError(t, err)
	set, err := l.Select(advice.Selection{Rules: ids})
	require.NoError(t, err)
	s.Link()
	r, err := advice.Evaluate(t.Context(), s, set, advice.Options{})
	require.NoError(t, err)
	return Judge(r, s, set)
}

// limited gives a VM a memory limit below its size, which the rule mem-limit finds.
func limited(vm *inventory.VM, limit int64) { vm.MemoryLimitMB = inventory.Known(limit) }

func comparedFindings(t *testing.T, from, to *inventory.Snapshot, ids ...string) Findings {
	t.Helper()
	if ids == nil {
		ids = []string{"mem-limit"}
	}
	d := factsOf(t, from, to)
	d.Compare(judged(t, from, ids...), judged(t, to, ids...))
	return d.Findings
}

// outcomes returns which VM is in which list: "new vm-1 not failing→fail".
func outcomes(f *Findings) (all []string) {
	for name, list := range map[string][]Finding{"new": f.New, "gone": f.Gone, "still": f.Still, "unclear": f.Unclear} {
		for _, x := range list {
			all = append(all, name+" "+x.Object.ID+" "+x.Was+"→"+x.Is)
		}
	}
	slices.Sort(all)
	return all
}

func TestFindings(t *testing.T) {
	for name, test := range map[string]struct {
		change func(from, to *inventory.VCenter)
		want   string
	}{
		"new":   {func(_, to *inventory.VCenter) { limited(to.VMs[0], 1024) }, "new vm-1 not failing→fail"},
		"gone":  {func(from, _ *inventory.VCenter) { limited(from.VMs[0], 1024) }, "gone vm-1 fail→not failing"},
		"still": {func(from, to *inventory.VCenter) { limited(from.VMs[0], 1024); limited(to.VMs[0], 512) }, "still vm-1 fail→fail"},
		"unread before": {func(from, to *inventory.VCenter) {
			from.VMs[0].MemoryLimitMB = inventory.Unread[int64]("no answer")
			limited(to.VMs[0], 1024)
		}, "new vm-1 unknown→fail"},
		"unread now": {func(from, to *inventory.VCenter) {
			limited(from.VMs[0], 1024)
			to.VMs[0].MemoryLimitMB = inventory.Unread[int64]("no answer")
		}, "unclear vm-1 fail→unknown"},
		"a new VM":   {func(_, to *inventory.VCenter) { limited(to.VMs[0], 1024); to.VMs[0].ID = "vm-9" }, "new vm-9 no object→fail"},
		"no such VM": {func(from, to *inventory.VCenter) { limited(from.VMs[0], 1024); to.VMs[0].ID = "vm-9" }, "gone vm-1 fail→no object"},
		"switched off": {func(from, to *inventory.VCenter) {
			limited(from.VMs[0], 1024)
			to.VMs[0].PowerState = inventory.Known("poweredOff")
		}, "unclear vm-1 fail→not checked"},
		"out of scope": {func(from, to *inventory.VCenter) {
			limited(from.VMs[0], 1024)
			to.VMs, to.Whole = to.VMs[1:], false
		}, "unclear vm-1 fail→not checked"},
		"was out of scope": {func(from, to *inventory.VCenter) {
			limited(to.VMs[0], 1024)
			from.VMs, from.Whole = from.VMs[1:], false
		}, "unclear vm-1 not checked→fail"},
		"renamed server": {func(from, to *inventory.VCenter) {
			limited(from.VMs[0], 1024)
			limited(to.VMs[0], 1024)
			to.Name = "alias"
		}, "still vm-1 fail→fail"},
	} {
		t.Run(name, func(t *testing.T) {
			from, to := pairOf()
			for _, s := range []*inventory.Snapshot{from, to} {
				for _, vm := range s.VCenters[0].VMs {
					limited(vm, inventory.NoLimit)
				}
			}
			test.change(from.VCenters[0], to.VCenters[0])
			f := comparedFindings(t, from, to)
			require.Equal(t, []string{test.want}, outcomes(&f))
			require.Equal(t, strings.HasPrefix(test.want, "new"), f.Worst(advice.Info))
		})
	}
}

// Counters of one side alone make no finding new or gone.
func TestFindingsOfCountersNeedBothSides(t *testing.T) {
	from, to := pairOf()
	v := to.VCenters[0]
	v.LiveFrom, v.LiveTo = friday, friday.Add(1000)
	v.VMs[0].VCPUs = inventory.Known(int64(1))
	v.VMs[0].Live = inventory.NewLive(map[string]inventory.Series{"cpu.ready": {Median: 60, P95: 60, Worst: 60, Mean: 60, Samples: 30}})
	f := comparedFindings(t, from, to, "cpu-ready")
	require.Equal(t, []string{"unclear vm-1 not failing→fail"}, outcomes(&f))
	f = comparedFindings(t, to, from, "cpu-ready")
	require.Equal(t, []string{"unclear vm-1 fail→not checked"}, outcomes(&f))
}

const auditText = `{"schema": "vperf.audit/v2", "source": "vc", "takenAt": "2026-11-02T10:00:00Z", "findings": [
 {"rule": "mem-limit", "title": "t", "severity": "medium", "outcome": "fail", "objects": [{"object": {"kind": "vm", "name": "twin", "id": "vm-1", "vcenter": "vc", "path": "/"}}]},
 {"rule": "power-policy", "title": "t", "severity": "high", "outcome": "unknown", "reason": "no permission", "objects": [{"object": {"kind": "host", "name": "h", "id": "host-1", "vcenter": "vc", "path": "/"}}]}]}`

func TestAuditResults(t *testing.T) {
	one, side, err := LoadAudit(strings.NewReader(auditText))
	require.NoError(t, err)
	require.Equal(t, Side{Source: "vc", Kind: "audit result", TakenAt: monday}, side)
	require.Equal(t, "no permission", one.Listed[1].Reason, "of all objects of the finding")
	two, _, err := LoadAudit(strings.NewReader(strings.Replace(auditText, "vm-1", "vm-2", 1)))
	require.NoError(t, err)
	d, err := Judgements(one, two)
	require.NoError(t, err)
	require.True(t, d.FindingsOnly)
	require.Equal(t, []string{"gone vm-1 fail→not listed", "new vm-2 not listed→fail"}, outcomes(&d.Findings))

	_, to := pairOf()
	limited(to.VCenters[0].VMs[0], 1024)
	d, err = Judgements(one, judged(t, to, "mem-limit"))
	require.NoError(t, err)
	require.Equal(t, []string{"still vm-1 fail→fail"}, outcomes(&d.Findings))

	other, _, err := LoadAudit(strings.NewReader(strings.ReplaceAll(auditText, `"vc"`, `"other"`)))
	require.NoError(t, err)
	_, err = Judgements(one, other)
	require.ErrorIs(t, err, ErrOtherServer)
	for _, bad := range []string{`{"findings": [{"rule": "x"}]}`, `{"findings": 3}`, `[`, `{"findings": [{"rule": "x", "severity": "low", "objects": [{}]}]}`} {
		_, _, err = LoadAudit(strings.NewReader(bad))
		require.Error(t, err, bad)
	}
}

func FuzzLoadAudit(f *testing.F) {
	f.Add(auditText)
	f.Add(`{"findings":[{"rule":"r","severity":"low","objects":[{"object":{"id":"x"}}]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		j, _, err := LoadAudit(strings.NewReader(text))
		if err != nil {
			return
		}
		d, err := Judgements(j, j)
		require.NoError(t, err)
		require.Empty(t, d.Findings.New)
		require.Empty(t, d.Findings.Gone)
	})
}
