package vsphere

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

func TestPost(t *testing.T) {
	t.Parallel()
	s := fleet(t, "vcenter")
	all, events := targets(t, s), s.Estate().Events
	for _, name := range []string{"host01.demo.local", "web-01", "general", "batch", "dvs-lowlat", "san01"} {
		require.NoError(t, events.Post(t.Context(), all[name], "vperf changed\n"+strings.Repeat("x", 5000)), name)
	}
	require.Equal(t, 6, s.Calls()["LogUserEvent"])
	require.ErrorContains(t, events.Post(t.Context(), tuning.Target{Kind: inventory.ScopeSwitch, ID: "dvs-9", Name: "gone"}, "x"), "posting an event on gone: ")
	require.ErrorContains(t, events.Post(t.Context(), tuning.Target{Kind: inventory.ScopeLUN, Name: "naa.1"}, "x"), "vperf changes nothing of a lun")
}

func TestOneLine(t *testing.T) {
	require.Equal(t, "a b", oneLine("a\nb", 10))
	require.Equal(t, strings.Repeat("é", 2000)+"…", oneLine(strings.Repeat("é", 2001), longestEvent))
}
