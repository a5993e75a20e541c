package advice

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
)

// TestReleasesNewerThanTheTables: the host's own definitions decide. A finding that relies on a default of the table is
// unknown if the release has another default; all others are unchanged.
func TestReleasesNewerThanTheTables(t *testing.T) {
	set := ruleWithVendors(t, "memory/mem-large-pages.yaml")
	judge := func(version string, value, byDefault int64) (Finding, []string) {
		release, err := inventory.ParseVersion(version)
		require.NoError(t, err)
		own, one := inventory.LongValue(byDefault), inventory.LongValue(1)
		h := &inventory.Host{
			Entity: inventory.Entity{ID: "host-1", Name: "host-1"}, Kind: inventory.Known(inventory.HostPhysical), Version: inventory.Known(release),
			MemoryTiering: inventory.Known("noTiering"),
			Options: inventory.Known(map[string]inventory.Option{
				"Mem.AllocGuestLargePage":    {Value: inventory.LongValue(value), Default: &own},
				"LPage.LPageAlwaysTryForNPT": {Value: one, Default: &one},
				"Mem.ShareForceSalting":      {Value: inventory.LongValue(2), Default: &own},
			}),
		}
		s := &inventory.Snapshot{VCenters: []*inventory.VCenter{{Hosts: []*inventory.Host{h}}}}
		s.Link()
		result, err := Evaluate(t.Context(), s, set, Options{All: true})
		require.NoError(t, err)
		require.Len(t, result.Findings, 1)
		return *result.Findings[0], result.Warnings
	}
	f, warnings := judge("9.1.0", 0, 0)
	require.Equal(t, Unknown, f.Outcome)
	require.Equal(t, "Mem.AllocGuestLargePage", f.Gaps[0].Fact)
	require.Contains(t, f.Gaps[0].Reason, "release 9.1.0 is newer than vperf's option table, which ends at 9.0.1")
	require.Empty(t, f.Remedies)
	require.Equal(t, []string{"release 9.1.0 is newer than vperf's tables, which end at 9.0.1: the host's own definitions decide (on host host-1)"}, warnings)

	f, _ = judge("9.1.0", 0, 1)
	require.Equal(t, Fail, f.Outcome, "it is not at the host's own default")
	f, warnings = judge("9.0.1", 0, 0)
	require.Equal(t, Fail, f.Outcome)
	require.Empty(t, warnings)
}

// TestOptionTableOfTheUser: a release that the user imported is judged like a shipped one, except where the import left an
// option undecided.
func TestOptionTableOfTheUser(t *testing.T) {
	set := ruleWithVendors(t, "memory/mem-large-pages.yaml")
	own, one := inventory.LongValue(0), inventory.LongValue(1)
	h := &inventory.Host{
		Entity: inventory.Entity{ID: "host-1", Name: "host-1"}, Kind: inventory.Known(inventory.HostPhysical),
		Version: inventory.Known(inventory.Version{Major: 9, Minor: 1}), MemoryTiering: inventory.Known("noTiering"),
		Options: inventory.Known(map[string]inventory.Option{
			"Mem.AllocGuestLargePage":    {Value: own, Default: &own},
			"LPage.LPageAlwaysTryForNPT": {Value: one, Default: &one},
			"Mem.ShareForceSalting":      {Value: inventory.LongValue(2), Default: &own},
		}),
	}
	s := &inventory.Snapshot{VCenters: []*inventory.VCenter{{Hosts: []*inventory.Host{h}}}}
	s.Link()
	judge := func(defined map[string]inventory.OptionEra) (Finding, []string) {
		table, err := inventory.ShippedOptions().AddRelease("9.1.0", defined)
		require.NoError(t, err)
		result, err := Evaluate(t.Context(), s, set, Options{All: true, OptionTable: table})
		require.NoError(t, err)
		require.Len(t, result.Findings, 1)
		return *result.Findings[0], result.Warnings
	}
	f, warnings := judge(map[string]inventory.OptionEra{"Mem.AllocGuestLargePage": {Default: own}})
	require.Equal(t, Fail, f.Outcome)
	require.Empty(t, warnings)
	f, warnings = judge(nil)
	require.Equal(t, Unknown, f.Outcome)
	require.Contains(t, f.Gaps[0].Reason, "does not describe the option in release 9.1.0")
	require.Empty(t, warnings)
}
