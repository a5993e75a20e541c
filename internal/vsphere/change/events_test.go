package change

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

func TestPost(t *testing.T) {
	t.Parallel()
	s := estateOn(vspheretest.Fleet(t, "vcenter"))
	all, events := targets(t, s.Session), s.tuning().Events
	for _, name := range []string{"host01.demo.local", "web-01", "general", "batch", "dvs-lowlat", "san01"} {
		require.NoError(t, events.Post(t.Context(), all[name], "vperf changed\n"+strings.Repeat("x", 5000)), name)
	}
	require.Equal(t, 6, s.Calls()["LogUserEvent"])
	found, err := methods.QueryEvents(t.Context(), s, &types.QueryEvents{This: *s.Client().ServiceContent.EventManager, Filter: types.EventFilterSpec{
		Entity: &types.EventFilterSpecByEntity{Entity: vmRef(all["web-01"]), Recursion: types.EventFilterSpecRecursionOptionSelf},
	}})
	require.NoError(t, err)
	require.Len(t, found.Returnval, 1)
	event := found.Returnval[0].(*types.GeneralUserEvent)
	require.Equal(t, "vperf changed "+strings.Repeat("x", longestEvent-len("vperf changed "))+"…", event.Message)
	require.ErrorContains(t, events.Post(t.Context(), tuning.Target{Kind: inventory.ScopeSwitch, ID: "dvs-9", Name: "gone"}, "x"), "posting an event on gone: ")
	require.ErrorContains(t, events.Post(t.Context(), tuning.Target{Kind: inventory.ScopeLUN, Name: "naa.1"}, "x"), "vperf cannot change a lun")
}

func TestPostWithoutThePrivilege(t *testing.T) {
	t.Parallel()
	s := estateOn(vspheretest.Fleet(t, "vcenter", "denied-user"))
	err := s.tuning().Events.Post(t.Context(), targets(t, s.Session)["host02.demo.local"], "x")
	denied, ok := errors.AsType[*session.PermissionError](err)
	require.True(t, ok, err)
	require.Equal(t, "Global.LogEvent", denied.Privilege)
}

func TestOneLine(t *testing.T) {
	require.Equal(t, "a b", session.OneLine("a\nb", 10))
	require.Equal(t, strings.Repeat("é", 2000)+"…", session.OneLine(strings.Repeat("é", 2001), longestEvent))
}
