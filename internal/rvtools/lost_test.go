package rvtools_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/rvtools"
	"github.com/vperf/vperf/internal/rvtools/rvtoolstest"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// damaged returns a workbook one of whose parts a function has changed.
func damaged(t *testing.T, book []byte, part string, damage func([]byte) []byte) []byte {
	t.Helper()
	in, err := zip.NewReader(bytes.NewReader(book), int64(len(book)))
	require.NoError(t, err)
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	found := false
	for _, f := range in.File {
		r, err := f.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(r)
		require.NoError(t, err)
		if f.Name == part {
			found, text = true, damage(text)
		}
		to, err := w.Create(f.Name)
		require.NoError(t, err)
		_, err = to.Write(text)
		require.NoError(t, err)
	}
	require.True(t, found, part)
	require.NoError(t, w.Close())
	return out.Bytes()
}

// TestProveADamagedSheetCostsThatSheet cuts each sheet of an export at several places. What is then still decided is what the whole
// export decides, and the sheet is named wherever it is missed.
func TestProveADamagedSheetCostsThatSheet(t *testing.T) {
	sheets := rvtoolstest.Of(demo(t))
	var b bytes.Buffer
	require.NoError(t, rvtoolstest.WriteWorkbook(&b, sheets, rvtoolstest.Form{}))
	whole := judge(t, load(t, b.Bytes()), advice.ProfileGeneral)
	type cut struct{ sheet, percent int }
	var cuts []cut
	for i := range sheets {
		for _, percent := range []int{1, 40, 99} {
			cuts = append(cuts, cut{i, percent})
		}
	}
	for _, c := range proof.Sample(t, 4, cuts) {
		name := sheets[c.sheet].Name
		book := damaged(t, b.Bytes(), sheetPart(c.sheet), func(text []byte) []byte { return text[:bytes.LastIndex(text, []byte("</sheetData>"))*c.percent/100] })
		s := load(t, book)
		got := judge(t, s, advice.ProfileGeneral)
		require.Equal(t, isUsed(name), strings.Contains(reasonsOf(t, s), "sheet "+name+" of the export could not be read"), name)
		for at, is := range got {
			switch was := whole[at].Outcome; {
			case is.Outcome == advice.Unknown, is.Outcome == advice.Manual, was == advice.Manual, was == "": // one check is for several objects
			default:
				require.Equal(t, was, is.Outcome, "%s cut at %d %%: %v", name, c.percent, at)
			}
		}
	}
}

// isUsed reports whether the facts of an export need a sheet. The date of an export without vMetaData is that of its file.
func isUsed(sheet string) bool {
	return !slices.Contains([]string{"vMetaData", "vTools", "vPort", "dvPort", "vCD", "vHealth", "vLicense", "vPartition", "vFileInfo", "vUSB", "vFloppy"}, sheet)
}

func sheetPart(i int) string { return fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1) }

func load(t *testing.T, book []byte) *inventory.Snapshot {
	t.Helper()
	s, err := rvtools.LoadWorkbook(t.Context(), bytes.NewReader(book), int64(len(book)), "fleet.xlsx", time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC))
	require.NoError(t, err)
	return s
}

// reasonsOf returns a snapshot's text, which has the reasons of all unread facts.
func reasonsOf(t *testing.T, s *inventory.Snapshot) string {
	t.Helper()
	text, err := json.Marshal(s)
	require.NoError(t, err)
	return string(text)
}

// TestOddSheets: what one sheet lacks costs that sheet.
func TestOddSheets(t *testing.T) {
	v := small(t, table("vHost", "Host", "a", "a", "b"), table("vInfo", "VM|Host", "one|a"), table("vCPU", "Machine|Limit", "one|5"), table("vRP", "Name", "x"))
	require.Equal(t, "vHost has several rows of this host", v.Hosts[0].Unread)
	require.Empty(t, v.Hosts[1].Unread)
	require.Equal(t, "sheet vCPU of the export could not be read: sheet vCPU, row 1: there is no column VM", reason(t, v.VMs[0].CPULimitMHz))
	require.Equal(t, "not in this export: it has no sheet vMemory", reason(t, v.VMs[0].MemoryLimitMB))
	require.Contains(t, v.Unread, "sheet vRP of the export could not be read")
}

// TestLostDatastores: without their sheet, nobody knows which datastores a host mounts, so no host has none.
func TestLostDatastores(t *testing.T) {
	v := small(t, table("vHost", "Host", "a"), table("vInfo", "VM|Host", "one|a"), table("vDatastore", "x", "y"))
	require.Contains(t, reason(t, v.Hosts[0].Datastores), "sheet vDatastore of the export could not be read")
}

// TestDoubledSheet: nobody knows which of two sheets is the right one, so neither is used.
func TestDoubledSheet(t *testing.T) {
	hosts, vms, cpus := table("vHost", "Host", "a"), table("vInfo", "VM|Host", "one|a"), table("vCPU", "VM|Limit", "one|5")
	for name, again := range map[string]rvtoolstest.Sheet{
		"vCPU": table("vCPU", "VM|Limit", "one|6"), "tabvCPU": table("tabvCPU", "VM|Limit", "one|5"), "VCPU": table("VCPU", "VM|Limit", "one|7"),
	} {
		for _, sheets := range [][]rvtoolstest.Sheet{{hosts, vms, cpus, again}, {again, cpus, vms, hosts}} {
			v := small(t, sheets...)
			require.Contains(t, reason(t, v.VMs[0].CPULimitMHz), "sheet vCPU of the export could not be read: the workbook has it more than once", name)
			require.Empty(t, v.Hosts[0].Unread)
		}
	}
	v := small(t, hosts, table("vHost", "Host", "b"), vms)
	require.Contains(t, v.Unread, "sheet vHost of the export could not be read: the workbook has it more than once")
	var b bytes.Buffer
	require.NoError(t, rvtoolstest.WriteWorkbook(&b, []rvtoolstest.Sheet{vms, vms}, rvtoolstest.Form{}))
	_, err := rvtools.LoadWorkbook(t.Context(), bytes.NewReader(b.Bytes()), int64(b.Len()), "fleet.xlsx", time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC))
	require.ErrorContains(t, err, `the workbook has it more than once`)
}

// TestTwins: VMs of one name or one id are different VMs, and rows that can be about either leave both unread.
func TestTwins(t *testing.T) {
	v := small(t,
		table("vInfo", "VM|CPUs|NICs|Path", "a|1|1|[x] a/a.vmx", "a|2||[x] a_1/a.vmx", "b|3|1|"),
		table("vCPU", "VM|Limit", "a|100", "a|200", "b|300"),
		table("vNetwork", "VM|Adapter", "a|E1000", "a|E1000", "b|E1000"),
		table("vSnapshot", "VM|Name|Date / time", "a|s|2026/05/01 10:00:00"))
	require.Len(t, v.VMs, 3)
	require.Equal(t, []string{"a [x] a/a.vmx", "a [x] a_1/a.vmx", "b"}, []string{v.VMs[0].ID, v.VMs[1].ID, v.VMs[2].ID})
	require.Equal(t, inventory.Known(int64(2)), v.VMs[1].VCPUs)
	require.Equal(t, inventory.Known(int64(300)), v.VMs[2].CPULimitMHz)
	for _, x := range v.VMs[:2] {
		require.Contains(t, reason(t, x.CPULimitMHz), "several virtual machines of this name")
		require.Contains(t, reason(t, x.Snapshots), "several virtual machines of this name")
	}
	require.Contains(t, reason(t, v.VMs[0].VNICs), "counts 1, and vNetwork lists 0")
	require.Contains(t, reason(t, v.VMs[1].VNICs), "several virtual machines of this name")

	v = small(t, table("vInfo", "VM|VM ID|VM UUID", "a|vm-1|u1", "a|vm-1|u2", "c|vm-3|u3", "d|vm-4|u3"),
		table("vCPU", "VM|Limit|VM ID|VM UUID", "a|100|vm-1|u1", "a|200|vm-1|u2", "c|300|vm-3|u3", "d|400||u3"))
	require.Equal(t, []string{"vm-1 #1", "vm-1 #2", "vm-3", "vm-4"}, []string{v.VMs[0].ID, v.VMs[1].ID, v.VMs[2].ID, v.VMs[3].ID})
	require.Equal(t, inventory.Known(int64(100)), v.VMs[0].CPULimitMHz)
	require.Equal(t, inventory.Known(int64(200)), v.VMs[1].CPULimitMHz)
	require.Equal(t, inventory.Known(int64(300)), v.VMs[2].CPULimitMHz)
	require.Contains(t, reason(t, v.VMs[3].CPULimitMHz), "several virtual machines")
}

// field returns a file of the folder with files as they are met in the field.
func field(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join("../../../shared/testdata/field", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the exports of other programs are not here: %v", err)
	}
	return path
}

// TestExportsOfTheField reads exports that RVTools wrote itself, and that nobody saved again.
func TestExportsOfTheField(t *testing.T) {
	s, err := rvtools.Load(t.Context(), field(t, "rvtools-raw-4.7.xlsx"))
	require.NoError(t, err)
	v := s.VCenters[0]
	require.Empty(t, v.Unread)
	require.NotContains(t, reasonsOf(t, s), "could not be read")
	names := map[string]*inventory.VM{}
	for _, x := range v.VMs {
		names[x.Name] = x
	}
	require.Equal(t, inventory.Known(int64(49152)), names["erp-app-01"].MemoryLimitMB)
	require.Equal(t, inventory.Known(int64(8)), names["print-01"].HardwareVersion)
	nics, _ := names["file-01"].VNICs.Value()
	require.Contains(t, []string{inventory.VNICE1000, inventory.VNICE1000e}, nics[0].Type.String())

	s, err = rvtools.Load(t.Context(), field(t, "rv-dupnoid"))
	require.NoError(t, err)
	require.Len(t, s.VCenters[0].VMs, 3)
	require.NotEqual(t, s.VCenters[0].VMs[1].ID, s.VCenters[0].VMs[2].ID)

	_, err = rvtools.Load(t.Context(), field(t, "rv-cp1252"))
	require.ErrorContains(t, err, "RVTools_tabvInfo.csv: row 2, column 1: the file is not in UTF-8")
	require.ErrorContains(t, err, "iconv -f WINDOWS-1252 -t UTF-8")
}
