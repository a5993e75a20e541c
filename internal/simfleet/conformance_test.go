package simfleet

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
	"github.com/vmware/govmomi/vim25/xml"

	"github.com/vperf/vperf/internal/simfleet/esxi"
	"github.com/vperf/vperf/pkg/inventory"
)

// recordedRelease is the release of the recorded host in the option table.
const recordedRelease = "8.0U1"

// recordedHost reads the host of a recorded vCenter from a directory next to the module, or skips the test.
func recordedHost(t *testing.T) (host mo.HostSystem) {
	t.Helper()
	archive, err := filepath.Abs("../../../shared/testdata/vcenter/recorded-vcenter-8.0.1.tar.xz")
	require.NoError(t, err)
	if _, err := os.Stat(archive); err != nil {
		t.Skipf("recorded vCenter not present: %s", archive)
	}
	dir := t.TempDir()
	out, err := exec.CommandContext(t.Context(), "tar", "xJf", archive, "-C", dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
	files, err := filepath.Glob(filepath.Join(dir, "test-data", "SDDC-Datacenter", "*HostSystem*.xml"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	in, err := os.Open(files[0])
	require.NoError(t, err)
	defer func() { _ = in.Close() }()
	var content types.ObjectContent
	decoder := xml.NewDecoder(in)
	decoder.TypeFunc = types.TypeFunc()
	require.NoError(t, decoder.Decode(&content))
	require.NoError(t, mo.LoadObjectContent([]types.ObjectContent{content}, &host))
	return host
}

// knownDifferences are options whose recorded definition differs from the table for 8.0 U1.
var knownDifferences = map[string]string{
	"Net.Vmxnet3SetRSSHash":         "the recorded host gives the default 1, the table 0",
	"VFLASH.ResourceUsageThreshold": "the recorded host gives 1 to 99, the table no bounds",
}

// The table for 8.0 U1 equals the definitions of a real host of that release.
func TestOptionsMatchARealHost(t *testing.T) {
	t.Parallel()
	host := recordedHost(t)
	both := 0
	for _, def := range host.Config.OptionDef {
		kind, _, ok := esxi.TableOption(def.Key, recordedRelease)
		if _, known := inventory.LookupOption(def.Key); known && !ok {
			t.Errorf("%s: the real host has it, the table says %s has not", def.Key, recordedRelease)
		}
		if !ok {
			continue
		}
		both++
		want, got := comparable64(def.OptionType), comparable64(kind)
		_, differs := knownDifferences[def.Key]
		if reflect.DeepEqual(want, got) == differs {
			t.Errorf("%s: real host %#v, table %#v, known difference %v", def.Key, want, got, differs)
		}
	}
	t.Logf("%d options of the table are on the real host", both)
	require.Greater(t, both, 100)
}

// comparable64 returns an option's type, default and bounds; the table does not distinguish int from long.
func comparable64(kind types.BaseOptionType) any {
	switch k := kind.(type) {
	case *types.IntOption:
		return [3]int64{int64(k.Min), int64(k.Max), int64(k.DefaultValue)}
	case *types.LongOption:
		return [3]int64{k.Min, k.Max, k.DefaultValue}
	case *types.BoolOption:
		return k.DefaultValue
	case *types.StringOption:
		return k.DefaultValue
	}
	return kind
}
