package fleetdata

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"
)

//go:embed *.yaml
var files embed.FS

// Demo returns the data of the demo fleet, parsed on the first call.
func Demo() *Fleet { return demo() }

var demo = sync.OnceValue(func() *Fleet {
	f, err := Load(files)
	if err != nil {
		panic("data of the demo fleet: " + err.Error()) // a test loads them
	}
	return f
})

// Load reads all YAML files of a folder. An unknown field is an error that names its line. That references name something that exists
// and numbers are plausible is for the tests: the files are part of the program.
func Load(folder fs.FS) (*Fleet, error) {
	names, err := fs.Glob(folder, "*.yaml")
	if err != nil {
		return nil, err
	}
	f := new(Fleet)
	for _, name := range names {
		if err := f.read(folder, name); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	f.expand()
	return f, f.resolve()
}

func (f *Fleet) read(folder fs.FS, name string) error {
	text, err := fs.ReadFile(folder, name)
	if err != nil {
		return err
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	return d.Decode(f)
}

// expand replaces rows with a count by several rows.
func (f *Fleet) expand() {
	f.VMs = repeat(f.VMs, func(v VM) int { return v.Count }, func(v *VM, n int) { v.Name = fmt.Sprintf(v.Name, n) })
	f.Datastores = repeat(f.Datastores, func(d Datastore) int { return d.Count }, func(d *Datastore, n int) {
		d.Name, d.Remote = fmt.Sprintf(d.Name, n), fmt.Sprintf(d.Remote, n)
	})
}

func repeat[T any](rows []T, count func(T) int, number func(*T, int)) (all []T) {
	for _, row := range rows {
		if count(row) == 0 {
			all = append(all, row)
		}
		for n := range count(row) {
			one := row
			number(&one, n+1)
			all = append(all, one)
		}
	}
	return all
}

// resolve replaces names by the rows that they refer to, and sets defaults.
func (f *Fleet) resolve() error {
	for name, s := range f.Servers {
		if s.NIC = f.NICs[s.NICName]; s.NIC == nil {
			return fmt.Errorf("server %s: no NIC %q", name, s.NICName)
		}
	}
	for i := range f.Hosts {
		h := &f.Hosts[i]
		if h.Server = f.Servers[h.ServerName]; h.Server == nil {
			return fmt.Errorf("host %s: no server %q", h.Name, h.ServerName)
		}
		release, ok := f.Releases[h.Release]
		if !ok {
			return fmt.Errorf("host %s: no release %q", h.Name, h.Release)
		}
		h.complete(release)
	}
	for i := range f.VMs {
		v := &f.VMs[i]
		if v.Guest = f.Guests[v.GuestName]; v.Guest == nil {
			return fmt.Errorf("VM %s: no guest %q", v.Name, v.GuestName)
		}
		v.complete()
	}
	return nil
}

func (h *Host) complete(r Release) {
	h.Hz = cmp.Or(h.Hz, h.Server.Hz)
	h.Version, h.Build = cmp.Or(h.Version, r.Version), cmp.Or(h.Build, r.Build)
	h.Power = cmp.Or(h.Power, "dynamic")
	h.PowerHardware = cmp.Or(h.PowerHardware, BothStates)
	if h.PowerHardware == none {
		h.PowerHardware = ""
	}
	for key, value := range h.Options {
		if n, ok := value.(int); ok {
			h.Options[key] = int64(n) // the type in vSphere
		}
	}
	for key, value := range h.Defaults {
		if n, ok := value.(int); ok {
			h.Defaults[key] = int64(n) // the type in vSphere
		}
	}
}

func (v *VM) complete() {
	v.Tools.Version = cmp.Or(v.Tools.Version, v.Guest.Tools.Version)
	v.Tools.Status = cmp.Or(v.Tools.Status, v.Guest.Tools.Status)
	v.Latency = cmp.Or(v.Latency, LatencyNormal)
	if v.Latency == none {
		v.Latency = ""
	}
	v.Disk = cmp.Or(v.Disk, DiskPVSCSI)
	if v.NICs == nil {
		v.NICs = []VNIC{{}}
	}
	v.NICs, v.Data = slices.Clone(v.NICs), slices.Clone(v.Data) // rows with a count share them
	for i := range v.NICs {
		v.NICs[i].Kind = cmp.Or(v.NICs[i].Kind, NICVmxnet3)
	}
	for i := range v.Data {
		v.Data[i].Kind = cmp.Or(v.Data[i].Kind, DiskPVSCSI)
	}
}
