package vsphere

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

// bestEVC is the newest mode that all hosts of a cluster can be in: the lowest of what each can; "" where they can be in
// none, as an empty cluster, or one with CPUs of two vendors.
func (x *index) bestEVC(cluster ref) inventory.Fact[string] {
	return then(x.evc, func(modes map[string]types.EVCMode) inventory.Fact[string] {
		var best types.EVCMode
		for _, n := range x.hosts() {
			if x.compute(n.ref) != cluster {
				continue
			}
			key, state, reason := x.bestModes[n.ref].Get()
			if n.down != "" || state != inventory.StateKnown {
				return inventory.Unread[string]("of " + plain(unescape(n.name)) + ": " + firstOf(n.down, reason))
			}
			mode, known := modes[key]
			switch {
			case key != "" && !known:
				return inventory.Unread[string]("the server does not list EVC mode " + plain(key))
			case key == "", best.Key != "" && best.Vendor != mode.Vendor:
				return inventory.Known("")
			case best.Key == "" || mode.VendorTier < best.VendorTier:
				best = mode
			}
		}
		return inventory.Known(best.Key)
	})
}

func firstOf(reasons ...string) string {
	for _, r := range reasons {
		if r != "" {
			return r
		}
	}
	return "the server returned no " + pathBestEVC
}
