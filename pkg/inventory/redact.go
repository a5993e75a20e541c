package inventory

import (
	"bytes"
	"fmt"
	"maps"
	"net/netip"
	"reflect"
	"slices"
	"strings"
)

// Redact returns a copy of a snapshot in which names, inventory paths, ids and addresses are replaced by pseudonyms,
// also in reasons. Equal originals have equal pseudonyms. Values that rules evaluate are unchanged, so the findings
// differ only in names.
func Redact(s *Snapshot) (*Snapshot, error) {
	var b bytes.Buffer
	if err := Save(&b, s); err != nil {
		return nil, err
	}
	out, err := Load(&b) // a deep copy
	if err != nil {
		return nil, err
	}
	r := &redaction{known: map[string]string{}, count: map[string]int{}}
	for _, folder := range []string{"vm", "host", "network", "datastore", "ha-datacenter", "ha-folder-root"} {
		r.known[folder] = folder // vSphere's own names for its top folders
	}
	for _, v := range out.VCenters {
		r.vcenter(v)
	}
	out.Source = r.source(out.Source)
	r.reasons(reflect.ValueOf(out))
	out.Link()
	return out, nil
}

type redaction struct {
	known map[string]string // original → pseudonym
	count map[string]int    // by kind
	order []string          // originals; replacer sorts them, longest first
}

// alias replaces a string by kind-N; equal strings get the same N. An empty string stays empty.
func (r *redaction) alias(kind, s string) string {
	if s == "" {
		return ""
	}
	if p, ok := r.known[s]; ok {
		return p
	}
	r.count[kind]++
	p := fmt.Sprintf("%s-%d", kind, r.count[kind])
	r.remember(s, p)
	return p
}

func (r *redaction) remember(s, pseudonym string) {
	r.known[s] = pseudonym
	r.order = append(r.order, s)
}

// path replaces each part of a path, so that the tree keeps its structure.
func (r *redaction) path(kind, s string) string {
	parts := strings.Split(s, "/")
	for i, p := range parts {
		if p == "…" {
			continue
		}
		if i < len(parts)-1 {
			parts[i] = r.alias("folder", p)
		} else {
			parts[i] = r.alias(kind, p)
		}
	}
	return strings.Join(parts, "/")
}

func (r *redaction) entity(kind string, e *Entity) {
	e.Name = r.alias(kind, e.Name)
	e.Path = r.path(kind, e.Path)
	e.ID = r.alias(kind+"-id", e.ID)
	tags, _ := e.Tags.Value()
	for i, t := range tags {
		if !strings.HasPrefix(t, vperfPrefix) {
			tags[i] = r.alias("tag", t)
		}
	}
	r.attributes(e)
}

// attributes replaces the custom attributes that are not for vperf.
func (r *redaction) attributes(e *Entity) {
	all, _ := e.Attributes.Value()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if value := all[name]; !strings.HasPrefix(name, vperfPrefix) {
			delete(all, name)
			all[r.alias("attribute", name)] = r.alias("value", value)
		}
	}
}

// source replaces the names of endpoints, which may be others than those that they have themselves.
func (r *redaction) source(s string) string {
	parts := strings.Split(s, ", ")
	for i, p := range parts {
		if text := r.text(p); text != p {
			parts[i] = text
		} else {
			parts[i] = r.alias("source", p)
		}
	}
	return strings.Join(parts, ", ")
}

func (r *redaction) fact(kind string, f *Fact[string]) {
	if f.status == isKnown {
		f.value = r.alias(kind, f.value)
	}
}

func (r *redaction) vcenter(v *VCenter) {
	r.entity("vcenter", &v.Entity)
	for _, c := range v.Clusters {
		r.entity("cluster", &c.Entity)
		r.ids("host-id", c.HostIDs)
		r.ids("vm-id", c.DRSOverrideVMs)
	}
	for _, h := range v.Hosts {
		r.host(h)
	}
	for _, s := range v.Switches {
		r.sw(s)
	}
	for _, p := range v.Pools {
		if p.Root {
			r.known[p.Name] = p.Name // every root pool is called Resources
		}
		r.entity("pool", &p.Entity)
		r.fact("cluster-id", &p.ClusterID)
		r.fact("pool-id", &p.ParentID)
	}
	for _, d := range v.Datastores {
		r.entity("datastore", &d.Entity)
		r.ids("host-id", d.HostIDs)
		r.ids("disk", d.Extents)
	}
	own(v.Libraries, func(l *ContentLibrary) {
		l.Name = r.alias("library", l.Name)
		r.each("datastore-id", l.DatastoreIDs)
	})
	for _, vm := range v.VMs {
		r.vm(vm)
	}
}

func (r *redaction) vm(v *VM) {
	r.entity("vm", &v.Entity)
	r.fact("host-id", &v.HostID)
	r.fact("pool-id", &v.PoolID)
	r.ids("datastore-id", v.DatastoreIDs)
	own(v.Snapshots, func(s *SnapshotPoint) { s.Name = r.alias("snapshot", s.Name) })
	own(v.VNICs, func(n *VNIC) { r.fact("switch", &n.Switch) })
	own(v.Disks, func(d *VDisk) {
		r.fact("datastore-id", &d.DatastoreID)
		r.fact("disk-uuid", &d.LUNUUID)
	})
}

func (r *redaction) host(h *Host) {
	r.entity("host", &h.Entity)
	r.fact("cluster-id", &h.ClusterID)
	r.fact("dns-name", &h.DNSName)
	r.fact("flash-volume", &h.FlashVolume)
	addresses, _ := h.Addresses.Value()
	for i := range addresses {
		addresses[i] = r.address(addresses[i])
	}
	own(h.PNICs, func(n *PNIC) { r.fact("switch", &n.Switch) })
	own(h.VMKNICs, func(k *VMKNIC) {
		r.fact("switch", &k.Switch)
		r.fact("subnet", &k.Subnet)
	})
	own(h.LUNs, func(l *LUN) {
		l.Device = r.alias("disk", l.Device)
		r.fact("disk-uuid", &l.UUID)
	})
	r.fact("cloud-evidence", &h.CloudEvidence) // it can be the DNS domain
	own(h.VSwitches, r.sw)
}

// sw redacts a standard or distributed switch. NICs that refer to it get the same pseudonym.
func (r *redaction) sw(s *Switch) {
	r.entity("switch", &s.Entity)
	r.ids("host-id", s.HostIDs)
	own(s.Portgroups, func(g *Portgroup) { g.Name = r.alias("portgroup", g.Name) })
}

// ids replaces all ids or names of a list.
func (r *redaction) ids(kind string, list Fact[[]string]) {
	all, _ := list.Value()
	r.each(kind, all)
}

func (r *redaction) each(kind string, all []string) {
	for i := range all {
		all[i] = r.alias(kind, all[i])
	}
}

// address replaces an address by one of the range reserved for benchmarks, or, for IPv6, for documentation.
func (r *redaction) address(s string) string {
	if p, ok := r.known[s]; ok {
		return p
	}
	r.count["address"]++
	n := r.count["address"]
	a := netip.AddrFrom4([4]byte{198, 18 + byte(n>>16&1), byte(n >> 8), byte(n)})
	if was, err := netip.ParseAddr(s); err == nil && was.Is6() {
		a = netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8, 13: byte(n >> 16), 14: byte(n >> 8), 15: byte(n)})
	}
	r.remember(s, a.String())
	return a.String()
}

// shortest is the minimum length of names to replace in texts: shorter ones are part of many words.
const shortest = 3

// text replaces all originals in a text, longest first, because a name can be part of another.
func (r *redaction) text(s string) string {
	slices.SortStableFunc(r.order, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(r.order))
	for _, o := range r.order {
		if len(o) < shortest {
			continue
		}
		pairs = append(pairs, o, r.known[o])
	}
	return strings.NewReplacer(pairs...).Replace(s)
}

// reasoned is a fact whose reason can be rewritten.
type reasoned interface{ rewriteReason(func(string) string) }

func (f *Fact[T]) rewriteReason(rewrite func(string) string) {
	if _, reason := f.status.get(); reason != "" {
		f.status = &status{reason: rewrite(reason)}
	}
}

// reasons rewrites the reasons of all facts and objects, because they can contain names.
func (r *redaction) reasons(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			r.reasons(v.Elem())
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[Live]() { // counters have no reasons
			return
		}
		for i := range v.Len() {
			r.reasons(v.Index(i))
		}
	case reflect.Map:
		options, _ := reflect.TypeAssert[map[string]Option](v)
		for key, o := range options {
			o.Unread = r.text(o.Unread)
			options[key] = o
		}
	case reflect.Struct:
		if v.CanAddr() { // a bare value, such as a version, has no facts
			r.reasonsOf(v)
		}
	}
}

func (r *redaction) reasonsOf(v reflect.Value) {
	if f, ok := reflect.TypeAssert[reasoned](v.Addr()); ok {
		f.rewriteReason(r.text)
		value, _, _ := v.Addr().Interface().(Reader).Raw()
		r.reasons(reflect.ValueOf(value))
		return
	}
	if c, ok := reflect.TypeAssert[*VCenter](v.Addr()); ok {
		c.NoTime = r.text(c.NoTime)
	}
	if e, ok := reflect.TypeAssert[*Entity](v.Addr()); ok {
		e.Unread = r.text(e.Unread)
		attributes, _ := e.Attributes.Value()
		for name, text := range attributes { // a waiver's reason can contain names too
			attributes[name] = r.text(text)
		}
		e.Tags.rewriteReason(r.text)
		e.Attributes.rewriteReason(r.text)
		return
	}
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("json") != "-" {
			r.reasons(v.Field(i))
		}
	}
}
