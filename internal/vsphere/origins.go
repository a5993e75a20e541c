package vsphere

import "slices"

// Origin says where in vSphere's API a fact comes from.
type Origin struct {
	Object string   // managed object type
	Paths  []string // properties, or the method that is called
}

// perHostMethods are what Fill calls for facts that no property has.
var perHostMethods = map[string]string{
	"PNIC.driverOptions": "HostKernelModuleSystem.QueryConfiguredModuleOptionString",
	"PNIC.rss":           "HostKernelModuleSystem.QueryConfiguredModuleOptionString",
}

// Origins lists where every fact comes from, by the fact's name. It is read off the tables that reading goes by.
func Origins() map[string]Origin {
	all := map[string]Origin{}
	origins(all, hostTable)
	origins(all, vmTable)
	origins(all, poolTable)
	origins(all, switchTable)
	origins(all, vcenterTable)
	for fact, method := range perHostMethods {
		all[fact] = Origin{all[fact].Object, []string{method}}
	}
	return all
}

func origins[O any](all map[string]Origin, t table[O]) {
	for _, e := range t.entries {
		for _, fact := range e.facts {
			paths := slices.Concat(all[fact].Paths, e.paths)
			slices.Sort(paths)
			all[fact] = Origin{t.of, slices.Compact(paths)}
		}
	}
}
