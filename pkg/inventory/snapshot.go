package inventory

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// SnapshotSchema is the version of the format that this code writes and reads.
const SnapshotSchema = "vperf.snapshot/v1"

// Snapshot is a fleet at one moment.
type Snapshot struct {
	Schema string `json:"schema"`
	// Source is where the facts were read, without credentials.
	Source   string     `json:"source"`
	VCenters []*VCenter `json:"vcenters"`
}

// The kinds of endpoint.
const (
	EndpointVCenter = "vcenter"
	EndpointESXi    = "esxi"
)

// VCenter is one endpoint: a vCenter Server, or an ESXi host that was read directly.
type VCenter struct {
	Entity
	// Kind is vcenter or esxi.
	Kind string `json:"kind" role:"platform"`
	// Version is the endpoint's own version.
	Version Fact[Version] `json:"version,omitzero" role:"platform"`
	// TakenAt is the server's clock when reading began; ages are computed with it, never with the local clock. It is zero if it
	// could not be read.
	TakenAt time.Time `json:"takenAt" role:"measured"`
	// NoTime is why TakenAt could not be read.
	NoTime string `json:"noTime,omitempty" role:"derived"`

	// StatsIntervals are the intervals of historical statistics; absent for an ESXi host. Source:
	// PerformanceManager.historicalInterval.
	StatsIntervals Fact[[]*StatsInterval] `json:"statsIntervals,omitzero" role:"setting"`
	// Libraries are the content libraries; absent for an ESXi host.
	Libraries Fact[[]*ContentLibrary] `json:"libraries,omitzero" role:"setting"`
	// Whole is true if all hosts of the endpoint were selected: its lists are complete.
	Whole bool `json:"whole,omitempty" role:"derived"`
	// ChosenVMs is true if only some VMs of the hosts were selected, so that the total of a host's VMs is unknown.
	ChosenVMs bool `json:"chosenVMs,omitempty" role:"derived"`
	// LiveFrom and LiveTo are the period of live counters, by the hosts' clocks; zero if there are none.
	LiveFrom time.Time `json:"liveFrom,omitzero" role:"derived"`
	LiveTo   time.Time `json:"liveTo,omitzero" role:"derived"`

	Clusters []*Cluster `json:"clusters" role:"members"`
	Pools    []*Pool    `json:"pools" role:"members"`
	Hosts    []*Host    `json:"hosts" role:"members"`
	VMs      []*VM      `json:"vms" role:"members"`
	Switches []*Switch  `json:"switches" role:"members"`
	// Datastores are the datastores that hosts of the snapshot mount.
	Datastores []*Datastore `json:"datastores,omitempty" role:"members"`
}

// StatsInterval is one interval of a vCenter's historical statistics.
type StatsInterval struct {
	Name string `json:"name" role:"key"`
	// Seconds is the time between samples.
	Seconds int64 `json:"seconds" role:"setting"`
	// Level is the amount of statistics, from 1 (least) to 4.
	Level   int64 `json:"level" role:"setting"`
	Enabled bool  `json:"enabled" role:"setting"`
}

// ContentLibrary is a library that VMs are deployed from.
type ContentLibrary struct {
	Name string `json:"name" role:"key"`
	// DatastoreIDs are the datastores with its items; empty if they are on an NFS or SMB share of the vCenter.
	DatastoreIDs []string `json:"datastoreIds" role:"setting,ids"`
}

// Ref returns the endpoint's reference.
func (v *VCenter) Ref() Ref {
	return Ref{Kind: ScopeVCenter, Name: v.Name, ID: v.ID, VCenter: v.Name, Path: "/"}
}

// TakenAt returns the earliest server clock of the snapshot.
func (s *Snapshot) TakenAt() time.Time {
	var t time.Time
	for _, v := range s.VCenters {
		if t.IsZero() || v.TakenAt.Before(t) {
			t = v.TakenAt
		}
	}
	return t
}

// Link connects objects with their owners and parents by id. Load calls it; code that builds a snapshot must call it
// too.
func (s *Snapshot) Link() {
	for _, v := range s.VCenters {
		v.link()
	}
}

// Save writes the snapshot as JSON, in its order.
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

// SchemaError reports a file of another kind or version.
type SchemaError struct {
	Not        error // such as ErrNotSnapshot
	Have, Want string
}

// Error names both schemas.
func (e *SchemaError) Error() string {
	return fmt.Sprintf("%v: its schema is %q, want %s", e.Not, e.Have, e.Want)
}

// Unwrap returns the error for the wanted kind.
func (e *SchemaError) Unwrap() error { return e.Not }

// complete refuses null elements, which JSON allows and evaluation does not support.
func (s *Snapshot) complete() error {
	if len(s.VCenters) > mostVCenters {
		return fmt.Errorf("%w: it has %d vcenters, and no fleet has more than %d", ErrNotSnapshot, len(s.VCenters), mostVCenters)
	}
	for _, v := range s.VCenters {
		if v == nil {
			return fmt.Errorf("%w: a vcenter is null", ErrNotSnapshot)
		}
		if hole := v.hole(); hole != "" {
			return fmt.Errorf("%w: %s is null", ErrNotSnapshot, hole)
		}
	}
	return nil
}

// mostVCenters is more than any fleet has. All are compared with each other.
const mostVCenters = 10_000

// hole describes the first null element of an endpoint, or returns "".
func (v *VCenter) hole() string {
	if hasNil(v.Clusters) || hasNil(v.Pools) || hasNil(v.Hosts) || hasNil(v.VMs) || hasNil(v.Switches) || hasNil(v.Datastores) {
		return "an object of " + v.Name
	}
	if i := slices.IndexFunc(v.Hosts, (*Host).hasHoles); i >= 0 {
		return "a device of host " + v.Hosts[i].Name
	}
	if i := slices.IndexFunc(v.VMs, (*VM).hasHoles); i >= 0 {
		return "a device of VM " + v.VMs[i].Name
	}
	if i := slices.IndexFunc(v.Switches, (*Switch).hasHoles); i >= 0 {
		return "a part of switch " + v.Switches[i].Name
	}
	if holes(v.StatsIntervals, v.Libraries) {
		return "a part of vcenter " + v.Name
	}
	return ""
}

func (h *Host) hasHoles() bool {
	switches, _ := h.VSwitches.Value()
	sensors, _ := h.Sensors.Value()
	return holes(h.PNICs, h.NUMANodes) || holes(h.VMKNICs, h.LUNs) || holes(h.HBAs, h.DiskGroups) || hasNil(switches) || hasNil(sensors) ||
		slices.ContainsFunc(switches, (*Switch).hasHoles)
}

func (v *VM) hasHoles() bool { return holes(v.VNICs, v.Disks) || holes(v.Snapshots, v.PCIDevices) }

func (s *Switch) hasHoles() bool { return holes(s.Portgroups, s.TrafficClasses) }

// holes reports whether one of two lists has an element that is null.
func holes[A, B any](a Fact[[]*A], b Fact[[]*B]) bool {
	x, _ := a.Value()
	y, _ := b.Value()
	return hasNil(x) || hasNil(y)
}

func hasNil[T any](list []*T) bool { return slices.Contains(list, nil) }
