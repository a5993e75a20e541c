package inventory

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// SnapshotSchema is the version of the saved form that this code writes and reads.
const SnapshotSchema = "vperf.snapshot/v1"

// Snapshot is a fleet at one moment.
type Snapshot struct {
	Schema string `json:"schema"`
	// Source says where the facts came from, without credentials.
	Source   string     `json:"source"`
	VCenters []*VCenter `json:"vcenters"`
}

// The kinds of endpoint.
const (
	EndpointVCenter = "vcenter"
	EndpointESXi    = "esxi"
)

// VCenter is one endpoint: a vCenter Server, or an ESXi host that was asked directly.
type VCenter struct {
	Entity
	// Kind is vcenter or esxi.
	Kind string `json:"kind"`
	// Version is the endpoint's own.
	Version Fact[Version] `json:"version,omitzero"`
	// TakenAt is the server's clock when reading began; ages are judged against it, never against ours.
	TakenAt time.Time `json:"takenAt"`

	Clusters []*Cluster `json:"clusters"`
	Pools    []*Pool    `json:"pools"`
	Hosts    []*Host    `json:"hosts"`
	VMs      []*VM      `json:"vms"`
	Switches []*Switch  `json:"switches"`
}

// Ref names the endpoint.
func (v *VCenter) Ref() Ref {
	return Ref{Kind: ScopeVCenter, Name: v.Name, ID: v.ID, VCenter: v.Name, Path: "/"}
}

// TakenAt is the earliest server clock of the snapshot.
func (s *Snapshot) TakenAt() time.Time {
	var t time.Time
	for _, v := range s.VCenters {
		if t.IsZero() || v.TakenAt.Before(t) {
			t = v.TakenAt
		}
	}
	return t
}

// Link connects objects with their owners and parents by id. Load does it; whoever builds a snapshot must.
func (s *Snapshot) Link() {
	for _, v := range s.VCenters {
		v.link()
	}
}

func (v *VCenter) link() {
	v.vcenter = v
	clusters := make(map[string]*Cluster, len(v.Clusters))
	for _, c := range v.Clusters {
		c.vcenter, c.Hosts = v, nil
		clusters[c.ID] = c
	}
	for _, p := range v.Pools {
		p.vcenter = v
	}
	for _, s := range v.Switches {
		s.vcenter = v
	}
	hosts := make(map[string]*Host, len(v.Hosts))
	for _, h := range v.Hosts {
		h.vcenter, h.VMs = v, nil
		hosts[h.ID] = h
		h.link(clusters)
	}
	for _, vm := range v.VMs {
		vm.vcenter = v
		vm.link(hosts)
	}
}

func (h *Host) link(clusters map[string]*Cluster) {
	id, _ := h.ClusterID.Value()
	if h.cluster = clusters[id]; h.cluster != nil {
		h.cluster.Hosts = append(h.cluster.Hosts, h)
	}
	nics, _ := h.PNICs.Value()
	for _, n := range nics {
		n.host = h
	}
}

func (v *VM) link(hosts map[string]*Host) {
	id, _ := v.HostID.Value()
	if v.host = hosts[id]; v.host != nil {
		v.host.VMs = append(v.host.VMs, v)
	}
	disks, _ := v.Disks.Value()
	for _, d := range disks {
		d.vm = v
	}
	nics, _ := v.VNICs.Value()
	for _, n := range nics {
		n.vm = v
	}
}

// Save writes the snapshot as JSON, in the order it has.
func Save(w io.Writer, s *Snapshot) error {
	b := bufio.NewWriter(w)
	e := json.NewEncoder(b)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return fmt.Errorf("writing snapshot: %w", err)
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("writing snapshot: %w", err)
	}
	return nil
}

// ErrNotSnapshot is returned by Load for input that is not a saved snapshot of this version.
var ErrNotSnapshot = errors.New("not a vperf snapshot")

// Load reads what Save wrote. Input that is cut off, is something else, or comes from a newer vperf is refused with
// the reason; unknown fields are refused too, since a fact this code does not know could change a verdict.
func Load(r io.Reader) (*Snapshot, error) {
	all, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("reading snapshot: %w", err)
	}
	if err := checkSchema(all); err != nil {
		return nil, err
	}
	d := json.NewDecoder(strings.NewReader(string(all)))
	d.DisallowUnknownFields()
	s := new(Snapshot)
	if err := d.Decode(s); err != nil {
		return nil, fmt.Errorf("reading snapshot: %w", err)
	}
	if d.More() {
		return nil, fmt.Errorf("%w: more text after its end", ErrNotSnapshot)
	}
	if err := s.complete(); err != nil {
		return nil, err
	}
	s.Link()
	return s, nil
}

// checkSchema looks at the schema alone first, so that a newer file is named as such and not by its first new field.
func checkSchema(b []byte) error {
	var head struct {
		Schema string `json:"schema"`
	}
	err := json.Unmarshal(b, &head)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax) && syntax.Offset >= int64(len(b)):
		return fmt.Errorf("%w: the file ends in the middle (after %d bytes); save it again", ErrNotSnapshot, len(b))
	case err != nil:
		return fmt.Errorf("%w: %w", ErrNotSnapshot, err)
	case head.Schema == SnapshotSchema:
		return nil
	case strings.HasPrefix(head.Schema, "vperf.snapshot/"):
		return fmt.Errorf("%w of this version: it is %s, this vperf reads %s; use the vperf that wrote it, or a newer one", ErrNotSnapshot, head.Schema, SnapshotSchema)
	}
	return fmt.Errorf("%w: its schema is %q, want %s (vperf snapshot --out FILE writes one)", ErrNotSnapshot, head.Schema, SnapshotSchema)
}

// complete refuses holes that JSON allows and evaluation could not bear.
func (s *Snapshot) complete() error {
	for _, v := range s.VCenters {
		if v == nil {
			return fmt.Errorf("%w: a vcenter is null", ErrNotSnapshot)
		}
		if hasNil(v.Clusters) || hasNil(v.Pools) || hasNil(v.Hosts) || hasNil(v.VMs) || hasNil(v.Switches) {
			return fmt.Errorf("%w: an object of %s is null", ErrNotSnapshot, v.Name)
		}
		for _, h := range v.Hosts {
			nics, _ := h.PNICs.Value()
			nodes, _ := h.NUMANodes.Value()
			vmknics, _ := h.VMKNICs.Value()
			if hasNil(nics) || hasNil(nodes) || hasNil(vmknics) {
				return fmt.Errorf("%w: a device of host %s is null", ErrNotSnapshot, h.Name)
			}
		}
		for _, vm := range v.VMs {
			nics, _ := vm.VNICs.Value()
			snaps, _ := vm.Snapshots.Value()
			disks, _ := vm.Disks.Value()
			if hasNil(nics) || hasNil(snaps) || hasNil(disks) {
				return fmt.Errorf("%w: a device of VM %s is null", ErrNotSnapshot, vm.Name)
			}
		}
	}
	return nil
}

func hasNil[T any](list []*T) bool {
	for _, p := range list {
		if p == nil {
			return true
		}
	}
	return false
}
