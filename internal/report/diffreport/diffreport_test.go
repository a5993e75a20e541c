package diffreport

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/diff"
	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

var monday = time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)

// evil is a name that would drive a terminal, a Markdown page and a table.
const evil = "a\x1b[31m|<b>\u202ex"

// sample is a difference with something of each kind.
func sample(t *testing.T) *diff.Diff {
	t.Helper()
	state := func(at time.Time) *inventory.Snapshot {
		return &inventory.Snapshot{Schema: inventory.SnapshotSchema, Source: "vc", VCenters: []*inventory.VCenter{{
			Entity: inventory.Entity{ID: "uuid-1", Name: "vc", Path: "/"}, TakenAt: at, Whole: true, LiveFrom: at, LiveTo: at.Add(time.Minute),
			Hosts: []*inventory.Host{{
				Entity: inventory.Entity{ID: "host-1", Name: evil}, PowerPolicy: inventory.Known("dynamic"), Version: inventory.Known(inventory.Version{Major: 8}),
				Options: inventory.Known(map[string]inventory.Option{"Mem.X": {Value: inventory.LongValue(0)}}), OffDefault: inventory.Known([]string{}),
				PNICs: inventory.Known([]*inventory.PNIC{{Device: "vmnic0", LinkMbps: inventory.Known(int64(25000))}}),
			}, {Entity: inventory.Entity{ID: "host-2", Name: "esx02"}}},
			VMs: []*inventory.VM{
				{
					Entity: inventory.Entity{ID: "vm-1", Name: "db01"}, HostID: inventory.Known("host-1"), CPULimitMHz: inventory.Known(int64(-1)),
					VMX: inventory.Known(map[string]string{}), Disks: inventory.Known([]*inventory.VDisk{{Key: 2000, Label: "Hard disk 1"}}),
					Live: inventory.NewLive(map[string]inventory.Series{"cpu.ready": {Median: 1.5, Samples: 3}}),
				},
				{Entity: inventory.Entity{ID: "vm-2", Name: "old"}, HostID: inventory.Known("host-2")},
			},
			Switches: []*inventory.Switch{{Entity: inventory.Entity{ID: "dvs-1", Name: "dvs"}, Portgroups: inventory.Known([]*inventory.Portgroup{
				{Name: "vMotion", Active: inventory.Known([]string{"u1", "u2"})},
			})}},
		}}}
	}
	from, to := state(monday), state(monday.AddDate(0, 0, 4))
	v := to.VCenters[0]
	h, vm := v.Hosts[0], v.VMs[0]
	h.PowerPolicy, h.Version = inventory.Known("static"), inventory.Known(inventory.Version{Major: 8, Update: 3})
	h.Options = inventory.Known(map[string]inventory.Option{"Mem.X": {Value: inventory.LongValue(1)}})
	nics, _ := h.PNICs.Value()
	nics[0].LinkMbps = inventory.Known(int64(0))
	vm.HostID, vm.CPULimitMHz = inventory.Known("host-2"), inventory.Known(int64(2000))
	vm.VMX = inventory.Known(map[string]string{"sched.mem.x": "1"})
	vm.Disks = inventory.Known([]*inventory.VDisk{{Key: 2001, Label: "Hard disk 2"}})
	vm.Live.Set("cpu.ready", inventory.Series{Median: 2.5, Samples: 3})
	v.VMs[1].ID, v.VMs[1].Name = "vm-3", "new"
	v.Hosts[1].Name = "esx02-new"
	v.Hosts[1].PowerPolicy = inventory.Known("low")
	groups, _ := v.Switches[0].Portgroups.Value()
	groups[0].Active = inventory.Known([]string{"u2", "u1"})
	from.Link()
	to.Link()
	d, err := diff.Facts(from, to)
	require.NoError(t, err)
	for i := range d.Changes {
		switch c := &d.Changes[i]; c.Fact {
		case "Host.powerPolicy":
			c.Run = &diff.Run{ID: "20261103-1", User: "ann", When: monday.Add(time.Hour), Rules: []string{"power-policy"}, Since: true}
		case "VM.cpuLimitMHz":
			c.Events = []diff.Event{{When: monday.Add(2 * time.Hour), User: `LAB\bob`, Class: "VmReconfiguredEvent", Text: "Reconfigured " + evil}}
		}
	}
	d.Old.Name, d.Old.Kind, d.New.Name, d.New.Kind = "old.json", "snapshot", "vc", "live server"
	finding := diff.Finding{Rule: "cpu-limit", Title: "The VM has a CPU limit", Severity: advice.Medium, Object: vm.Ref(), Was: diff.NotFailing, Is: "fail"}
	gone := finding
	gone.Rule, gone.Was, gone.Is = "power-policy", "fail", diff.NotFailing
	unclear := finding
	unclear.Rule, unclear.Was, unclear.Is, unclear.Reason = "numa-io", "fail", "unknown", "no answer"
	d.Findings = diff.Findings{New: []diff.Finding{finding}, Gone: []diff.Finding{gone}, Unclear: []diff.Finding{unclear}, Still: []diff.Finding{finding}}
	d.Notes = []string{"a note"}
	return d
}

func TestTable(t *testing.T) {
	for name, width := range map[string]int{"80": 80, "unlimited": 0} {
		var b bytes.Buffer
		require.NoError(t, Document(sample(t), width == 0).Terminal(&b, width, iostreams.Style{}))
		golden.Equal(t, "testdata/diff-"+name+".txt", b.Bytes())
		require.NotContains(t, b.String(), "\x1b")
		require.NotContains(t, b.String(), "\u202e")
		if width > 0 {
			for line := range strings.SplitSeq(b.String(), "\n") {
				require.LessOrEqual(t, len([]rune(line)), width)
			}
		}
	}
}

func TestMarkdown(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, Document(sample(t), false).Markdown(&b))
	golden.Equal(t, "testdata/diff.md", b.Bytes())
	require.NotContains(t, b.String(), "<b>")
}

func TestJSON(t *testing.T) {
	for name, d := range map[string]*diff.Diff{"diff": sample(t), "empty": {FindingsOnly: true, Old: diff.Side{Kind: "audit result", TakenAt: monday}, New: diff.Side{Kind: "snapshot", TakenAt: monday}}} {
		var b bytes.Buffer
		require.NoError(t, JSON(&b, d))
		golden.Equal(t, "testdata/"+name+".json", b.Bytes())
		require.NotContains(t, b.String(), "\u202e")
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		schema, err := c.Compile("../../../docs/schema/vperf.diff-v1.schema.json")
		require.NoError(t, err)
		var v any
		require.NoError(t, json.Unmarshal(b.Bytes(), &v))
		require.NoError(t, schema.Validate(v), name)
	}
}

// Many objects with the same change are one row, and long lists end with the number of the others.
func TestLongListsAreShort(t *testing.T) {
	d := sample(t)
	d.Changes = nil
	vm := inventory.Ref{Kind: inventory.ScopeVM, VCenter: "vc"}
	for i := range 100 {
		vm.ID, vm.Name = "vm", strings.Repeat("x", i+1)
		d.Went = append(d.Went, diff.Object{Ref: vm})
		d.Renamed = append(d.Renamed, diff.Renamed{Object: vm, From: vm.Name, To: "y"})
	}
	for _, s := range Sections(d, false) {
		require.Len(t, s.Rows, mostRows)
		require.Equal(t, 203, s.Count)
		require.Positive(t, s.More)
	}
	whole := Sections(d, true)
	require.Len(t, whole, 1)
	require.Zero(t, whole[0].More)
}
