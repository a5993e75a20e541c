package rvtools

import (
	"strings"

	"github.com/vperf/vperf/internal/rvtools/sheet"
	"github.com/vperf/vperf/pkg/inventory"
)

type datastore = inventory.Datastore

var datastoreColumns = []column[*datastore]{
	word("Datastore.kind", "Type", same(inventory.DatastoreVMFS, inventory.DatastoreNFS, "NFS41", inventory.DatastoreVSAN, "VVOL"),
		func(d *datastore) *inventory.Fact[string] { return &d.Kind }),
	whole("Datastore.capacityMB", "Capacity MiB", func(d *datastore) *inventory.Fact[int64] { return &d.CapacityMB }),
	whole("Datastore.freeMB", "Free MiB", func(d *datastore) *inventory.Fact[int64] { return &d.FreeMB }),
	whole("Datastore.vmCount", "# VMs total", func(d *datastore) *inventory.Fact[int64] { return &d.VMCount }),
	onlyYes("Datastore.siocEnabled", "SIOC enabled", func(d *datastore) *inventory.Fact[bool] { return &d.SIOCEnabled }),
}

// fillDatastore sets the facts that depend on the kind of the datastore, and the hosts that mount it.
func (e *endpoint) fillDatastore(d *datastore, r *row) {
	if reached, ok := sheet.Bool(r.text("Accessible")); ok {
		if d.Accessible = inventory.Known(reached); !reached {
			*d = datastore{Entity: d.Entity, Accessible: d.Accessible, HostIDs: e.mounts(r)}
			d.Unread = "no host reaches the datastore"
			return
		}
	}
	fill(d, r, datastoreColumns)
	d.HostIDs = e.mounts(r)
	if r.has("Cluster name") {
		d.InCluster = inventory.Known(r.text("Cluster name") != "")
	}
	switch kind, known := d.Kind.Value(); {
	case known && kind == inventory.DatastoreVMFS:
		if text := r.text("Major Version"); text != "" {
			d.VMFSVersion = wholeOf("Major Version", text)
		}
		if n, ok := sheet.Whole(r.text("# Extents")); ok && n == 1 && r.text("Address") != "" {
			d.Extents = inventory.Known([]string{r.text("Address")})
		}
	case known:
		d.VMFSVersion, d.UnmapPriority, d.Extents = inventory.Absent[int64](), inventory.Absent[string](), inventory.Absent[[]string]()
		d.Local, d.SSD = inventory.Absent[bool](), inventory.Absent[bool]()
	}
}

// mounts returns the ids of the hosts in column Hosts, if they are as many as column # Hosts counts, and all are in vHost.
func (e *endpoint) mounts(r *row) inventory.Fact[[]string] {
	n, counted := sheet.Whole(r.text("# Hosts"))
	if !counted {
		return inventory.Unread[[]string](NotHere)
	}
	ids := []string{}
	for name := range strings.SplitSeq(r.text("Hosts"), ",") {
		if h := e.hosts[strings.TrimSpace(name)]; h != nil {
			ids = append(ids, h.ID)
		}
	}
	if int64(len(ids)) != n {
		return inventory.Unread[[]string]("the export does not list all hosts that mount the datastore")
	}
	return inventory.Known(ids)
}
