package capture_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/capture"
	"github.com/vperf/vperf/pkg/inventory"
)

func hostOf(id, name, dns string) *inventory.Host {
	return &inventory.Host{
		Entity: inventory.Entity{ID: id, Name: name, Path: "/dc/host/" + name}, DNSName: inventory.Known(dns),
		PNICs: inventory.Known([]*inventory.PNIC{{Device: "vmnic0"}}),
		LUNs:  inventory.Known([]*inventory.LUN{{Device: "naa.1"}}),
	}
}

func vmOn(host, id, name string) *inventory.VM {
	return &inventory.VM{
		Entity: inventory.Entity{ID: id, Name: name, Path: "/dc/vm/" + name}, HostID: inventory.Known(host), MemoryMB: inventory.Known(int64(4096)),
		Disks: inventory.Known([]*inventory.VDisk{
			{Label: "Hard disk 1", Address: inventory.Known("scsi0:0")}, {Label: "Hard disk 2", Address: inventory.Known("scsi0:1")},
		}),
	}
}

// fleet is a saved snapshot that returns the targets it is asked for, and records them.
type fleet struct {
	*inventory.Snapshot

	asked []inventory.Targets
	needs inventory.Needs
}

func newFleet(vcenters ...*inventory.VCenter) *fleet {
	f := &fleet{Snapshot: &inventory.Snapshot{Schema: inventory.SnapshotSchema, Source: "fleet.json", VCenters: vcenters}}
	f.Link()
	return f
}

func (f *fleet) read(_ context.Context, t inventory.Targets, n inventory.Needs) (*inventory.Snapshot, error) {
	f.asked, f.needs = append(f.asked, t), n
	return f.Narrow(t)
}

func vcenter(name string, hosts []*inventory.Host, vms ...*inventory.VM) *inventory.VCenter {
	return &inventory.VCenter{Entity: inventory.Entity{ID: name, Name: name}, Kind: inventory.EndpointVCenter, TakenAt: start.AddDate(0, 0, -1), Hosts: hosts, VMs: vms}
}

// captured returns a host with VMs, and with a NIC and a LUN that the snapshots of these tests do not have.
func captured(host string, vms ...string) *batch {
	b := newBatch(host).add(`Memory\Kernel State`, 1)
	for i, name := range vms {
		b.vm(100+i, name, 1).add(`Group Memory(`+gid(i)+`:`+name+`)\Memctl MBytes`, 7).
			add(`Virtual Disk(`+name+`)\Reads/sec`, 50).
			add(`Virtual Disk(`+name+`:scsi0:1)\Reads/sec`, 50).add(`Virtual Disk(`+name+`:scsi0:1)\Average MilliSec/Read`, 30)
	}
	for _, nic := range []string{"vmnic0", "vmnic1"} {
		b.add(`Network Port(vSwitch0:3355443`+nic[5:]+`:`+nic+`)\Packets Received/sec`, 9).
			add(`Network Port(vSwitch0:3355443`+nic[5:]+`:`+nic+`)\MBits Received/sec`, 4)
	}
	for _, lun := range []string{"naa.1", "mpx.vmhba0:C0:T5:L0"} {
		b.add(`Physical Disk SCSI Device(`+lun+`)\Commands/sec`, 50)
	}
	return b
}

func gid(i int) string { return []string{"100", "101", "102", "103"}[i] }

func TestBeside(t *testing.T) {
	other := hostOf("host-2", "esx02.lab", "esx02.lab")
	f := newFleet(vcenter("vc", []*inventory.Host{hostOf("host-1", "esx01.lab", "esx01.lab"), other},
		vmOn("host-1", "vm-1", "web"), vmOn("host-1", "vm-2", "a%2fb"), vmOn("host-2", "vm-3", "db")))
	source := &capture.Source{Paths: []string{captured("esx01.lab", "web", "a/b", "db").file(t, "esx01.csv", 3)}, ReadConfiguration: f.read}
	s := read(t, source, inventory.Targets{})

	host := onlyHost(t, s)
	require.Equal(t, []any{"host-1", "vc", 1.0}, []any{host.ID, host.VCenter().Name, host.Live.Of("mem.state").Worst})
	nics, _ := host.PNICs.Value()
	require.Len(t, nics, 1, "a list that is known stays as it is")
	require.InDelta(t, 4.194, nics[0].Live.Of("net.rx").Median, 0)
	luns, _ := host.LUNs.Value()
	require.Len(t, luns, 1)
	require.InDelta(t, 50.0, luns[0].Live.Of("disk.commands").Median, 0)

	web := vmCalled(t, s, "web")
	require.Equal(t, []any{"vm-1", 7.0, inventory.Known(int64(4096))}, []any{web.ID, web.Live.Of("mem.balloon").Worst, web.MemoryMB})
	disks, _ := web.Disks.Value()
	require.Equal(t, []any{0, 30.0}, []any{len(disks[0].Live), disks[1].Live.Of("disk.readLatency").Median})
	require.InDelta(t, 7.0, vmCalled(t, s, "a%2fb").Live.Of("mem.balloon").Worst, 0, "the inventory writes a slash so")

	db := vmCalled(t, s, "db")
	require.Equal(t, []any{capture.Unread, 7.0, host}, []any{db.Unread, db.Live.Of("mem.balloon").Worst, db.Host()}, "it is on esx02 in the snapshot")
	require.Equal(t, []string{
		"esx01.lab: not on it in the snapshot, so only counters are evaluated: db",
		"esx01.lab: devices that the snapshot does not have, shown only under hot spots: mpx.vmhba0:C0:T5:L0, vmnic1",
	}, source.Notes())
	require.Equal(t, "capture esx01.csv beside fleet.json", s.Source)
	require.Equal(t, start.AddDate(0, 0, -1), s.TakenAt(), "ages are judged by the snapshot's own clock")
	require.Equal(t, []inventory.Targets{{Hosts: []string{"esx01.lab"}}}, f.asked, "only captured hosts are read")
	require.True(t, f.needs.Any("VDisk.address"))
	require.Equal(t, "vm-1", spotsOf(source, "mem.balloon")["esx01.lab web"].MoID)
}

// TestHostNames has hosts with different names in captures and in the inventory.
func TestHostNames(t *testing.T) {
	for name, tc := range map[string]struct {
		captured string
		hosts    []*inventory.Host
		found    string
		notes    []string
	}{
		"long, short in the inventory": {"esx01.lab", []*inventory.Host{hostOf("host-1", "esx01", "")}, "host-1", nil},
		"short, long in the inventory": {"esx01", []*inventory.Host{hostOf("host-1", "esx01.lab", "")}, "host-1", nil},
		"by its own name":              {"esx01.lab", []*inventory.Host{hostOf("host-1", "10.0.0.1", "esx01.lab")}, "host-1", nil},
		"another domain":               {"esx01.lab", []*inventory.Host{hostOf("host-1", "esx01.prod", "esx01.prod")}, "", nil},
		"two of the name":              {"esx01", []*inventory.Host{hostOf("host-1", "esx01.lab", ""), hostOf("host-2", "esx01.prod", "")}, "", nil},
		"nothing alike":                {"esx01", []*inventory.Host{hostOf("host-1", "web", "")}, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet(vcenter("vc", tc.hosts))
			source := &capture.Source{Paths: []string{captured(tc.captured).file(t, "x.csv", 3)}, ReadConfiguration: f.read}
			s, err := source.Read(t.Context(), inventory.Targets{}, inventory.Needs{})
			if tc.found == "" {
				require.ErrorContains(t, err, "none of the hosts in the captures is in the snapshot ("+tc.captured+")")
				return
			}
			require.NoError(t, err)
			require.Equal(t, tc.found, onlyHost(t, s).ID)
			require.Equal(t, int64(3), onlyHost(t, s).Live.Of("mem.state").Samples)
		})
	}
}

// TestSomeBeside has hosts of which the snapshot contains one, and two with the name of another.
func TestSomeBeside(t *testing.T) {
	f := newFleet(
		vcenter("vc1", []*inventory.Host{hostOf("host-1", "esx01", ""), hostOf("host-2", "esx02", "")}, vmOn("host-1", "vm-1", "web")),
		vcenter("vc2", []*inventory.Host{hostOf("host-1", "esx02", "")}, vmOn("host-1", "vm-1", "mail")))
	var paths []string
	for _, host := range []string{"esx01", "esx02", "esx03.lab"} {
		paths = append(paths, captured(host, "web").file(t, host+".csv", 3))
	}
	source := &capture.Source{Paths: paths, ReadConfiguration: f.read}
	s := read(t, source, inventory.Targets{})
	require.Len(t, s.VCenters, 2)
	require.Equal(t, []string{"vc1", "capture"}, []string{s.VCenters[0].Name, s.VCenters[1].Name})
	require.Len(t, s.VCenters[0].Hosts, 1)
	require.Len(t, s.VCenters[1].Hosts, 2)
	require.Equal(t, int64(3), s.VCenters[0].VMs[0].Live.Of("mem.balloon").Samples)
	require.Equal(t, int64(3), s.VCenters[1].VMs[0].Live.Of("mem.balloon").Samples)
	require.Equal(t, "esx02: the snapshot has 2 hosts of that name (/dc/host/esx02 (host-1), /dc/host/esx02 (host-2)), only its counters are evaluated", source.Notes()[0])
	require.Contains(t, source.Notes(), "esx03.lab is not in the snapshot: only its counters are evaluated")

	s = read(t, source, inventory.Targets{Hosts: []string{"esx03"}})
	require.Equal(t, "esx03.lab", onlyHost(t, s).Name)
	require.Equal(t, int64(3), onlyHost(t, s).Live.Of("mem.state").Samples)
	require.Equal(t, start.Add(2*every), s.TakenAt())
	s = read(t, source, inventory.Targets{Hosts: []string{"esx01"}})
	require.Equal(t, "host-1", onlyHost(t, s).ID)
	require.Equal(t, int64(3), onlyHost(t, s).Live.Of("mem.state").Samples)
	s = read(t, source, inventory.Targets{Hosts: []string{"esx01", "esx03"}})
	require.Len(t, s.VCenters, 2)
	for _, v := range s.VCenters {
		require.Len(t, v.Hosts, 1)
		require.Equal(t, int64(3), v.Hosts[0].Live.Of("mem.state").Samples, v.Name)
	}
	require.NotEqual(t, start.Add(2*every), s.VCenters[0].TakenAt, "that of a snapshot stays")
	require.Equal(t, start.Add(2*every), s.VCenters[1].TakenAt)

	source = &capture.Source{Paths: paths[:1], ReadConfiguration: f.read} // no host is without its configuration
	require.Equal(t, "host-1", onlyHost(t, read(t, source, inventory.Targets{Hosts: []string{"esx01"}})).ID)
}

// TestVMsAlike has VMs with the same name and size: they are skipped.
func TestVMsAlike(t *testing.T) {
	for name, tc := range map[string]struct {
		snapshot []*inventory.VM
		captured []string
	}{
		"two in the snapshot": {[]*inventory.VM{vmOn("host-1", "vm-1", "web"), vmOn("host-1", "vm-2", "web")}, []string{"web"}},
		"two in the capture":  {[]*inventory.VM{vmOn("host-1", "vm-1", "web")}, []string{"web", "web"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet(vcenter("vc", []*inventory.Host{hostOf("host-1", "esx01", "")}, tc.snapshot...))
			source := &capture.Source{Paths: []string{captured("esx01", tc.captured...).file(t, "esx01.csv", 3)}, ReadConfiguration: f.read}
			s := read(t, source, inventory.Targets{})
			for _, vm := range s.VCenters[0].VMs {
				require.Empty(t, vm.Live)
			}
			require.Contains(t, source.Notes(), "esx01: skipped, because several VMs have the same name: web")
		})
	}
	template := vmOn("host-1", "vm-2", "web")
	template.Template = inventory.Known(true)
	f := newFleet(vcenter("vc", []*inventory.Host{hostOf("host-1", "esx01", "")}, vmOn("host-1", "vm-1", "web"), template))
	source := &capture.Source{Paths: []string{captured("esx01", "web").file(t, "esx01.csv", 3)}, ReadConfiguration: f.read}
	require.InDelta(t, 7.0, read(t, source, inventory.Targets{}).VCenters[0].VMs[0].Live.Of("mem.balloon").Worst, 0, "a template never runs")
}

// TestUnreadLists has a snapshot without NICs, LUNs and disks: the lists contain those of the capture.
func TestUnreadLists(t *testing.T) {
	host, vm := hostOf("host-1", "esx01", ""), vmOn("host-1", "vm-1", "web")
	host.PNICs, host.LUNs, vm.Disks = inventory.Unread[[]*inventory.PNIC]("not read"), inventory.Fact[[]*inventory.LUN]{}, inventory.Fact[[]*inventory.VDisk]{}
	f := newFleet(vcenter("vc", []*inventory.Host{host}, vm))
	source := &capture.Source{Paths: []string{captured("esx01", "web").file(t, "esx01.csv", 3)}, ReadConfiguration: f.read}
	s := read(t, source, inventory.Targets{})
	nics, _ := onlyHost(t, s).PNICs.Value()
	luns, _ := onlyHost(t, s).LUNs.Value()
	disks, _ := vmCalled(t, s, "web").Disks.Value()
	require.Equal(t, []int{2, 2, 1}, []int{len(nics), len(luns), len(disks)})
	require.Equal(t, "esx01/vmnic1", nics[1].Ref().Name)
	require.InDelta(t, 30.0, disks[0].Live.Of("disk.readLatency").Worst, 0)
	require.Empty(t, source.Notes())
}

// TestFill reads facts that need a call to each host, for hosts with a source.
func TestFill(t *testing.T) {
	f := newFleet(vcenter("vc", []*inventory.Host{hostOf("host-1", "esx01", "")}, vmOn("host-1", "vm-1", "web")))
	paths := []string{captured("esx01", "web").file(t, "esx01.csv", 3), captured("esx02", "web").file(t, "esx02.csv", 3)}
	source := &capture.Source{Paths: paths, ReadConfiguration: f.read}
	s := read(t, source, inventory.Targets{})
	known, alone := s.VCenters[0].Hosts[0], s.VCenters[1].Hosts[0]
	var needs inventory.Needs
	needs.AddFact("PNIC.rss")
	both := []*inventory.Host{alone, known}
	require.NoError(t, source.Fill(t.Context(), s, both, needs), "a saved snapshot cannot be extended")

	var asked []*inventory.Host
	broken := errors.New("broken")
	source.ReadPerHost = func(_ context.Context, of *inventory.Snapshot, hosts []*inventory.Host, n inventory.Needs) error {
		require.Same(t, s, of)
		require.True(t, n.Any("PNIC.rss"))
		asked = append(asked, hosts...)
		return broken
	}
	require.ErrorIs(t, source.Fill(t.Context(), s, both, needs), broken)
	require.Equal(t, []*inventory.Host{known}, asked)
	require.Equal(t, []*inventory.Host{alone, known}, both, "it is the caller's")
	require.NoError(t, source.Fill(t.Context(), s, []*inventory.Host{alone}, needs), "no host has to be asked")
}
