package rvtoolstest

import (
	"fmt"
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

// Large returns a vCenter with so many VMs, forty on each host, sixteen hosts in each cluster. A VM has two disks and one NIC, and each
// eighth has a snapshot.
func Large(vms int) *inventory.Snapshot {
	v := &inventory.VCenter{
		Entity: inventory.Entity{ID: "11111111-2222-3333-4444-555555555555", Name: "large.example.com"}, Kind: inventory.EndpointVCenter,
		TakenAt: time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC),
	}
	for i := range vms {
		if i%(40*16) == 0 {
			v.Clusters = append(v.Clusters, &inventory.Cluster{
				Entity: inventory.Entity{ID: fmt.Sprintf("domain-c%d", len(v.Clusters)+1), Name: fmt.Sprintf("cluster-%02d", len(v.Clusters)+1)}, HostIDs: inventory.Known([]string{}),
				DRSEnabled: inventory.Known(true), DRSAutomation: inventory.Known("fullyAutomated"), HAEnabled: inventory.Known(true),
			})
			v.Datastores = append(v.Datastores, &inventory.Datastore{
				Entity: inventory.Entity{ID: fmt.Sprintf("datastore-%d", len(v.Datastores)+1), Name: fmt.Sprintf("vmfs-%02d", len(v.Datastores)+1)},
				Kind:   inventory.Known(inventory.DatastoreVMFS), CapacityMB: inventory.Known(int64(1 << 24)), FreeMB: inventory.Known(int64(1 << 22)), Accessible: inventory.Known(true),
			})
		}
		if i%40 == 0 {
			addLargeHost(v)
		}
		addLargeVM(v, i)
	}
	s := &inventory.Snapshot{Schema: inventory.SnapshotSchema, Source: v.Name, VCenters: []*inventory.VCenter{v}}
	s.Link()
	return s
}

func addLargeHost(v *inventory.VCenter) {
	c, n := v.Clusters[len(v.Clusters)-1], len(v.Hosts)+1
	h := &inventory.Host{
		Entity: inventory.Entity{ID: fmt.Sprintf("host-%d", n), Name: fmt.Sprintf("esx%04d.example.com", n)}, ClusterID: inventory.Known(c.ID),
		Version: inventory.Known(inventory.Version{Major: 8, Update: 3}), Build: inventory.Known("24022510"), Cores: inventory.Known(int64(64)),
		CPUPackages: inventory.Known(int64(2)), MemoryMB: inventory.Known(int64(1 << 20)), Vendor: inventory.Known("Dell Inc."), Model: inventory.Known("PowerEdge R760"),
	}
	for i := range 4 {
		n := &inventory.PNIC{Device: fmt.Sprintf("vmnic%d", i), Driver: inventory.Known("i40en"), LinkMbps: inventory.Known(int64(25000)), Switch: inventory.Known("dvs-1")}
		nics, _ := h.PNICs.Value()
		h.PNICs = inventory.Known(append(nics, n))
	}
	ids, _ := c.HostIDs.Value()
	c.HostIDs = inventory.Known(append(ids, h.ID))
	v.Hosts = append(v.Hosts, h)
}

func addLargeVM(v *inventory.VCenter, i int) {
	h, store := v.Hosts[len(v.Hosts)-1], v.Datastores[len(v.Datastores)-1]
	vm := &inventory.VM{
		Entity: inventory.Entity{ID: fmt.Sprintf("vm-%d", i+1), Name: fmt.Sprintf("application-%05d.department-%d", i+1, i%50)}, HostID: inventory.Known(h.ID),
		PowerState: inventory.Known("poweredOn"), Template: inventory.Known(false), ConsolidationNeeded: inventory.Known(false),
		BootTime: inventory.Known(v.TakenAt.Add(-time.Duration(i%5000) * time.Hour)), VCPUs: inventory.Known(int64(1 + i%16)), CoresPerSocket: inventory.Known(int64(1)),
		MemoryMB: inventory.Known(int64(4096 + i%7*1024)), HardwareVersion: inventory.Known(int64(19)), LatencySensitivity: inventory.Known("normal"),
		CPUReservationMHz: inventory.Known(int64(0)), CPULimitMHz: inventory.Known(int64(-1)), CPUHotAdd: inventory.Known(i%3 == 0),
		MemoryReservationMB: inventory.Known(int64(0)), MemoryLimitMB: inventory.Known(int64(-1)), MemoryReservationLocked: inventory.Known(false),
		VNICs: inventory.Known([]*inventory.VNIC{{Key: 4000, Label: "Network adapter 1", Type: inventory.Known(inventory.VNICVmxnet3), Switch: inventory.Known("dvs-1")}}),
	}
	var disks []*inventory.VDisk
	for n := range 2 {
		disks = append(disks, &inventory.VDisk{
			Key: int32(2000 + n), Label: fmt.Sprintf("Hard disk %d", n+1), Controller: inventory.Known(inventory.ControllerPVSCSI), CapacityMB: inventory.Known(int64(102400)),
			Backing: inventory.Known("flat"), Thin: inventory.Known(true), IOPSLimit: inventory.Known(int64(-1)), DatastoreID: inventory.Known(store.ID), BusSharing: inventory.Known("noSharing"),
		})
	}
	vm.Disks = inventory.Known(disks)
	if i%8 == 0 {
		vm.Snapshots = inventory.Known([]*inventory.SnapshotPoint{{Name: "before the update", Created: v.TakenAt.Add(-72 * time.Hour), Depth: 1}})
	}
	v.VMs = append(v.VMs, vm)
}

// widths are the numbers of columns of sheets of RVTools 4.7 without custom attributes.
var widths = map[string]int{"vInfo": 93, "vCPU": 32, "vMemory": 36, "vDisk": 43, "vNetwork": 30, "vSnapshot": 24, "vHost": 74}

// Wide adds columns to sheets that Of leaves out, so that they are as large as those of RVTools. Their cells are filled as those of a
// real export are: with words, names and numbers.
func Wide(sheets []Sheet) []Sheet {
	for _, s := range sheets {
		for have := len(s.Rows[0]); have < widths[s.Name]; have++ {
			s.Rows[0] = append(s.Rows[0], fmt.Sprintf("More %d", have))
			for i := range s.Rows[1:] {
				var cell any = int64(i * have)
				switch have % 3 {
				case 0:
					cell = "False"
				case 1:
					cell = fmt.Sprintf("value %d of %d", have, i%1000)
				}
				s.Rows[i+1] = append(s.Rows[i+1], cell)
			}
		}
	}
	return sheets
}
