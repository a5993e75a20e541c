package vspheretest

import (
	"maps"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

// Given returns the properties of an object that has config and hardware.
func Given(values map[string]any) *property.Props {
	p := &property.Props{Values: map[string]any{tree.PathVersion: "8.0.2", "hardware.cpuInfo.numCpuCores": int16(8), tree.PathTemplate: false}, Unknown: NoUnknownPaths, Needs: inventory.Everything()}
	maps.Copy(p.Values, values)
	return p
}

// ReasonOf returns the state of a fact as text: known, absent, or unread with the reason.
func ReasonOf(f inventory.Reader) string {
	_, state, reason := f.Raw()
	return [...]string{"unread: " + reason, "known", "absent"}[state]
}

// NoUnknownPaths stands for a server whose API has every property.
func NoUnknownPaths(string) bool { return false }

// Properties returns the properties of an object of a vSphere 8.0 server that returned these values and no others. Every fact is needed.
func Properties(values map[string]any) *property.Props {
	return &property.Props{Values: values, Unknown: NoUnknownPaths, Needs: inventory.Everything(), Server: inventory.Version{Major: 8}}
}
