package read

import (
	"slices"

	"github.com/vperf/vperf/internal/vsphere/estatefacts"
	"github.com/vperf/vperf/internal/vsphere/hostfacts"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/vmfacts"
)

// Origins returns the source of every fact by the fact's name: properties of its managed object or of the device's owner, or the
// method that is called. It is derived from the tables used for reading.
func Origins() map[string][]string {
	all := map[string][]string{}
	origins(all, hostfacts.Table)
	origins(all, vmfacts.Table)
	origins(all, estatefacts.ClusterTable)
	origins(all, estatefacts.PoolTable)
	origins(all, estatefacts.SwitchTable)
	origins(all, estatefacts.StoreTable)
	origins(all, estatefacts.VcenterTable)
	all["VM.snapshotBytes"] = append(all["VM.snapshotBytes"], vmfacts.PathLayout)
	for _, r := range perHostReads { // the property of such a fact only shows which object to ask
		if r.from[0] == "esxcli "+cliNIC {
			continue // a property has it from 8.0 on
		}
		for i, fact := range r.facts {
			all[fact] = []string{r.from[min(i, len(r.from)-1)]}
		}
	}
	for _, kind := range []string{"VCenter", "Cluster", "Pool", "Host", "Switch", "Datastore", "VM"} {
		all[kind+".tags"] = []string{"vSphere Automation API, tags"}
		all[kind+".attributes"] = []string{"customValue"}
	}
	return all
}

func origins[O any](all map[string][]string, t property.Table[O]) {
	for _, e := range t.Entries {
		for _, fact := range e.Facts {
			paths := slices.Concat(all[fact], e.Paths)
			slices.Sort(paths)
			all[fact] = slices.Compact(paths)
		}
	}
}
