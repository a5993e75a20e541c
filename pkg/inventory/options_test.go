package inventory

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOptionTableParses(t *testing.T) {
	table, err := ParseOptionTable(optionText)
	require.NoError(t, err)
	require.Len(t, table.releases, 20)
	require.Len(t, table.keys, 171)
	for _, key := range table.keys {
		d := table.byKey[key]
		for _, release := range table.releases {
			e, ok := d.At(release)
			require.True(t, ok, "%s says nothing of %s", key, release)
			if !e.Absent {
				require.Equal(t, d.Type, e.Default.Type, "%s changes its type in %s", key, release)
			}
		}
	}
}

// TestOptionTraps: mistakes that follow from outdated books.
func TestOptionTraps(t *testing.T) {
	most := func(key, release string) int64 {
		d, ok := LookupOption(key)
		require.True(t, ok, key)
		e, ok := d.At(release)
		require.True(t, ok)
		require.NotNil(t, e.Max, key)
		return *e.Max
	}
	def := func(key, release string) string {
		d, _ := LookupOption(key)
		e, _ := d.At(release)
		if e.Absent {
			return "absent"
		}
		return e.Default.Text
	}
	require.EqualValues(t, 200, most("Net.NetNetqNumaIOCpuPinThreshold", "6.5U2"))
	require.EqualValues(t, 60, most("Net.NetNetqNumaIOCpuPinThreshold", "6.7"))
	require.EqualValues(t, 60, most("Net.NetNetqNumaIOCpuPinThreshold", "9.0.1"))
	require.EqualValues(t, 32, most("Migrate.VMotionStreamHelpers", "7.0U1"))
	require.EqualValues(t, 112, most("Migrate.VMotionStreamHelpers", "7.0U2"))
	require.Equal(t, "2", def("Mem.ShareForceSalting", "8.0"))
	require.Equal(t, "130", def("Numa.LocalityWeightActionAffinity", "9.0.0"))
	require.Equal(t, "absent", def("Power.CpuPolicy", "7.0U3r"))
	require.Equal(t, "Balanced", def("Power.CpuPolicy", "8.0"))
	require.Equal(t, "absent", def("Misc.EnablePSPLatencyPolicy", "9.0.0"))
	require.Equal(t, "1000", def("Power.CStateMaxLatency", "8.0U3"))
	_, ok := LookupOption("Disk.SchedNumReqOutstanding")
	require.False(t, ok, "a setting of each device since 5.5, an option of none")
	_, ok = LookupOption("net.netnetqnumaiocpupinthreshold")
	require.False(t, ok, "keys are case-sensitive")
	d, _ := LookupOption("CBRC.Enable")
	require.Equal(t, TypeBool, d.Type)
	_, ok = d.At("5.5")
	require.False(t, ok)
}

func TestOptionTableRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"releases  6.0 7.0\nA.B  6.0: 1 [0..1]; 9.9: 2": `line 2: A.B: no release "9.9"`,
		"releases  6.0\nA.B  all: 1 [0..x]":             `line 2: A.B: "1 [0..x]": want DEFAULT`,
		"releases  6.0\nA.B  all: off [0..1]":           "want DEFAULT [MIN..MAX] in whole numbers",
		"releases  6.0\nA.B  6.0":                       "want FROM-TO",
		"releases  6.0\nA.B  all: 1\nA.B  all: 1":       "line 3: A.B is duplicated",
	} {
		_, err := ParseOptionTable(text)
		require.ErrorContains(t, err, want, text)
	}
}

func TestTuningOptions(t *testing.T) {
	for key, want := range map[string]bool{
		"Net.UseHwTSO": true, "Misc.EnablePSPLatencyPolicy": true, "VMkernel.Boot.hyperthreading": true, "Numa.PreferHT": true,
		"Misc.HostName": false, "Migrate.Vmknic": false, "FT.Vmknic": false, "Net.DVFilterBindIpAddress": false, // the identity of the host
		"Power.CpuPolicy":       false, // duplicates the power policy on all releases
		"Syslog.global.logHost": false, "UserVars.SuppressShellWarning": false, "Annotations.WelcomeMessage": false, "": false,
	} {
		require.Equal(t, want, TuningOption(key), key)
	}
}
