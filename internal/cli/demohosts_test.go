package cli

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet"
)

// serveDemo is the demo's vCenter as the server that the environment names.
func serveDemo(t *testing.T) {
	t.Helper()
	serveFleet(t, simfleet.Config{})
}

func serveFleet(t *testing.T, cfg simfleet.Config) {
	t.Helper()
	fleet, err := simfleet.Start(cfg)
	require.NoError(t, err)
	t.Cleanup(fleet.Close)
	ownHome(t)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(ca, fleet.CertificatePEM(), 0o600))
	t.Setenv("GOVC_URL", fleet.URL().String())
	t.Setenv("GOVC_USERNAME", fleet.User())
	t.Setenv("GOVC_PASSWORD", fleet.Password())
	t.Setenv("GOVC_TLS_CA_CERTS", ca)
}

// savedDemo is the demo's vCenter as a user saves it.
func savedDemo(t *testing.T) []byte {
	t.Helper()
	serveDemo(t)
	file := filepath.Join(t.TempDir(), "demo.json")
	code, _, stderr := vperf(t, "snapshot", "--out", file)
	require.Equal(t, 0, code, stderr)
	text, err := os.ReadFile(filepath.Clean(file))
	require.NoError(t, err)
	return text
}

// savedHosts are the hosts of the demo's vCenter as the file has them.
func savedHosts(t *testing.T) []any {
	t.Helper()
	var saved struct {
		VCenters []struct{ Hosts []any }
	}
	require.NoError(t, json.Unmarshal(savedDemo(t), &saved))
	return saved.VCenters[0].Hosts
}

// unreadIn gathers why facts in a part of a snapshot are unread.
func unreadIn(part any, why map[string]bool) {
	switch x := part.(type) {
	case []any:
		for _, v := range x {
			unreadIn(v, why)
		}
	case map[string]any:
		if reason, ok := x["$unread"].(string); ok {
			why[reason] = true
		}
		for _, v := range x {
			unreadIn(v, why)
		}
	}
}

// TestDemoHostsAreReadWhole: the unread facts of the demo's hosts are those that cannot be read.
func TestDemoHostsAreReadWhole(t *testing.T) {
	hosts := savedHosts(t)
	why := map[string]bool{}
	unreadIn(hosts, why)
	require.Equal(t, []string{
		"driver nmlx5_core leaves RSS to a default that is not known",
		"it takes a call to the host", // facts that Fill does not read yet, and those of NICs without traffic
		"the host does not report whether the disk is perennially reserved",
		"the host lists no PCI devices by NUMA node",
		"which option of driver icen turns RSS on is not known",
		"which option of driver igbn turns RSS on is not known",
		"which option of driver ixgbe turns RSS on is not known",
		"which option of driver ixgben turns RSS on is not known",
	}, slices.Sorted(maps.Keys(why)))
	off := map[string]any{}
	for _, h := range hosts {
		host := h.(map[string]any)
		off[host["name"].(string)] = host["offDefault"]
	}
	require.Equal(t, []any{
		"LSOM.enableLargeWb", "Net.NetSchedHClkMQ", "Power.CStateMaxLatency", "Power.MaxFreqPct", "Power.UseCStates",
		"VSAN.ClomRebalanceThreshold", "VSAN.ObjectScrubsPerYear",
	}, off["host10.demo.local"])
	require.Empty(t, off["host06.demo.local"], "the clean reference")
}
