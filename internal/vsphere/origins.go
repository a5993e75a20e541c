package vsphere

import "slices"

// Origins lists where every fact comes from, by the fact's name: properties of its managed object, or of the one that
// owns the device, or the method that is called. It is read off the tables that reading goes by.
func Origins() map[string][]string {
	all := map[string][]string{}
	origins(all, hostTable)
	origins(all, vmTable)
	origins(all, clusterTable)
	origins(all, poolTable)
	origins(all, switchTable)
	origins(all, storeTable)
	origins(all, vcenterTable)
	all["VM.snapshotBytes"] = append(all["VM.snapshotBytes"], pathLayout)
	for _, r := range perHostReads { // what of such a fact is a property only says whom to ask
		if r.from[0] == "esxcli "+cliNIC {
			continue // properties tell it from 8.0 on
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

func origins[O any](all map[string][]string, t table[O]) {
	for _, e := range t.entries {
		for _, fact := range e.facts {
			paths := slices.Concat(all[fact], e.paths)
			slices.Sort(paths)
			all[fact] = slices.Compact(paths)
		}
	}
}
