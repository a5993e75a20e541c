package rvtools

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/rvtools/sheet"
	"github.com/vperf/vperf/pkg/inventory"
)

// The objects without facts, from which those of the export are made.
var (
	blankVCenter   = unreadOf[inventory.VCenter]()
	blankCluster   = unreadOf[cluster]()
	blankPool      = unreadOf[pool]("runningVMs", "directRunningVMs")
	blankHost      = unreadOf[host]()
	blankPNIC      = unreadOf[inventory.PNIC]()
	blankVMKNIC    = unreadOf[inventory.VMKNIC]()
	blankHBA       = unreadOf[inventory.HBA]()
	blankLUN       = unreadOf[inventory.LUN]()
	blankSwitch    = unreadOf[inventory.Switch]()
	blankDatastore = unreadOf[datastore]("pseudo")
	blankVM        = unreadOf[vm]()
	blankVNIC      = unreadOf[inventory.VNIC]()
	blankVDisk     = unreadOf[inventory.VDisk]()
)

// estate collects the facts of an export, which may be of several vCenters.
type estate struct {
	name      string // of the file
	taken     time.Time
	has       map[string]bool // the sheets
	lost      lostSheets
	endpoints []*endpoint
	byUUID    map[string]*endpoint
	byServer  map[string]*endpoint
}

// endpoint is one vCenter or ESXi host of an export.
type endpoint struct {
	v          *inventory.VCenter
	clusters   map[string][]*cluster
	clusterHas map[*cluster]int64 // the number of hosts, as vCluster counts them
	hosts      map[string]*host
	hostNICs   map[*host]int64 // the number of NICs and of HBAs, as vHost counts them; -1: it does not
	hostHBAs   map[*host]int64
	datastores map[string][]*datastore
	vms        []*vmOf
	vmByID     map[string][]*vmOf // by VM ID and by VM UUID
	vmByName   map[string][]*vmOf
	pnics      map[*host][]*inventory.PNIC
	hbas       map[*host][]*inventory.HBA
	vmks       map[*host][]*inventory.VMKNIC
	vswitches  map[*host][]*inventory.Switch
	luns       map[*host][]*inventory.LUN
}

func newEndpoint(uuid, server string) *endpoint {
	v := new(blankVCenter)
	v.ID, v.Name, v.Path, v.Kind, v.Whole = uuid, server, "/", inventory.EndpointVCenter, true
	v.Clusters, v.Pools, v.Hosts, v.VMs, v.Switches = []*cluster{}, []*pool{}, []*host{}, []*vm{}, []*inventory.Switch{}
	return &endpoint{
		v: v, clusters: map[string][]*cluster{}, clusterHas: map[*cluster]int64{}, hosts: map[string]*host{}, hostNICs: map[*host]int64{},
		hostHBAs: map[*host]int64{}, datastores: map[string][]*datastore{}, vmByID: map[string][]*vmOf{}, vmByName: map[string][]*vmOf{},
		pnics: map[*host][]*inventory.PNIC{}, hbas: map[*host][]*inventory.HBA{}, vmks: map[*host][]*inventory.VMKNIC{},
		vswitches: map[*host][]*inventory.Switch{}, luns: map[*host][]*inventory.LUN{},
	}
}

// endpointOf returns the endpoint that a row is of. Sheets may leave out the UUID or the name of the server.
func (x *estate) endpointOf(r *row) *endpoint {
	uuid, server := r.text("VI SDK UUID"), r.text("VI SDK Server")
	if e := x.byUUID[uuid]; uuid != "" && e != nil {
		if server != "" && x.byServer[server] == nil {
			e.v.Name, x.byServer[server] = server, e
		}
		return e
	}
	if e := x.byServer[server]; server != "" && e != nil && (uuid == "" || e.v.ID == "") {
		return e
	}
	if uuid == "" && server == "" && len(x.endpoints) == 1 {
		return x.endpoints[0]
	}
	e := newEndpoint(uuid, cmp.Or(server, uuid, x.name))
	x.endpoints = append(x.endpoints, e)
	if uuid != "" {
		x.byUUID[uuid] = e
	}
	x.byServer[e.v.Name] = e
	return e
}

// parts are the sheets that are read, in this order: later ones refer to the objects of earlier ones.
var parts = []struct {
	sheet string
	need  []string // columns without which the sheet cannot be read
	read  func(*estate, *endpoint, *row) error
}{
	{"vSource", nil, (*estate).readSource},
	{"vCluster", []string{"Name"}, (*estate).readCluster},
	{"vHost", []string{"Host"}, (*estate).readHost},
	{"vRP", []string{"Resource Pool name", "Resource Pool path"}, (*estate).readPool},
	{"vDatastore", []string{"Name"}, (*estate).readDatastore},
	{"vInfo", []string{"VM"}, (*estate).readInfo},
	{"vCPU", []string{"VM"}, ofVM(func(x *vmOf, _ *endpoint, r *row) { fill(x.vm, r, cpuColumns) })},
	{"vMemory", []string{"VM"}, ofVM(func(x *vmOf, _ *endpoint, r *row) { fill(x.vm, r, memoryColumns) })},
	{"vDisk", []string{"VM"}, ofVM(readDisk)},
	{"vNetwork", []string{"VM"}, ofVM(readVNIC)},
	{"vSnapshot", []string{"VM", "Name"}, ofVM(readSnapshot)},
	{"vHBA", []string{"Host", "Device"}, (*estate).readHBA},
	{"vNIC", []string{"Host", "Network Device"}, (*estate).readPNIC},
	{"vSwitch", []string{"Host", "Switch"}, (*estate).readVSwitch},
	{"dvSwitch", []string{"Name"}, (*estate).readDVSwitch},
	{"vSC_VMK", []string{"Host", "Device"}, (*estate).readVMK},
	{"vMultiPath", []string{"Host", "Disk"}, (*estate).readPaths},
}

// unusedSheets are sheets of an export whose columns are no facts of vperf.
var unusedSheets = []string{
	"vTools", "vPartition", "vCD", "vUSB", "vFloppy", "vPort", "dvPort", "vLicense", "vFileInfo", "vHealth", "vMetaData",
}

func (x *estate) readSource(e *endpoint, r *row) error {
	if v, err := inventory.ParseVersion(r.text("Version")); err == nil {
		e.v.Version = inventory.Known(v)
	}
	if strings.EqualFold(r.text("API type"), "HostAgent") {
		e.v.Kind = inventory.EndpointESXi
	}
	return nil
}

func (x *estate) readCluster(e *endpoint, r *row) error {
	c := new(blankCluster)
	c.Name = r.text("Name")
	c.ID, c.Path = cmp.Or(r.text("Object ID"), c.Name), "…/"+c.Name
	fill(c, r, clusterColumns)
	c.Attributes = attributesOf(r)
	e.clusterHas[c] = countOf(r.text("NumHosts"))
	e.clusters[c.Name] = append(e.clusters[c.Name], c)
	e.v.Clusters = append(e.v.Clusters, c)
	return nil
}

func (x *estate) readHost(e *endpoint, r *row) error {
	h := new(blankHost)
	h.Name = r.text("Host")
	if h.Name == "" {
		return nil
	}
	if first := e.hosts[h.Name]; first != nil {
		first.Unread = "vHost has several rows of this host"
		return nil
	}
	name := r.text("Cluster")
	h.ID, h.Path = cmp.Or(r.text("Object ID"), h.Name), "…/"+h.Name
	switch of := e.clusters[name]; {
	case len(of) == 1:
		h.ClusterID, h.Path = inventory.Known(of[0].ID), of[0].Path+"/"+h.Name
	case name == "" && r.has("Cluster"):
		h.ClusterID = inventory.Absent[string]()
	}
	fill(h, r, hostColumns)
	kindAndCloud(h, r.text("Domain"))
	h.Attributes = attributesOf(r)
	e.hosts[h.Name], e.hostNICs[h], e.hostHBAs[h] = h, countOf(r.text("# NICs")), countOf(r.text("# HBAs"))
	e.v.Hosts = append(e.v.Hosts, h)
	return nil
}

// attributesOf returns the custom attributes for vperf, which are columns of their names. An export without such columns may have
// been made without attributes.
func attributesOf(r *row) inventory.Fact[map[string]string] {
	var found map[string]string
	for key := range r.at {
		if !strings.HasPrefix(key, "vperf.") {
			continue
		}
		if found == nil {
			found = map[string]string{}
		}
		if text := r.text(key); text != "" {
			found[key] = text
		}
	}
	if found == nil {
		return inventory.Unread[map[string]string](NotHere)
	}
	return inventory.Known(found)
}

func (x *estate) readPool(e *endpoint, r *row) error {
	p := new(blankPool)
	p.Name, p.Path = r.text("Resource Pool name"), r.text("Resource Pool path")
	p.ID = cmp.Or(r.text("Object ID"), p.Path)
	fill(p, r, poolColumns)
	e.v.Pools = append(e.v.Pools, p)
	return nil
}

func (x *estate) readDatastore(e *endpoint, r *row) error {
	d := new(blankDatastore)
	d.Name = r.text("Name")
	d.ID, d.Path = cmp.Or(r.text("Object ID"), r.text("URL"), d.Name), "…/"+d.Name
	e.fillDatastore(d, r)
	e.datastores[d.Name] = append(e.datastores[d.Name], d)
	e.v.Datastores = append(e.v.Datastores, d)
	return nil
}

func (x *estate) readInfo(e *endpoint, r *row) error {
	of := &vmOf{vm: new(blankVM), nics: -1, disks: -1}
	v := of.vm
	v.Name = r.text("VM")
	if v.Name == "" {
		return nil
	}
	v.ID, v.Path = cmp.Or(r.text("VM ID"), r.text("VM UUID"), v.Name), "…/"+v.Name
	on := e.hosts[r.text("Host")]
	switch gap := vmGaps[strings.ToLower(r.text("Connection state"))]; {
	case gap != "":
		*v = vm{Entity: inventory.Entity{ID: v.ID, Name: v.Name, Path: v.Path, Unread: gap}}
		if on != nil && strings.EqualFold(r.text("Connection state"), "disconnected") {
			on.Unread = "host not responding: its virtual machines are disconnected"
		}
	default:
		of.fillInfo(r)
		v.Attributes = attributesOf(r)
	}
	switch {
	case on != nil:
		v.HostID = inventory.Known(on.ID)
	case v.Unread == "" && len(e.hosts) > 0:
		e.v.Unread = "its list of virtual machines is incomplete: the export does not show on which host " + quoted(v.Name) + " is"
	}
	for _, id := range []string{r.text("VM ID"), r.text("VM UUID")} {
		if id != "" {
			e.vmByID[id] = append(e.vmByID[id], of)
		}
	}
	of.path = r.text("Path")
	e.vmByName[v.Name] = append(e.vmByName[v.Name], of)
	e.vms = append(e.vms, of)
	return nil
}

// ofVM reads rows about VMs that vInfo has. A row that could be about several VMs leaves the facts of all of them unread.
func ofVM(read func(*vmOf, *endpoint, *row)) func(*estate, *endpoint, *row) error {
	return func(_ *estate, e *endpoint, r *row) error {
		of := e.vmsOf(r)
		if len(of) == 1 && of[0].Unread == "" {
			read(of[0], e, r)
		}
		for _, x := range of {
			x.ambiguous = x.ambiguous || len(of) > 1
		}
		return nil
	}
}

// vmsOf returns the VMs that a row can be about: those of its id, else of its UUID, else of its name if it has neither.
func (e *endpoint) vmsOf(r *row) []*vmOf {
	of := e.vmByID[r.text("VM ID")]
	if uuid := e.vmByID[r.text("VM UUID")]; len(of) == 0 || len(uuid) == 1 && len(of) > 1 {
		of = uuid
	}
	if len(of) == 0 && r.first("VM ID", "VM UUID") == "" {
		of = e.vmByName[r.text("VM")]
	}
	return of
}

// separateTwins gives VMs without an id of their own one each: the path of their file, else their place among the others.
func (e *endpoint) separateTwins() {
	byID := map[string][]*vmOf{}
	for _, of := range e.vms {
		byID[of.ID] = append(byID[of.ID], of)
	}
	for _, twins := range byID {
		if len(twins) == 1 {
			continue
		}
		paths := map[string]bool{}
		for _, of := range twins {
			paths[of.path] = of.path != ""
		}
		for i, of := range twins {
			if len(paths) == len(twins) && !paths[""] && of.path != "" {
				of.ID += " " + of.path
				continue
			}
			of.ID += fmt.Sprintf(" #%d", i+1)
		}
	}
}

func readDisk(of *vmOf, e *endpoint, r *row) {
	d := new(blankVDisk)
	d.Label = cmp.Or(r.text("Disk"), fmt.Sprintf("disk %d", len(of.vdisks)+1))
	d.Key = int32(2000 + len(of.vdisks))
	if key, ok := sheet.Whole(r.text("Disk Key")); ok && key == int64(int32(key)) {
		d.Key = int32(key)
	}
	e.fillDisk(d, r)
	of.vdisks = append(of.vdisks, d)
}

func readVNIC(of *vmOf, _ *endpoint, r *row) {
	n := new(blankVNIC)
	n.Label = cmp.Or(r.text("NIC label"), fmt.Sprintf("NIC %d", len(of.vnics)+1))
	n.Key = vnicKey(n.Label, of.vnics)
	fill(n, r, vnicColumns)
	of.vnics = append(of.vnics, n)
}

func readSnapshot(of *vmOf, _ *endpoint, r *row) {
	created, state, reason := dateOf("Date / time", r.text("Date / time")).Get()
	if state != inventory.StateKnown {
		of.pointGap = reason
	}
	of.points = append(of.points, &inventory.SnapshotPoint{Name: r.text("Name"), Created: created, Depth: 1})
}

// finish ties the objects together.
func (x *estate) finish() (*inventory.Snapshot, error) {
	s := &inventory.Snapshot{Schema: inventory.SnapshotSchema}
	var names []string
	for _, e := range x.endpoints {
		e.v.TakenAt = x.taken
		e.finish(x.has)
		x.lost.withMissing(x.has).explain(e.v)
		s.VCenters, names = append(s.VCenters, e.v), append(names, e.v.Name)
	}
	s.Source = strings.Join(names, ", ")
	if len(s.VCenters) == 0 {
		return nil, errors.New("its sheets have no rows")
	}
	s.Link()
	return s, nil
}

func (e *endpoint) finish(has map[string]bool) {
	e.finishHosts(has)
	e.finishClusters(has)
	e.placePools()
	pools := e.poolsByName()
	e.separateTwins()
	for _, of := range e.vms {
		of.finish(has)
		if id := pools[of.poolName]; id != "" && of.Unread == "" {
			if _, state, _ := of.PoolID.Get(); state == inventory.StateUnread {
				of.PoolID = inventory.Known(id)
			}
		}
		e.v.VMs = append(e.v.VMs, of.vm)
	}
	sortAll(e.v)
}

// poolsByName returns the ids of pools by path, and by name where it is unique.
func (e *endpoint) poolsByName() map[string]string {
	ids, twice := map[string]string{}, map[string]bool{}
	for _, p := range e.v.Pools {
		twice[p.Name] = ids[p.Name] != ""
		ids[p.Name] = p.ID
	}
	for name, is := range twice {
		if is {
			delete(ids, name)
		}
	}
	for _, p := range e.v.Pools {
		ids[p.Path] = p.ID
	}
	return ids
}

func (e *endpoint) finishHosts(has map[string]bool) {
	for _, h := range e.v.Hosts {
		if h.Unread != "" {
			*h = host{Entity: h.Entity, ClusterID: h.ClusterID}
			continue
		}
		h.PNICs = hostListOf(e.pnics[h], e.hostNICs[h], has["vNIC"], "# NICs", "vNIC")
		h.HBAs = hostListOf(e.hbas[h], e.hostHBAs[h], has["vHBA"], "# HBAs", "vHBA")
		h.VMKNICs = someOf(e.vmks[h])
		h.LUNs = someOf(e.luns[h])
		h.VSwitches = someOf(e.vswitches[h])
	}
}

// hostListOf is listOf for the devices of hosts, which vHost counts.
func hostListOf[T any](list []*T, counted int64, has bool, column, sheet string) inventory.Fact[[]*T] {
	switch {
	case !has, len(list) == 0:
		return inventory.Unread[[]*T](NotHere)
	case counted >= 0 && int64(len(list)) != counted:
		return inventory.Unread[[]*T](fmt.Sprintf("column %s of vHost counts %d, and %s lists %d", column, counted, sheet, len(list)))
	}
	return inventory.Known(list)
}

// someOf returns a list that the export does not count. Without a row, it may be missing.
func someOf[T any](list []*T) inventory.Fact[[]*T] {
	if len(list) == 0 {
		return inventory.Unread[[]*T](NotHere)
	}
	return inventory.Known(list)
}

// finishClusters sets the hosts of each cluster, if vHost has as many as vCluster counts.
func (e *endpoint) finishClusters(has map[string]bool) {
	ids := map[string][]string{}
	for _, h := range e.v.Hosts {
		if id, known := h.ClusterID.Value(); known {
			ids[id] = append(ids[id], h.ID)
		}
	}
	for _, c := range e.v.Clusters {
		switch n := e.clusterHas[c]; {
		case !has["vHost"], n < 0:
		case int64(len(ids[c.ID])) != n:
			c.HostIDs = inventory.Unread[[]string](fmt.Sprintf("vCluster counts %d hosts of the cluster, and vHost lists %d", n, len(ids[c.ID])))
		default:
			c.HostIDs = inventory.Known(append([]string{}, ids[c.ID]...))
		}
	}
}

func sortAll(v *inventory.VCenter) {
	byPath(v.Clusters, func(c *cluster) *inventory.Entity { return &c.Entity })
	byPath(v.Pools, func(p *pool) *inventory.Entity { return &p.Entity })
	byPath(v.Hosts, func(h *host) *inventory.Entity { return &h.Entity })
	byPath(v.Switches, func(s *inventory.Switch) *inventory.Entity { return &s.Entity })
	byPath(v.Datastores, func(d *datastore) *inventory.Entity { return &d.Entity })
	byPath(v.VMs, func(v *vm) *inventory.Entity { return &v.Entity })
}

func byPath[T any](list []T, of func(T) *inventory.Entity) {
	slices.SortFunc(list, func(a, b T) int {
		x, y := of(a), of(b)
		return cmp.Or(cmp.Compare(x.Path, y.Path), cmp.Compare(x.ID, y.ID))
	})
}
