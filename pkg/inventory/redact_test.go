package inventory

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRedact(t *testing.T) {
	s := fleet()
	v := s.VCenters[0]
	v.Hosts[1].Unread = "on node-b.lab.example.com (192.0.2.12), which does not respond"
	v.NoTime = "reading the clock of esx-a.example.com"
	v.Hosts[0].PowerPolicy = Unread[string]("esx-a.example.com says no")
	v.Hosts[0].PNICs = Known([]*PNIC{{Device: "vmnic0", Switch: Known("dvs-prod"), Driver: Unread[string]("asked esx-a.example.com")}})
	v.Switches = []*Switch{{Entity: Entity{ID: "dvs-1", Name: "dvs-prod", Path: "/dc/network/dvs-prod"}, Kind: SwitchDistributed, HostIDs: Known([]string{"host-1"})}}
	v.VMs[0].Snapshots = Known([]*SnapshotPoint{{Name: "before Project X", Created: time.Unix(0, 0).UTC(), Depth: 1}})
	s.Link()
	out, err := Redact(s)
	require.NoError(t, err)

	var b bytes.Buffer
	require.NoError(t, Save(&b, out))
	for _, secret := range []string{"example.com", "192.0.2.", "web-0", "esx-a", "twin", "Project X", "dvs-prod", "uuid", "2001:db8::1\""} {
		require.NotContains(t, b.String(), secret)
	}
	require.Equal(t, "web-01", s.VCenters[0].VMs[0].Name, "the original is unchanged")

	h := out.VCenters[0].Hosts[0]
	require.Equal(t, "host-id-1", h.ID)
	require.Equal(t, "/folder-1/host/cluster-1/host-1", h.Path, "the tree keeps its shape")
	require.Equal(t, h, out.VCenters[0].VMs[0].Host(), "ids still lead where they led")
	require.Equal(t, h.Cluster(), out.VCenters[0].Clusters[0])
	nics, _ := h.PNICs.Value()
	require.Equal(t, Known(out.VCenters[0].Switches[0].Name), nics[0].Switch, "one name, one pseudonym")
	_, _, reason := h.PowerPolicy.Get()
	require.Equal(t, h.Name+" says no", reason)
	_, _, reason = nics[0].Driver.Get()
	require.Equal(t, "asked "+h.Name, reason)
	require.True(t, strings.HasPrefix(out.VCenters[0].Hosts[1].Unread, "on dns-name-"))

	again, err := Redact(s)
	require.NoError(t, err)
	require.Equal(t, out, again)
}

// TestRedactMarks: other tags and attributes are replaced; those for vperf are kept.
func TestRedactMarks(t *testing.T) {
	s := fleet()
	v := s.VCenters[0].VMs[0]
	v.Tags = Known([]string{"customer/Initech", "vperf.profile/latency"})
	v.Attributes = Known(map[string]string{"vperf.profile": "database", "vperf.waive": "lro until 2027-01-31 agreed for web-01"})
	s.VCenters[0].Hosts[0].Tags = Unread[[]string]("no REST at esx-a.example.com")
	out, err := Redact(s)
	require.NoError(t, err)
	vm := out.VCenters[0].VMs[0]
	require.Equal(t, Known([]string{"tag-1", "vperf.profile/latency"}), vm.Tags)
	require.Equal(t, Known(map[string]string{"vperf.profile": "database", "vperf.waive": "lro until 2027-01-31 agreed for " + vm.Name}), vm.Attributes)
	_, _, reason := out.VCenters[0].Hosts[0].Tags.Get()
	require.Equal(t, "no REST at "+out.VCenters[0].Hosts[0].Name, reason)
}
