package capture_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/capture"
	"github.com/vperf/vperf/pkg/inventory"
)

// FuzzNames finds the host and the VM of a capture in a snapshot, whatever their names: measurements are never assigned
// to another object, and never counted twice.
func FuzzNames(f *testing.F) {
	for _, names := range [][5]string{
		{"esx01", "web", "esx01", "", "web"}, {"esx01.lab", "web", "esx01", "", "web"}, {"esx01", "web", "ESX01.lab.", "esx01.lab", "mail"},
		{"esx01.a", "we%2fb", "esx01.b", "", "we/b"}, {"", "", "", "", ""}, {"a(b)", `x"y`, "a(b)", "\n", "x\"y"}, {`\\`, "a:b", "\u202e", "é", "a:b"},
	} {
		f.Add(names[0], names[1], names[2], names[3], names[4])
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, host, vm, name, dns, called string) {
		path := filepath.Join(dir, "capture.csv")
		require.NoError(t, os.WriteFile(path, captured(host, vm).text(3), 0o600))
		kept := newFleet(vcenter("vc1", []*inventory.Host{hostOf("host-1", name, dns), hostOf("host-2", "other", "")},
			vmOn("host-1", "vm-1", called), vmOn("host-2", "vm-2", called)))
		source := &capture.Source{Paths: []string{path}, ReadConfiguration: kept.read}
		s, err := source.Read(t.Context(), inventory.Targets{}, inventory.Needs{})
		if err != nil {
			return // no header of esxtop, or no host of that name
		}
		hosts, vms := 0, 0
		for _, v := range s.VCenters {
			for _, h := range v.Hosts {
				if len(h.Live) > 0 {
					hosts++
				}
			}
			for _, x := range v.VMs {
				if len(x.Live) > 0 {
					vms++
					require.NotNil(t, x.Host())
					require.NotEmpty(t, x.Host().Live, "%s was measured, its host was not", x.ID)
				}
			}
		}
		require.LessOrEqual(t, hosts, 1)
		require.LessOrEqual(t, vms, 1)
	})
}
