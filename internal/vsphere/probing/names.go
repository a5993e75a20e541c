package probing

import (
	"context"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/tree"
)

// Properties of a host that identify it.
const (
	pathDNS     = "config.network.dnsConfig"
	pathVNICs   = "config.network.vnic"
	pathIDs     = "hardware.systemInfo"
	pathDisks   = "config.storageDevice.scsiLun"
	pathSwitch  = "config.network.vswitch"
	pathProxies = "config.network.proxySwitch"
	pathGroups  = "config.network.portgroup"
)

// ownNames are vSphere's own names for objects that every inventory has. They identify nothing, and are words of its vocabulary.
var ownNames = []string{"vm", "host", "network", "datastore", "ha-datacenter", "ha-folder-root", "Datacenters", "Resources"}

// learnNames lets the redactor replace the names of a host and of everything on it. What cannot be read is replaced only where its
// form shows that it identifies something.
func (h *hostProber) learnNames(ctx context.Context) {
	r := h.redactor
	short, domain, _ := strings.Cut(h.target.Name, ".")
	r.Same(r.Alias("host", h.target.Name), short)
	r.Alias("domain", domain)
	r.Alias("id", h.target.ID)
	h.calls.call(ctx, "HostSystem names", func(ctx context.Context) error {
		p, err := h.properties(ctx, "names of the host", h.self, pathDNS, pathVNICs, pathIDs, pathDisks, pathSwitch, pathProxies, pathGroups, pathPNICs, pathHBAs)
		h.learnNetwork(p)
		h.learnHardware(p)
		return err
	})
	h.calls.call(ctx, "names of VMs, datastores and networks", h.learnRelated)
}

func (h *hostProber) learnNetwork(p *property.Props) {
	r := h.redactor
	if dns, ok := property.Read(p, pathDNS, property.As[types.HostDnsConfig], property.Required).Value(); ok {
		r.Same(r.Alias("host", h.target.Name), dns.HostName, dns.HostName+"."+dns.DomainName)
		r.Alias("domain", dns.DomainName)
		for _, s := range append(dns.Address, dns.SearchDomain...) {
			r.Alias("address", s)
		}
	}
	vnics, _ := property.Read(p, pathVNICs, property.As[types.ArrayOfHostVirtualNic], property.Required).Value()
	for _, n := range vnics.HostVirtualNic {
		r.Alias("mac", n.Spec.Mac)
		r.Alias("network", n.Portgroup)
		if n.Spec.Ip != nil {
			r.Alias("address", n.Spec.Ip.IpAddress)
		}
	}
	switches, _ := property.Read(p, pathSwitch, property.As[types.ArrayOfHostVirtualSwitch], property.Required).Value()
	for _, s := range switches.HostVirtualSwitch {
		r.Alias("switch", s.Name)
	}
	proxies, _ := property.Read(p, pathProxies, property.As[types.ArrayOfHostProxySwitch], property.Required).Value()
	for _, s := range proxies.HostProxySwitch {
		r.Alias("switch", s.DvsName)
		r.Alias("id", s.DvsUuid)
	}
	groups, _ := property.Read(p, pathGroups, property.As[types.ArrayOfHostPortGroup], property.Required).Value()
	for _, g := range groups.HostPortGroup {
		r.Alias("network", g.Spec.Name)
	}
	nics, _ := property.Read(p, pathPNICs, property.As[types.ArrayOfPhysicalNic], property.Required).Value()
	for _, n := range nics.PhysicalNic {
		r.Alias("mac", n.Mac)
	}
}

func (h *hostProber) learnHardware(p *property.Props) {
	r := h.redactor
	if info, ok := property.Read(p, pathIDs, property.As[types.HostSystemInfo], property.Required).Value(); ok {
		r.Alias("id", info.Uuid)
		r.Alias("serial", info.SerialNumber)
		for _, id := range info.OtherIdentifyingInfo {
			r.Alias("serial", id.IdentifierValue)
		}
	}
	disks, _ := property.Read(p, pathDisks, property.As[types.ArrayOfScsiLun], property.Required).Value()
	for _, d := range disks.ScsiLun {
		if lun := d.GetScsiLun(); lun != nil {
			r.Same(r.Alias("device", lun.CanonicalName), lun.DisplayName, lun.Uuid, lun.SerialNumber)
		}
	}
	adapters, _ := property.Read(p, pathHBAs, property.As[types.ArrayOfHostHostBusAdapter], property.Required).Value()
	for _, a := range adapters.HostHostBusAdapter {
		if iscsi, ok := a.(*types.HostInternetScsiHba); ok {
			r.Alias("device", iscsi.IScsiName)
			r.Alias("device", iscsi.IScsiAlias)
		}
	}
}

// learnRelated reads the names of the objects of the host, and of the folders and clusters that it is in.
func (h *hostProber) learnRelated(ctx context.Context) error {
	kinds := map[string]string{"VirtualMachine": "vm", "Datastore": "datastore", "Network": "network", "ManagedEntity": "folder"}
	spec := types.ObjectSpec{Obj: h.self, Skip: new(true)}
	for _, path := range []string{"vm", "datastore", "network"} {
		spec.SelectSet = append(spec.SelectSet, &types.TraversalSpec{Type: property.TypeHost, Path: path})
	}
	up := &types.TraversalSpec{
		SelectionSpec: types.SelectionSpec{Name: "parent"}, Type: "ManagedEntity", Path: tree.PathParent,
		SelectSet: []types.BaseSelectionSpec{&types.SelectionSpec{Name: "parent"}},
	}
	spec.SelectSet = append(spec.SelectSet, up)
	q := &property.Query{What: "names", From: []types.ObjectSpec{spec}, Page: property.PageOfIndex}
	for kind := range kinds {
		q.Paths = append(q.Paths, types.PropertySpec{Type: kind, PathSet: []string{tree.PathName}})
	}
	return property.NewReader(h.session).Collect(ctx, q, func(p *property.Props) {
		name, _ := property.Read(p, tree.PathName, property.Text, property.Required).Value()
		kind, ok := kinds[property.QueryType(p.Ref.Type)]
		if !ok {
			kind = "folder"
		}
		if !slices.Contains(ownNames, name) {
			h.redactor.Alias(kind, tree.Unescape(name))
		}
		h.redactor.Alias("id", p.Ref.Value)
	})
}
