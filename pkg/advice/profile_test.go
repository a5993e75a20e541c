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
		"vSAN not read":           {[]*inventory.PNIC{nic(10000, true)}, inventory.Fact[bool]{}, advice.ProfileUnknown, "uplinks or vSAN state were not read"},
		"speed not read":          {[]*inventory.PNIC{{Device: "vmnic0"}}, off, advice.ProfileUnknown, "uplinks or vSAN state were not read"},
		"vSAN, speed not read":    {[]*inventory.PNIC{{Device: "vmnic0"}}, on, advice.ProfileUnknown, "uplinks or vSAN state were not read"},
		"no uplink, any speed": {[]*inventory.PNIC{{Device: "vmnic0", Uplink: inventory.Known(false)}}, off, advice.ProfileGeneral,
			"no uplink of 40 Gb/s or more, vSAN off"},
		"too slow, perhaps an uplink": {[]*inventory.PNIC{{Device: "vmnic0", LinkMbps: inventory.Known(int64(10000))}}, off, advice.ProfileGeneral,
			"no uplink of 40 Gb/s or more, vSAN off"},
		"without a link": {[]*inventory.PNIC{{Device: "vmnic0", Uplink: inventory.Known(true), LinkMbps: inventory.Absent[int64]()}}, off, advice.ProfileGeneral,
			"no uplink of 40 Gb/s or more, vSAN off"},
	} {
		t.Run(name, func(t *testing.T) {
			h := &inventory.Host{PNICs: inventory.Known(c.nics), VSAN: c.vsan}
			p, why := advice.ProfileOf(h)
			require.Equal(t, c.want, p)
			require.Equal(t, c.why, why)
		})
	}
	p, why := advice.ProfileOf(new(inventory.Host))
	require.Equal(t, advice.ProfileUnknown, p)
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
	require.Equal(t, advice.ProfileUnknown, p)
	require.Contains(t, why, "were not read")
}

// TestUnknownProfile evaluates rules on a host whose uplinks are unread: it may be general or network, but not hpc.
func TestUnknownProfile(t *testing.T) {
	s := smallFleet()
	s.VCenters[0].Hosts = s.VCenters[0].Hosts[:1]
	h := s.VCenters[0].Hosts[0]
	h.PNICs, h.VSAN = inventory.Unread[[]*inventory.PNIC]("no answer"), inventory.Known(false)
	rule := func(id, more string) string {
		return "id: " + id + "\ntitle: T.\ncategory: cpu\nscope: host\nseverity: low\nwhy: W.\n" + more
	}
	set := rulesOf(t, advice.Selection{},
		rule("of-another", "applies: profile == \"hpc\"\nwant: false\n"),
		rule("of-one", "applies: profile == \"network\"\nwant: false\n"),
		rule("of-all", "want: false\nprofiles: {general: medium, network: high}\n"),
		rule("same-answer", "want: |-\n  host.cores > (profile == \"network\" ? 1 : 0)\n"),
		rule("other-answer", "want: |-\n  host.cores > (profile == \"network\" ? 1000 : 0)\n"),
		rule("excepts-one", "want: profile != \"network\"\n"),
		rule("unread-too", "want: profile != \"network\" && host.powerPolicy == \"static\"\n"),
	)
	h.PowerPolicy = inventory.Unread[string]("no permission")
	r, err := advice.Evaluate(t.Context(), s, set, advice.Options{All: true})
	require.NoError(t, err)
	outcomes, gaps := map[string]advice.Outcome{}, map[string][]string{}
	for _, f := range r.Findings {
		require.Equal(t, advice.ProfileUnknown, f.Profile)
		require.Contains(t, f.ProfileWhy, "uplinks or vSAN state were not read")
		outcomes[f.Rule.ID] = f.Outcome
		for _, g := range f.Gaps {
			gaps[f.Rule.ID] = append(gaps[f.Rule.ID], g.Fact+": "+g.Reason)
		}
		if f.Rule.ID == "of-all" {
			require.Equal(t, advice.Medium, f.Severity)
		}
	}
	require.Equal(t, map[string]advice.Outcome{
		"of-another": advice.NotApplicable, "of-one": advice.Unknown, "of-all": advice.Fail, "same-answer": advice.Pass, "other-answer": advice.Unknown,
		"excepts-one": advice.Unknown, "unread-too": advice.Unknown,
	}, outcomes)
	const uplinks = "Host.pnics: no answer"
	require.Equal(t, map[string][]string{
		"of-one": {uplinks}, "other-answer": {uplinks}, "excepts-one": {uplinks}, "unread-too": {uplinks, "Host.powerPolicy: no permission"},
	}, gaps)
	_, err = advice.ParseProfile(string(advice.ProfileUnknown))
	require.Error(t, err)
}
