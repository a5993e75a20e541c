package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/rules"
)

// fleet covers what reports must handle: all outcomes, facts in all states, hostile names, a long name.
func fleet() *inventory.Snapshot {
	yes, no := inventory.Known(true), inventory.Known(false)
	host := &inventory.Host{
		Cloud: inventory.Known(""), CloudEvidence: inventory.Known(""),
		ClusterID: inventory.Absent[string](), Kind: inventory.Known(inventory.HostPhysical),
		Version: inventory.Known(inventory.Version{Major: 7, Update: 3}), Cores: inventory.Known(int64(28)),
		CPUMHz: inventory.Known(int64(2600)), NUMANodes: inventory.Known([]*inventory.NUMANode{{ID: 0}, {ID: 1}}),
		PowerPolicy: inventory.Known("dynamic"), PowerHardware: inventory.Known("ACPI P-states, ACPI C-states"), VSAN: no,
		PNICs: inventory.Known([]*inventory.PNIC{{
			Device: "vmnic0", LinkMbps: inventory.Known(int64(40000)), Uplink: yes, EDP: no, Switch: inventory.Known("dvs1"),
			NUMANode: inventory.Unread[int64]("the host lists no PCI devices"), RSS: inventory.Unread[bool]("no permission"),
		}}),
		Options: inventory.Known(map[string]inventory.Option{
			"Net.NetNetqNumaIOCpuPinThreshold": {Value: inventory.LongValue(0)},
			"Net.Vmxnet3HwLRO":                 {Value: inventory.LongValue(0)}, "Net.Vmxnet3SwLRO": {Value: inventory.LongValue(1)},
		}),
	}
	host.ID, host.Name, host.Path = "host-1", "esx\x1b[31m-red\u202e", "/dc/host/esx"
	gone := &inventory.Host{}
	gone.ID, gone.Name, gone.Path, gone.Unread = "host-2", "host02.a-rather-long-domain-name-for-a-host.example.com", "/dc/host/host02", "host not responding"
	vm := &inventory.VM{
		HostID: inventory.Known("host-1"), VCPUs: inventory.Known(int64(4)), MemoryMB: inventory.Known(int64(8192)),
		CPULimitMHz: inventory.Known(int64(1000)), CPUReservationMHz: inventory.Known(int64(0)), MemoryReservationMB: inventory.Known(int64(0)),
		MemoryReservationLocked: no, PowerState: inventory.Known("poweredOn"), Template: no, ThreadsPerCore: inventory.Known(int64(1)), LatencySensitivity: inventory.Known("high"),
		Appliance: inventory.Known(""), MaybeAppliance: inventory.Known(""), VDIRole: inventory.Known(""), InstantCloneFrozen: no,
		VMX: inventory.Known(map[string]string{}),
		VNICs: inventory.Known([]*inventory.VNIC{{
			Key: 4000, Label: "Network adapter 1", Type: inventory.Known("vmxnet3"), PNICFeatures: inventory.Known(int64(0)),
			Switch: inventory.Known("dvs1"),
		}}),
		Snapshots: inventory.Known([]*inventory.SnapshotPoint{
			{Name: "before <script>", Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Depth: 1},
		}),
		ConsolidationNeeded: no,
	}
	vm.ID, vm.Name, vm.Path = "vm-1", "=cmd|' /C calc'!A0\n\"quoted\",<b>", "/dc/vm/odd"
	for _, e := range []*inventory.Entity{&host.Entity, &vm.Entity} {
		e.Tags, e.Attributes = inventory.Known([]string{}), inventory.Known(map[string]string{})
	}
	v := &inventory.VCenter{Kind: inventory.EndpointVCenter, TakenAt: time.Date(2026, 6, 10, 12, 0, 0, 0, time.UTC)}
	v.ID, v.Name = "uuid", "vc.example.com"
	v.Hosts, v.VMs = []*inventory.Host{host, gone}, []*inventory.VM{vm}
	s := &inventory.Snapshot{Schema: inventory.SnapshotSchema, Source: v.Name, VCenters: []*inventory.VCenter{v}}
	s.Link()
	return s
}

// ruleset has a few rules that cover all cases of the formats. New rules of the library do not change the golden files of a
// format.
var ruleset = sync.OnceValues(func() (*advice.Ruleset, error) {
	l, err := advice.Load(advice.Source{FS: rules.FS})
	if err != nil {
		return nil, err
	}
	return l.Select(advice.Selection{Rules: []string{
		"cpu-limit", "latency-reservation", "lro", "numa-io", "pnic-features", "power-policy", "snapshots", "vnic-vmxnet3",
	}})
})

func audit(t *testing.T, all bool) report.Audit {
	t.Helper()
	set, err := ruleset()
	require.NoError(t, err)
	s := fleet()
	r, err := advice.Evaluate(t.Context(), s, set, advice.Options{All: all})
	require.NoError(t, err)
	return report.Audit{Source: s.Source, TakenAt: s.TakenAt(), Result: r}
}

// empty is the audit of a fleet without faults.
func empty() report.Audit {
	s := fleet()
	return report.Audit{Source: s.Source, TakenAt: s.TakenAt(), Result: &advice.Result{}}
}

func TestActionable(t *testing.T) {
	full, want := audit(t, true), audit(t, false)
	require.Equal(t, texts(want), texts(full.Actionable()), "as if passes had never been kept")
	require.Greater(t, len(full.Result.Findings), len(want.Result.Findings), "the audit itself stays whole")
	require.Equal(t, full.Result.Counts, full.Actionable().Result.Counts)
}

// texts returns an audit as JSON, because rules compiled twice are never equal.
func texts(a report.Audit) string {
	var b bytes.Buffer
	_ = report.JSON(&b, a) // writing to a buffer cannot fail
	return b.String()
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, report.JSON(&b, audit(t, true)))
	golden.Equal(t, "testdata/audit.json", b.Bytes())
	validate(t, b.Bytes())
}

// validate checks JSON against the published schema.
func validate(t *testing.T, b []byte) {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	schema, err := c.Compile("../../docs/schema/vperf.audit-v2.schema.json")
	require.NoError(t, err)
	var v any
	require.NoError(t, json.Unmarshal(b, &v))
	require.NoError(t, schema.Validate(v))
}

func TestTable(t *testing.T) {
	for name, width := range map[string]int{"80": 80, "40": 40, "unlimited": 0} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			require.NoError(t, report.Terminal{Width: width}.Show(&b, report.Details(audit(t, false))))
			golden.Equal(t, "testdata/audit-"+name+".txt", b.Bytes())
			require.NotContains(t, b.String(), "\x1b", "names cannot drive the terminal")
			require.NotContains(t, b.String(), "\u202e")
		})
	}
}

func TestTableInColour(t *testing.T) {
	streams, _, _ := iostreams.Test()
	require.NoError(t, streams.SetColor("always"))
	var b bytes.Buffer
	require.NoError(t, report.Terminal{Width: 80, Style: streams.StyleOut()}.Show(&b, report.Details(audit(t, false))))
	require.Contains(t, b.String(), "\x1b[31mHIGH\x1b[39m")
}

// TestAGroupHasWhatItsObjectsShare checks that texts of many objects are written once, and that each object has its own facts.
func TestAGroupHasWhatItsObjectsShare(t *testing.T) {
	all := longRule(3)
	all[0].Rule.Why, all[0].Rule.Sources = "why\nso", []string{"a guide"}
	all[1].Notes, all[2].InBaseline = []string{"another"}, true
	for _, f := range all {
		f.Notes = append(f.Notes, "a note")
	}
	var b bytes.Buffer
	a := auditOfAll(all, false)
	a.Result.Unread = []advice.Gap{{Object: all[0].Object, Fact: "VM.vmx", Reason: "r"}, {Object: all[1].Object, Fact: "VM.vmx", Reason: "r"}, {Object: all[0].Object, Fact: "VM.vmx", Reason: "other"}}
	require.NoError(t, report.JSON(&b, a))
	validate(t, b.Bytes())
	var v struct {
		Findings []struct {
			Rule, Why, ProfileWhy string
			Count                 int
			Notes                 []string
			Objects               []struct {
				Object     inventory.Ref
				ProfileWhy string
				Notes      []string
				Evidence   map[string]any
				InBaseline bool
				Remedy     []struct{ To any }
			}
		}
		Unread []struct {
			Reason  string
			Count   int
			Objects []inventory.Ref
		}
	}
	require.NoError(t, json.Unmarshal(b.Bytes(), &v))
	require.Len(t, v.Findings, 1)
	g := v.Findings[0]
	require.Equal(t, []any{"old-hardware", "why so", "x", 3}, []any{g.Rule, g.Why, g.ProfileWhy, g.Count})
	require.Empty(t, g.Notes, "they differ")
	for i, row := range g.Objects {
		require.Equal(t, all[i].Object, row.Object)
		require.Equal(t, all[i].Notes, row.Notes)
		require.Empty(t, row.ProfileWhy, "the group has it")
		require.InDelta(t, 9+i, row.Evidence["version"], 0)
		require.InDelta(t, 2+i%2, row.Remedy[0].To, 0)
		require.Equal(t, i == 2, row.InBaseline)
	}
	require.Equal(t, 1, strings.Count(b.String(), `"x"`))
	require.Len(t, v.Unread, 2)
	require.Equal(t, []inventory.Ref{all[0].Object, all[1].Object}, v.Unread[0].Objects)
}
