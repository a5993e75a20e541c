package advice_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

func nic(mbps int64, uplink bool) *inventory.PNIC {
	return &inventory.PNIC{Device: "vmnic0", LinkMbps: inventory.Known(mbps), Uplink: inventory.Known(uplink)}
}

func TestHostProfiles(t *testing.T) {
	on, off := inventory.Known(true), inventory.Known(false)
	for name, c := range map[string]struct {
		nics []*inventory.PNIC
		vsan inventory.Fact[bool]
		want advice.Profile
		why  string
	}{
		"fast uplink":             {[]*inventory.PNIC{nic(40000, true)}, off, advice.ProfileNetwork, "uplink vmnic0 is up at 40 Gb/s"},
		"fast NIC without switch": {[]*inventory.PNIC{nic(100000, false)}, off, advice.ProfileGeneral, "no uplink of 40 Gb/s or more, vSAN off"},
		"25 GbE":                  {[]*inventory.PNIC{nic(25000, true)}, off, advice.ProfileGeneral, "no uplink of 40 Gb/s or more, vSAN off"},
		"vSAN":                    {[]*inventory.PNIC{nic(10000, true)}, on, advice.ProfileVSAN, "vSAN is on"},
		"vSAN and fast uplink":    {[]*inventory.PNIC{nic(40000, true)}, on, advice.ProfileNetwork, "uplink vmnic0 is up at 40 Gb/s"},
		"vSAN not read":           {[]*inventory.PNIC{nic(10000, true)}, inventory.Fact[bool]{}, advice.ProfileGeneral, "uplinks or vSAN state were not read"},
		"speed not read":          {[]*inventory.PNIC{{Device: "vmnic0"}}, off, advice.ProfileGeneral, "uplinks or vSAN state were not read"},
	} {
		t.Run(name, func(t *testing.T) {
			h := &inventory.Host{PNICs: inventory.Known(c.nics), VSAN: c.vsan}
			p, why := advice.ProfileOf(h)
			require.Equal(t, c.want, p)
			require.Equal(t, c.why, why)
		})
	}
	p, why := advice.ProfileOf(new(inventory.Host))
	require.Equal(t, advice.ProfileGeneral, p)
	require.Equal(t, "uplinks or vSAN state were not read", why)
}

func TestVMProfiles(t *testing.T) {
	for name, c := range map[string]struct {
		level string
		vcpus int64
		want  advice.Profile
	}{
		"level high":         {"high", 2, advice.ProfileLatency},
		"level high, wide":   {"high", 20, advice.ProfileLatency},
		"wider than a node":  {"normal", 15, advice.ProfileMonster},
		"as wide as a node":  {"normal", 14, advice.ProfileGeneral},
		"level medium, slim": {"medium", 2, advice.ProfileGeneral},
	} {
		t.Run(name, func(t *testing.T) {
			s := smallFleet()
			vm := s.VCenters[0].VMs[0]
			vm.LatencySensitivity, vm.VCPUs = inventory.Known(c.level), inventory.Known(c.vcpus)
			p, why := advice.ProfileOf(vm)
			require.Equal(t, c.want, p)
			require.NotEmpty(t, why)
			nics, _ := vm.VNICs.Value()
			device, _ := advice.ProfileOf(nics[0])
			require.Equal(t, c.want, device, "a device has the profile of its VM")
		})
	}
	p, why := advice.ProfileOf(new(inventory.VM))
	require.Equal(t, advice.ProfileGeneral, p)
	require.Contains(t, why, "were not read")
}
