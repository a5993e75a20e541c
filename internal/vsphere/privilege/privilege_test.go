package privilege

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
)

// Each applicable kind of setting has privileges, and one role contains them.
func TestRolesHaveEveryPrivilege(t *testing.T) {
	for _, k := range inventory.SettingKinds() {
		require.Equal(t, k.Applicable(), len(k.Privileges()) > 0, k.Name)
		for _, p := range k.Privileges() {
			require.Contains(t, ToChange(OnVMs(k.Scope)), p, k.Name)
		}
	}
	for _, u := range OfRuns() {
		require.Contains(t, ToChange(OnVMs(u.Scope)), u.Privilege)
	}
}

func TestPrivilegesAreNames(t *testing.T) {
	for _, p := range slices.Concat(Reading(), ToChange(true), ToChange(false), []string{ServiceManagers}) {
		require.Regexp(t, `^[A-Z][A-Za-z]+(\.[A-Z][A-Za-z]+)+$`, p)
	}
}

// A caller that changes a list changes its own.
func TestListsAreCopies(t *testing.T) {
	policy, _ := inventory.LookupSetting("power-policy")
	policy.Kind.Privileges()[0] = "x"
	OfRuns()[0].Privilege = "x"
	require.NotContains(t, ToChange(false), "x")
	require.NotContains(t, ToChange(true), "x")
}
