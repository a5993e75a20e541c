package read

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
)

// TestNoDocumentsAmongReasons: a host's refusal is reported as text, never as the XML it came in.
func TestNoDocumentsAmongReasons(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.Recorded(t), nil).Dial(t)
	needs := inventory.Everything()
	vc, err := Inventory(t.Context(), s, tree.Scope{}, needs, nil)
	require.NoError(t, err)
	require.NoError(t, Fill(t.Context(), s, vc.Hosts, needs, nil))
	reasons := vspheretest.Gaps(vc)
	require.Contains(t, reasons, "lun.OutstandingIOs: esxcli storage core device list: not found: The object or item referred to could not be found.")
	for _, reason := range reasons {
		require.NotContains(t, reason, "<")
	}
}
