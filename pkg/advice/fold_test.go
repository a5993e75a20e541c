package advice_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// symptomOf is a rule that finds something in an object whose counter is above 20.
func symptomOf(id, scope, metric string, more ...string) string {
	return fmt.Sprintf("id: %s\ntitle: T\ncategory: monitoring\nscope: %s\nseverity: high\nwant: '%s.live(\"%s\").p95 <= 20.0'\nwhy: W.\n%s",
		id, scope, scope, metric, strings.Join(append(more, ""), "\n"))
}

// causeOf is a diagnosis of a symptom of objects of a scope.
func causeOf(id, symptom, scope, condition string, more ...string) string {
	return strings.NewReplacer("scope: vm", "scope: "+scope, "[ready]", "["+symptom+"]").Replace(because(id, condition, more...))
}

var (
	slowDevice = symptomOf("slow-device", "lun", "disk.deviceLatency", "lost: '2.0'")
	slowHost   = symptomOf("slow-host", "host", "disk.deviceLatency", "lost: '4.0'")
	blocked    = symptomOf("blocked", "vm", "cpu.vmWait", "lost: '8.0'")
	shallow    = "id: shallow\ntitle: T\ncategory: storage\nscope: lun\nseverity: medium\nwant: lun.queueDepth > 8\nwhy: W.\n"

	byArray = causeOf("by-array", "slow-device", "lun", "true", "effort: low")
	byHost  = causeOf("by-host", "slow-host", "host", `findings["shallow"]`, "fixes: [shallow]", "follows: [by-array]", "effort: high")
	byDisks = causeOf("by-disks", "blocked", "vm", "true", "follows: [by-own, by-host, by-array]")
	byOwn   = causeOf("by-own", "sleepy", "vm", `vm.vcpus > 4`)
	sleepy  = symptomOf("sleepy", "vm", "cpu.ready", "lost: '16.0'")
	storing = []string{slowDevice, slowHost, blocked, shallow, byArray, byHost}
)

func worse(metric string) inventory.Live {
	return inventory.NewLive(map[string]inventory.Series{metric: {Median: 30, P95: 30, Worst: 30, Mean: 30, Samples: 9}})
}

// slow is two hosts of two disks each; the first disk of the first host is slow, and three VMs run on each host: with files
// on the first disk, on the second, and nobody knows where. All of the first host are blocked.
func slow() *inventory.Snapshot {
	v := &inventory.VCenter{Kind: inventory.EndpointVCenter}
	v.ID, v.Name = "uuid", "vc"
	for h := range 2 {
		x := &inventory.Host{ClusterID: inventory.Absent[string](), PNICs: inventory.Known([]*inventory.PNIC{})}
		x.ID, x.Name = fmt.Sprintf("host-%d", h), fmt.Sprintf("host%d", h)
		var luns []*inventory.LUN
		for n := range 2 {
			luns = append(luns, &inventory.LUN{Device: fmt.Sprintf("naa.%d%d", h, n), QueueDepth: inventory.Known(int64(4))})
			d := &inventory.Datastore{
				HostIDs: inventory.Known([]string{x.ID}), Extents: inventory.Known([]string{luns[n].Device}),
			}
			d.ID, d.Name = fmt.Sprintf("ds-%d%d", h, n), fmt.Sprintf("ds%d%d", h, n)
			v.Datastores = append(v.Datastores, d)
		}
		x.LUNs = inventory.Known(luns)
		for n := range 3 {
			vm := &inventory.VM{
				HostID: inventory.Known(x.ID), PowerState: inventory.Known("poweredOn"), VCPUs: inventory.Known(int64(2)),
				VNICs: inventory.Known([]*inventory.VNIC{}),
			}
			if n < 2 {
				vm.Disks = inventory.Known([]*inventory.VDisk{{Label: "d", DatastoreID: inventory.Known(fmt.Sprintf("ds-%d%d", h, n))}})
			}
			vm.ID, vm.Name = fmt.Sprintf("vm-%d%d", h, n), fmt.Sprintf("vm%d%d", h, n)
			if h == 0 {
				vm.Live = worse("cpu.vmWait")
			}
			v.VMs = append(v.VMs, vm)
		}
		if h == 0 {
			x.Live, luns[0].Live = worse("disk.deviceLatency"), worse("disk.deviceLatency")
		}
		v.Hosts = append(v.Hosts, x)
	}
	s := &inventory.Snapshot{Schema: inventory.SnapshotSchema, VCenters: []*inventory.VCenter{v}}
	s.Link()
	return s
}

// folded describes the parts of each recommendation.
func folded(a *advice.Advice) []string {
	var lines []string
	for _, r := range a.Recommendations {
		var of []string
		for _, d := range r.Diagnoses {
			of = append(of, d.Finding.Rule.ID+" "+d.Finding.Object.Name)
		}
		lost, _ := r.Impact.Lost.Value()
		lines = append(lines, fmt.Sprintf("%s %s (%s): %d objects, %d VMs, %.0f lost, %d fixes, %s",
			r.Rule.ID, r.Object.Name, strings.Join(of, ", "), r.Impact.Objects, r.Impact.VMs, lost, len(r.Findings), r.Effort))
	}
	return lines
}

func TestWhatFollowsIsPartOfIt(t *testing.T) {
	const three = "shallow  (): 3 objects, 3 VMs, 0 lost, 3 fixes, "
	alone := strings.Replace(byHost, "follows: [by-array]\n", "", 1)
	for name, c := range map[string]struct {
		rules []string
		with  func(v *inventory.VCenter)
		want  []string
	}{
		"nothing follows": {[]string{slowDevice, slowHost, shallow, byArray, alone}, nil, []string{
			"by-host host0 (by-host host0): 1 objects, 3 VMs, 4 lost, 2 fixes, high",
			"by-array host0/naa.00 (by-array host0/naa.00): 1 objects, 1 VMs, 2 lost, 0 fixes, low",
			"shallow  (): 2 objects, 2 VMs, 0 lost, 2 fixes, ",
		}},
		"a host follows its device, from which not all its VMs suffer": {storing, nil, []string{
			"by-array host0/naa.00 (by-array host0/naa.00, by-host host0): 2 objects, 1 VMs, 6 lost, 1 fixes, low", three,
		}},
		"the device is not to blame": {storing, func(v *inventory.VCenter) {
			luns, _ := v.Hosts[0].LUNs.Value()
			luns[0].Live = nil
		}, []string{
			"by-host host0 (by-host host0): 1 objects, 3 VMs, 4 lost, 2 fixes, high", "shallow  (): 2 objects, 2 VMs, 0 lost, 2 fixes, ",
		}},
		"a device of another host": {storing, func(v *inventory.VCenter) { v.Hosts[0].Live, v.Hosts[1].Live = nil, v.Hosts[0].Live }, []string{
			"by-host host1 (by-host host1): 1 objects, 3 VMs, 4 lost, 2 fixes, high",
			"by-array host0/naa.00 (by-array host0/naa.00): 1 objects, 1 VMs, 2 lost, 0 fixes, low",
			"shallow  (): 2 objects, 2 VMs, 0 lost, 2 fixes, ",
		}},
		"VMs follow the host, and that its device": {append([]string{blocked, byDisks, byOwn, sleepy}, storing...), nil, []string{
			"by-array host0/naa.00 (by-array host0/naa.00, by-disks vm00, by-disks vm01, by-disks vm02, by-host host0): 5 objects, 3 VMs, 30 lost, 1 fixes, low", three,
		}},
		"a device follows its host": {[]string{slowDevice, slowHost, shallow, strings.Replace(byArray, "effort: low", "follows: [by-host]", 1), alone}, nil, []string{
			"by-host host0 (by-host host0, by-array host0/naa.00): 2 objects, 3 VMs, 6 lost, 2 fixes, high", "shallow  (): 2 objects, 2 VMs, 0 lost, 2 fixes, ",
		}},
		"VMs that may use the device follow it": {append([]string{blocked, byDisks, byOwn, sleepy}, storing...),
			func(v *inventory.VCenter) { v.Hosts[0].Live = worse("cpu.load") }, []string{
				"by-array host0/naa.00 (by-array host0/naa.00, by-disks vm00, by-disks vm02): 3 objects, 2 VMs, 18 lost, 0 fixes, low",
				"by-disks vm01 (by-disks vm01): 1 objects, 1 VMs, 8 lost, 0 fixes, ",
				"shallow  (): 4 objects, 4 VMs, 0 lost, 4 fixes, ",
			}},
		"the likeliest of those around, not that of a neighbour": {append([]string{blocked, byDisks, byOwn, sleepy}, storing...), func(v *inventory.VCenter) {
			v.VMs[1].VCPUs = inventory.Known(int64(8))
			v.VMs[1].Live.Set("cpu.ready", worse("cpu.ready").Of("cpu.ready"))
			v.Hosts[0].Live = nil
		}, []string{
			"by-own vm01 (by-own vm01, by-disks vm01): 1 objects, 1 VMs, 24 lost, 0 fixes, ",
			"by-array host0/naa.00 (by-array host0/naa.00, by-disks vm00, by-disks vm02): 3 objects, 2 VMs, 18 lost, 0 fixes, low",
			"shallow  (): 4 objects, 4 VMs, 0 lost, 4 fixes, ",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := slow()
			if c.with != nil {
				c.with(s.VCenters[0])
				s.Link()
			}
			require.Equal(t, c.want, folded(advise(t, s, c.rules...)))
		})
	}
}

// TestWhatAProofNamesIsNotAdvisedAgain: findings that a proof names are part of the chain, not further recommendations,
// unless they are at another object.
func TestWhatAProofNamesIsNotAdvisedAgain(t *testing.T) {
	// The expected benefit belongs to the cause, not to its consequence.
	promising := strings.Replace(byHost, "effort: high", "benefit: [{text: a lot}]", 1)
	require.Len(t, advise(t, slow(), slowHost, shallow, slowDevice, byArray, strings.Replace(promising, "follows: [by-array]\n", "", 1)).Recommendations[0].Benefits, 1)
	require.Empty(t, advise(t, slow(), slowHost, shallow, slowDevice, byArray, promising).Recommendations[0].Benefits)

	named := strings.Replace(byHost, "fixes: [shallow]\nfollows: [by-array]\n", "", 1)
	require.Equal(t, []string{
		"by-host host0 (by-host host0): 1 objects, 3 VMs, 4 lost, 0 fixes, high", "shallow  (): 2 objects, 2 VMs, 0 lost, 2 fixes, ",
	}, folded(advise(t, slow(), slowHost, shallow, named)))
}

// TestWhatOnlyLoadCallsFor: a fix needed only under load is not recommended if the measured load does not call for it.
func TestWhatOnlyLoadCallsFor(t *testing.T) {
	set := "id: settings\ntitle: T\ncategory: storage\nscope: host\nseverity: medium\nwant: host.cores > 8\nwhy: W.\n"
	only := func(condition string) string {
		return causeOf("by-load", "slow-host", "host", condition, "fixes: [a-more, settings]", "only: true")
	}
	more := strings.NewReplacer("id: settings", "id: a-more", "medium", "low").Replace(set)
	const both, other = "settings  (): 2 objects, 6 VMs, 0 lost, 2 fixes, ", "settings host1 (): 1 objects, 3 VMs, 0 lost, 1 fixes, "
	for name, c := range map[string]struct {
		because string
		with    func(h *inventory.Host)
		want    []string
		byLoad  bool
	}{
		"proven":    {"true", nil, []string{"by-load host0 (by-load host0): 1 objects, 3 VMs, 4 lost, 2 fixes, ", other}, true},
		"ruled out": {"host.cores > 4", nil, []string{other}, true},
		"undecided": {"host.memoryMB > 4", nil, []string{both}, true},
		"no symptom": {"true", func(h *inventory.Host) {
			h.Live = inventory.NewLive(map[string]inventory.Series{"disk.deviceLatency": {P95: 1, Samples: 9}})
		}, []string{other}, true},
		"nobody measured":         {"true", func(h *inventory.Host) { h.Live = nil }, []string{both}, true},
		"measured, and undecided": {"host.memoryMB > 4", func(h *inventory.Host) { h.VCenter().Hosts[1].Live = worse("disk.deviceLatency") }, []string{both}, false},
		"all others are quiet":    {"host.cores > 4", func(h *inventory.Host) { h.VCenter().Hosts[1].Live = worse("cpu.load") }, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := slow()
			for _, h := range s.VCenters[0].Hosts {
				h.Cores = inventory.Known(int64(4))
			}
			if c.with != nil {
				c.with(s.VCenters[0].Hosts[0])
			}
			a := advise(t, s, slowHost, set, more, only(c.because))
			require.Equal(t, c.want, folded(a))
			if len(a.Recommendations) > 0 {
				require.Equal(t, c.byLoad, a.Recommendations[len(a.Recommendations)-1].ByLoad)
			}
		})
	}
	s := slow()
	for _, h := range s.VCenters[0].Hosts {
		h.Cores = inventory.Known(int64(4))
	}
	a := advise(t, s, slowHost, set, more, strings.Replace(only("host.cores > 4"), "only: true", "only: false", 1))
	require.Equal(t, []string{both}, folded(a)[:1])
	require.False(t, a.Recommendations[0].ByLoad)

	s.VCenters[0].Hosts[1].Live = worse("cpu.load")
	kept := strings.Replace(set, "id: settings", "id: kept", 1)
	require.Equal(t, []string{strings.Replace(both, "settings", "kept", 1)}, folded(advise(t, s, slowHost, set, more, kept, only("host.cores > 4"))),
		"a fault without such a diagnosis does not depend on the load")
}

// TestWhatAProofNamesIsFoundAfterWaiving: waiving reorders findings, and proofs still point at the same ones.
func TestWhatAProofNamesIsFoundAfterWaiving(t *testing.T) {
	named := strings.Replace(byHost, "fixes: [shallow]\nfollows: [by-array]\n", "", 1)
	files := fstest.MapFS{}
	for i, text := range []string{slowHost, slowDevice, shallow, named} {
		files[fmt.Sprint(i, ".yaml")] = &fstest.MapFile{Data: []byte(text)}
	}
	l, err := advice.Load(advice.Source{FS: files, User: true})
	require.NoError(t, err)
	set, err := l.Select(advice.Selection{Diagnoses: true})
	require.NoError(t, err)
	s := slow()
	r, err := advice.Evaluate(t.Context(), s, set, advice.Options{})
	require.NoError(t, err)
	w := l.Waivers(today)
	require.NoError(t, w.Parse("w.yaml", []byte("waivers:\n- {rule: slow-device, object: '*', reason: known, until: 2026-06-10}\n")))
	w.Apply(r, s, set)
	require.Equal(t, 1, r.Counts[advice.Waived])
	a := advice.Advise(s, r)
	require.Len(t, a.Recommendations, 2)
	for _, f := range a.Recommendations[1].Findings {
		require.Contains(t, f.Object.Name, "host1/", "a device of the other host")
	}
}
