package perf

import (
	"strconv"

	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// Instances of hosts.
func hostThreads(h *load.Host) []string { return numbered("", h.Cores*h.PerCore) }

func hostNICs(h *load.Host) []string {
	names := []string{""}
	for _, n := range h.PNICs {
		names = append(names, n.Name)
	}
	return names
}

func hostDevices(h *load.Host) (names []string) {
	for _, d := range h.Devices {
		names = append(names, d.Name)
	}
	return names
}

func hostAdapters(h *load.Host) (names []string) {
	for _, a := range h.Adapters {
		names = append(names, a.Name)
	}
	return names
}

func hostPaths(h *load.Host) (names []string) {
	for _, d := range h.Devices {
		for _, p := range d.Paths {
			names = append(names, p.Name)
		}
	}
	return names
}

// hostStores returns the datastores on the host's disks, and its NFS mounts.
func hostStores(h *load.Host) (names []string) {
	for _, s := range hostStoreNames(h) {
		names = append(names, world.UUID(s))
	}
	return names
}

func hostStoreNames(h *load.Host) (names []string) {
	for _, v := range h.Volumes {
		if h.DeviceOf(v.Name) >= 0 {
			names = append(names, v.Name)
		}
	}
	return append(names, h.NFS...)
}

// Instances of VMs.
func vmCPUs(v *load.VM) []string { return numbered("", int(v.VCPUs)) }

func vmNICs(v *load.VM) (names []string) {
	names = []string{""}
	for _, n := range v.NICs {
		names = append(names, strconv.Itoa(int(n.Key)))
	}
	return names
}

func vmDisks(v *load.VM) (names []string) {
	for _, d := range v.Disks {
		names = append(names, d.Name)
	}
	return names
}

func vmStores(v *load.VM) (names []string) {
	for _, s := range v.Stores() {
		names = append(names, world.UUID(s))
	}
	return names
}

// numbered returns n numbered instances, and the total.
func numbered(prefix string, n int) []string {
	names := make([]string, 1, n+1)
	for i := range n {
		names = append(names, prefix+strconv.Itoa(i))
	}
	return names
}
