package read

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
)

// TestSnapshotSizesOfTheDemoFleet: the sizes are those configured in the fleet, and take one more retrieval, of those VMs only.
func TestSnapshotSizesOfTheDemoFleet(t *testing.T) {
	t.Parallel()
	session := vspheretest.Demo(t)
	sizes := func(facts ...string) (map[string]int64, int) {
		before := session.Calls()["RetrievePropertiesEx"]
		vc, err := Inventory(t.Context(), session, tree.Scope{}, vspheretest.NeedsOf(facts...), nil)
		require.NoError(t, err)
		all := map[string]int64{}
		for _, v := range vc.VMs {
			if size, known := v.SnapshotBytes.Value(); known && size > 0 {
				all[v.Name] = size
			}
		}
		return all, session.Calls()["RetrievePropertiesEx"] - before
	}
	none, calls := sizes("VM.snapshots")
	require.Empty(t, none)
	require.Equal(t, 2, calls)
	got, calls := sizes("VM.snapshotBytes")
	require.Equal(t, 3, calls)
	const desktopParent = "cp-replica-3f9a5c20-7d1e-4b86-9a42-0c5e8f6b1d37"
	const gb, vmsn = int64(1 << 30), int64(32 << 10)
	require.Equal(t, map[string]int64{"web-03": gb + vmsn, "app-build-01": 68*gb + 5*vmsn, "app-legacy-01": 14*gb + vmsn, "tmpl-rhel9": gb + vmsn, desktopParent: gb + vmsn}, got)
}
