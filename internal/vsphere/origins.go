package vsphere

import "slices"

// perHostMethods are what Fill calls for facts that no property has.
var perHostMethods = map[string]string{
	"PNIC.driverOptions": "HostKernelModuleSystem.QueryConfiguredModuleOptionString",
	"PNIC.rss":           "HostKernelModuleSystem.QueryConfiguredModuleOptionString",
}

// Origins lists where every fact comes from, by the fact's name: properties of its managed object, or of the one that
// owns the device, or the method that is called. It is read off the tables that reading goes by.
func Origins() map[string][]string {
	all := map[string][]string{}
	origins(all, hostTable)
	origins(all, vmTable)
	origins(all, poolTable)
	origins(all, switchTable)
	origins(all, vcenterTable)
	for fact, method := range perHostMethods {
		all[fact] = []string{method}
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
