package advice_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// marked returns a cluster with one host and one VM. All facts are read, and there are no tags or attributes.
func marked() (c *inventory.Cluster, h *inventory.Host, vm *inventory.VM, s *inventory.Snapshot) {
	s = smallFleet()
	v := s.VCenters[0]
	c = new(inventory.Cluster)
	c.ID, c.Name, c.Path = "domain-c1", "gold", "/dc/host/gold"
	h, vm = v.Hosts[0], v.VMs[0]
	h.ClusterID = inventory.Known("domain-c1")
	v.Clusters, v.Hosts, v.VMs = []*inventory.Cluster{c}, []*inventory.Host{h}, []*inventory.VM{vm}
	for _, e := range []*inventory.Entity{&c.Entity, &h.Entity, &vm.Entity} {
		e.Tags, e.Attributes = inventory.Known([]string{}), inventory.Known(map[string]string{})
	}
	s.Link()
	return c, h, vm, s
}

func tag(e *inventory.Entity, tags ...string) { e.Tags = inventory.Known(tags) }

func attribute(e *inventory.Entity, name, value string) {
	e.Attributes = inventory.Known(map[string]string{name: value})
}

const automatic = "latency sensitivity is not high, fits a NUMA node"

// profileOfAdapter evaluates a rule about adapters: a device has the profile of its VM.
func profileOfAdapter(t *testing.T, s *inventory.Snapshot, o advice.Options) (advice.Profile, string, []string) {
	t.Helper()
	r := evaluate(t, s, o, "vnic-vmxnet3")
	require.Len(t, r.Findings, 1)
	return r.Findings[0].Profile, r.Findings[0].ProfileWhy, r.Warnings
}

func TestProfilesOfVMsByAssignment(t *testing.T) {
	web := advice.Assignment{Match: "WEB-*", Profile: advice.ProfileVDI, From: "config file, line 2"}
	tagged := advice.Assignment{Tag: "tier/*", Scope: inventory.ScopeVM, Profile: advice.ProfileDatabase, From: "config file, line 3"}
	hosts := advice.Assignment{Match: "*", Scope: inventory.ScopeHost, Profile: advice.ProfileNetwork, From: "config file, line 4"}
	const unread = "VM.tags was not read (no permission), and may set the profile; without it: "
	for name, c := range map[string]struct {
		mark    func(c *inventory.Cluster, h *inventory.Host, vm *inventory.VM)
		options advice.Options
		want    advice.Profile
		why     string
	}{
		"nothing": {nil, advice.Options{}, advice.ProfileGeneral, automatic},
		"category": {func(_ *inventory.Cluster, _ *inventory.Host, vm *inventory.VM) {
			tag(&vm.Entity, "a/b", "vperf.profile/latency")
		},
			advice.Options{}, advice.ProfileLatency, "tag vperf.profile"},
		"tag with a colon": {func(_ *inventory.Cluster, _ *inventory.Host, vm *inventory.VM) {
			tag(&vm.Entity, "ops/vPerf.Profile:Latency")
		}, advice.Options{}, advice.ProfileLatency, "tag vperf.profile"},
		"tag with an equals sign, category not read": {func(_ *inventory.Cluster, _ *inventory.Host, vm *inventory.VM) { tag(&vm.Entity, "vperf.profile=hpc") },
			advice.Options{}, advice.ProfileHPC, "tag vperf.profile"},
		"a tag that only begins so": {func(_ *inventory.Cluster, _ *inventory.Host, vm *inventory.VM) {
			tag(&vm.Entity, "ops/vperf.profiles", "ops/vperf.profile", "x/vperf.profile-hpc")
		}, advice.Options{}, advice.ProfileGeneral, automatic},
		"attribute beats tag and pattern": {func(_ *inventory.Cluster, _ *inventory.Host, vm *inventory.VM) {
			tag(&vm.Entity, "vperf.profile/latency")
			attribute(&vm.Entity, "vperf.profile", " HPC ")
		}, advice.Options{Assignments: []advice.Assignment{web}}, advice.ProfileHPC, "custom attribute vperf.profile"},
		"an attribute that was emptied": {func(_ *inventory.Cluster, _ *inventory.Host, vm *inventory.VM) {
			attribute(&vm.Entity, "vperf.profile", "")
		},
			advice.Options{}, advice.ProfileGeneral, automatic},
		"a flag beats all": {func(_ *inventory.Cluster, _ *inventory.Host, vm *inventory.VM) {
			attribute(&vm.Entity, "vperf.profile", "hpc")
		}, advice.Options{Profile: advice.ProfileVSAN, Assignments: []advice.Assignment{web}}, advice.ProfileVSAN, "asked for"},
		"a VM does not inherit from its host or cluster": {func(c *inventory.Cluster, h *inventory.Host, _ *inventory.VM) {
			tag(&c.Entity, "vperf.profile/latency")
			tag(&h.Entity, "vperf.profile/latency")
		}, advice.Options{Assignments: []advice.Assignment{hosts}}, advice.ProfileGeneral, automatic},
		"pattern over the name": {nil, advice.Options{Assignments: []advice.Assignment{hosts, web, tagged}}, advice.ProfileVDI, "WEB-* (config file, line 2)"},
		"pattern over the path": {nil, advice.Options{Assignments: []advice.Assignment{{Match: "/dc/vm/*", Profile: advice.ProfileVDI, From: "x"}}},
			advice.ProfileVDI, "/dc/vm/* (x)"},
		"pattern over a tag": {func(_ *inventory.Cluster, _ *inventory.Host, vm *inventory.VM) { tag(&vm.Entity, "tier/gold") },
			advice.Options{Assignments: []advice.Assignment{tagged, web}}, advice.ProfileDatabase, "vm, tag tier/* (config file, line 3)"},
		"name and tag": {nil, advice.Options{Assignments: []advice.Assignment{{Match: "web-*", Tag: "tier/gold", Profile: advice.ProfileVDI}}},
			advice.ProfileGeneral, automatic},
		"a word that is none": {func(_ *inventory.Cluster, _ *inventory.Host, vm *inventory.VM) {
			tag(&vm.Entity, "vperf.profile/latncy")
		},
			advice.Options{Assignments: []advice.Assignment{web}}, advice.ProfileGeneral, `tag vperf.profile is "latncy", which is not a profile; ` + automatic},
		"two words": {func(_ *inventory.Cluster, _ *inventory.Host, vm *inventory.VM) {
			tag(&vm.Entity, "vperf.profile/latency", "vperf.profile/hpc", "x/vperf.profile=hpc")
		}, advice.Options{}, advice.ProfileGeneral, "tag vperf.profile names several profiles, hpc and latency; " + automatic},
		"tags not read": {func(_ *inventory.Cluster, _ *inventory.Host, vm *inventory.VM) {
			vm.Tags = inventory.Unread[[]string]("no permission")
		}, advice.Options{}, advice.ProfileUnknown, unread + automatic},
		"attributes not read, a tag would decide": {func(_ *inventory.Cluster, _ *inventory.Host, vm *inventory.VM) {
			tag(&vm.Entity, "vperf.profile/latency")
			vm.Attributes = inventory.Fact[map[string]string]{}
		}, advice.Options{}, advice.ProfileUnknown, "VM.attributes was not read (not read), and may set the profile; without it: tag vperf.profile"},
		"tags not read, a pattern over names would decide": {func(_ *inventory.Cluster, _ *inventory.Host, vm *inventory.VM) {
			vm.Tags = inventory.Unread[[]string]("no permission")
		}, advice.Options{Assignments: []advice.Assignment{tagged, web}}, advice.ProfileUnknown, unread + "WEB-* (config file, line 2)"},
		"a category not read, a pattern over names would decide": {func(_ *inventory.Cluster, _ *inventory.Host, vm *inventory.VM) { tag(&vm.Entity, "gold") },
			advice.Options{Assignments: []advice.Assignment{tagged, web}}, advice.ProfileUnknown,
			"VM.tags was not read (the category of a tag was not read), and may set the profile; without it: WEB-* (config file, line 2)"},
		"a category not read that makes no difference": {func(_ *inventory.Cluster, _ *inventory.Host, vm *inventory.VM) { tag(&vm.Entity, "gold") },
			advice.Options{Assignments: []advice.Assignment{tagged, {Match: "web-*", Profile: advice.ProfileDatabase, From: "x"}}}, advice.ProfileDatabase, "web-* (x)"},
		"an export has no tags": {func(_ *inventory.Cluster, _ *inventory.Host, vm *inventory.VM) {
			vm.Tags = inventory.Unread[[]string](inventory.NotInExport)
		}, advice.Options{}, advice.ProfileGeneral, automatic + "; not all tags and attributes were read"},
		"an attribute says it, no matter what else": {func(_ *inventory.Cluster, _ *inventory.Host, vm *inventory.VM) {
			attribute(&vm.Entity, "vperf.profile", "hpc")
			vm.Tags = inventory.Fact[[]string]{}
		}, advice.Options{}, advice.ProfileHPC, "custom attribute vperf.profile"},
		"none such on an ESXi host": {func(_ *inventory.Cluster, _ *inventory.Host, vm *inventory.VM) {
			vm.Tags, vm.Attributes = inventory.Absent[[]string](), inventory.Absent[map[string]string]()
		}, advice.Options{}, advice.ProfileGeneral, automatic},
	} {
		t.Run(name, func(t *testing.T) {
			cluster, h, vm, s := marked()
			if c.mark != nil {
				c.mark(cluster, h, vm)
			}
			p, why, _ := profileOfAdapter(t, s, c.options)
			require.Equal(t, c.want, p)
			require.Equal(t, c.why, why)
		})
	}
}

func TestAHostHasTheProfileOfItsCluster(t *testing.T) {
	c, h, _, s := marked()
	of := func() (advice.Profile, string) {
		r := evaluate(t, s, advice.Options{All: true}, "power-policy")
		return r.Findings[0].Profile, r.Findings[0].ProfileWhy
	}
	attribute(&c.Entity, "vperf.profile", "hpc")
	p, why := of()
	require.Equal(t, advice.ProfileHPC, p)
	require.Equal(t, "custom attribute vperf.profile of cluster gold", why)

	tag(&h.Entity, "vperf.profile/vdi")
	p, why = of()
	require.Equal(t, advice.ProfileVDI, p, "its own comes first")
	require.Equal(t, "tag vperf.profile", why)

	tag(&h.Entity)
	s.VCenters[0].Clusters = nil
	s.Link()
	p, why = of()
	require.Equal(t, advice.ProfileUnknown, p)
	require.Contains(t, why, "Host.clusterId was not read (its cluster was not read)", "an unread cluster may have any profile")

	h.ClusterID = inventory.Absent[string]()
	_, why = of()
	require.NotContains(t, why, "not all tags", "a standalone host has no cluster")
}

func TestAWordThatIsNoProfileIsWarnedOfOnce(t *testing.T) {
	_, h, vm, s := marked()
	tag(&vm.Entity, "vperf.profile/latncy")
	tag(&h.Entity, "vperf.profile/latncy")
	r := evaluate(t, s, advice.Options{}, "vnic-vmxnet3", "cpu-limit", "power-policy")
	require.Equal(t, []string{
		`tag vperf.profile: no profile "latncy" (did you mean "latency"?); there are general, latency, network, database, vdi, ` +
			`analytics, hpc, monster, vsan, power-saving; the automatic profile is used (on host host01, vm web-01)`,
	}, r.Warnings)
	require.Empty(t, evaluate(t, s, advice.Options{Profile: advice.ProfileHPC}, "cpu-limit").Warnings)
}

func TestNeedsOfProfiles(t *testing.T) {
	set, err := library(t).Select(advice.Selection{Rules: []string{"vnic-vmxnet3"}})
	require.NoError(t, err)
	needs := set.Needs(advice.Options{})
	require.True(t, needs.Any("VM.tags") && needs.Any("VM.attributes"))
	require.False(t, needs.Any("Host.tags", "Cluster.tags", "VNIC.tags"), "no rule here looks at hosts")
	require.False(t, set.Needs(advice.Options{Profile: advice.ProfileHPC}).Any("VM.tags", "VM.attributes"), "nobody asks")

	set, err = library(t).Select(advice.Selection{Rules: []string{"pnic-features", "numa-io"}})
	require.NoError(t, err)
	needs = set.Needs(advice.Options{})
	for _, fact := range []string{"Host.tags", "Host.attributes", "Host.clusterId", "Cluster.tags", "Cluster.attributes"} {
		require.True(t, needs.Any(fact), fact)
	}
}
