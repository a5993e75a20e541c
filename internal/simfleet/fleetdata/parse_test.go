package fleetdata

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// edited returns the files of the demo fleet with a text in one of them replaced.
func edited(t *testing.T, name, old, with string) fs.FS {
	t.Helper()
	folder := fstest.MapFS{}
	names, err := fs.Glob(files, "*.yaml")
	require.NoError(t, err)
	for _, n := range names {
		text, err := fs.ReadFile(files, n)
		require.NoError(t, err)
		if n == name {
			require.Contains(t, string(text), old)
			text = []byte(strings.Replace(string(text), old, with, 1))
		}
		folder[n] = &fstest.MapFile{Data: text}
	}
	return folder
}

func TestLoadRefusesUnknownFieldsWithTheirLine(t *testing.T) {
	_, err := Load(edited(t, "hosts.yaml", "    cluster: lowlat", "    clusterr: lowlat"))
	require.ErrorContains(t, err, "hosts.yaml")
	require.ErrorContains(t, err, "line 6: field clusterr not found in type fleetdata.Host")
}

// A host takes only a few lines, and so does a VM.
func TestAHostIsAFewLines(t *testing.T) {
	f, err := Load(edited(t, "hosts.yaml", "hosts:\n", `hosts:
  - name: host99.demo.local
    cluster: general
    server: r750
    release: 8.0U3
    dvs: dvs-general
    address: 192.0.2.99
    booted: 2026-07-01T03:00:00Z
`))
	require.NoError(t, err)
	h := f.Host("host99")
	require.Equal(t, []any{"8.0.3", "24784735", "dynamic", BothStates, int64(2_000_000_000), 2}, []any{h.Version, h.Build, h.Power, h.PowerHardware, h.Hz, h.NUMANodes()})
	f, err = Load(edited(t, "vms.yaml", "vms:\n", "vms:\n  - {name: more-%02d, count: 3, host: host06, folder: apps, guest: rhel9, vcpus: 2, memoryMB: 4096, hardware: 20}\n"))
	require.NoError(t, err)
	require.Equal(t, []string{"more-01", "more-02", "more-03"}, []string{f.VMs[0].Name, f.VMs[1].Name, f.VMs[2].Name})
	require.Equal(t, []any{LatencyNormal, []VNIC{{Kind: NICVmxnet3}}, DiskPVSCSI, "12389"}, []any{f.VMs[0].Latency, f.VMs[0].NICs, f.VMs[0].Disk, f.VMs[0].Tools.Version})
}

// checked loads the files and checks what they say.
func checked(folder fs.FS) error {
	f, err := Load(folder)
	if err != nil {
		return err
	}
	return f.check()
}

func TestTheDataAreInOrder(t *testing.T) {
	require.NoError(t, checked(files))
}

func TestChecksFindWhatCannotBeMeant(t *testing.T) {
	for _, c := range []struct{ file, old, with, want string }{
		{"hosts.yaml", "server: r730", "server: r73", `host host01.demo.local: no server "r73"`},
		{"hosts.yaml", `release: "7.0U3r"`, `release: "7.0U9"`, `host host01.demo.local: no release "7.0U9"`},
		{"hosts.yaml", "cluster: lowlat", "cluster: lowlatt", `host host01.demo.local: cluster: no "lowlatt"; there are lowlat, general`},
		{"hosts.yaml", "dvs: dvs-lowlat", "dvs: dvs-low", `host host01.demo.local: dvs: no "dvs-low"`},
		{"hosts.yaml", "192.0.2.11", "192.0.2.12", "address: 192.0.2.12 is there twice"},
		{"hosts.yaml", "192.0.2.11", "192.0.2.300", `host host01.demo.local: address "192.0.2.300"`},
		{"hosts.yaml", "Net.CoalesceDefaultOn", "Net.CoalesceDefaultOff", "host host02.demo.local: release 6.7U3 has no option Net.CoalesceDefaultOff"},
		{"hosts.yaml", "rings: {vmnic0", "rings: {vmnic7", `host host01.demo.local: NIC: no "vmnic7"; there are vmnic0, vmnic1`},
		{"hosts.yaml", "hz: 2593993000", "hz: 2593", "host host03.demo.local: hz: 2593 is not from 1000000000 to 6000000000"},
		{"hosts.yaml", "san: {symmetrix", "san: {simmetrix", `host host02.demo.local: san: no "simmetrix"`},
		{"hosts.yaml", "vperf.profile: hpc", "vperf.profil: hpc", `host host14.demo.local: attributes: no "vperf.profil"`},
		{"vms.yaml", "host: host01", "host: host00", `VM trade-lat-01: no host "host00"`},
		{"vms.yaml", "guest: rhel9", "guest: rhel", `VM trade-lat-01: no guest "rhel"`},
		{"vms.yaml", "folder: trading", "folder: trade", `VM trade-lat-01: folder: no "trade"`},
		{"vms.yaml", "pool: web", "pool: wob", `VM web-01: cluster "general" has no pool "wob"`},
		{"vms.yaml", "memoryMB: 32768", "memoryMB: 32767", "VM trade-lat-01: memoryMB is a multiple of 4"},
		{"vms.yaml", "hardware: 19", "hardware: 190", "VM trade-lat-01: hardware: 190 is not from 4 to 22"},
		{"vms.yaml", "name: trade-lat-02", "name: trade-lat-01", "VM: trade-lat-01 is there twice"},
		{"vms.yaml", "with: [debugMonitor", "with: [debugMonitors", `VM case-4711: no quirk "debugMonitors"`},
		{"vms.yaml", "portGroup: pg-web", "portGroup: pg-wob", `quirk pluggedWeb: portGroup: no "pg-wob"`},
		{"vms.yaml", "age: 2h, ", "", "VM web-03: snapshot before patch has either taken or age"},
		{"servers.yaml", "nic: mellanox40", "nic: mellanox", `server r730: no NIC "mellanox"`},
		{"servers.yaml", "evc: intel-broadwell", "evc: broadwell", `server r730: evc: no "broadwell"`},
		{"servers.yaml", "releases:", "releases:\n  6.5U9: {version: 6.5.0, build: \"1\"}", "release 6.5U9 is not one of inventory's"},
		{"clusters.yaml", "olderEVC: [app-iis-01]", "olderEVC: [app-iis-99]", `cluster general: no VM "app-iis-99"`},
		{"clusters.yaml", "parent: batch", "parent: botch", `pool batch-night: no pool "botch" before it`},
		{"network.yaml", "dvs: dvs-general, name: pg-web", "dvs: dvs-none, name: pg-web", `port group pg-web: no switch "dvs-none"`},
		{"storage.yaml", "freeGB: 7168", "freeGB: 71680", "datastore san01: freeGB: 71680 is not from 0 to 20480"},
		{"storage.yaml", "lun: fastt", "lun: fast", `datastore old01: VMFS is on a LUN, not on "fast"`},
		{"load.yaml", "does: publishing", "does: publish", `role trade-mid-: no profile "publish"`},
		{"load.yaml", "touched: 0.85", "touched: 85", "profile office: 85 of a whole"},
		{"load.yaml", "cpu: [0.05, 0.24]", "cpu: [0.24, 0.05]", "profile office: a range is from the least to the most"},
	} {
		require.ErrorContains(t, checked(edited(t, c.file, c.old, c.with)), c.want)
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := Load(files); err != nil {
			b.Fatal(err)
		}
	}
}
