package read

import (
	"cmp"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/estatefacts"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

// bestEVC returns the newest mode that all hosts of a cluster support: the lowest of their maximum modes; "" if there is none, as
// in an empty cluster or one with CPUs of two vendors.
func (x *index) bestEVC(cluster ref) inventory.Fact[string] {
	return property.Then(x.evc, func(modes map[string]types.EVCMode) inventory.Fact[string] {
		var best types.EVCMode
		for _, n := range x.Hosts() {
			if x.Compute(n.Ref) != cluster {
				continue
			}
			key, state, reason := x.bestModes[n.Ref].Get()
			if n.UnreadReason != "" {
				return inventory.Unread[string](hostGap(n, "of"))
			}
			if state != inventory.StateKnown {
				return inventory.Unread[string]("of " + session.Plain(tree.Unescape(n.Name)) + ": " + cmp.Or(reason, "the server returned no "+estatefacts.PathBestEVC))
			}
			mode, known := modes[key]
			switch {
			case key != "" && !known:
				return inventory.Unread[string]("the server does not list EVC mode " + session.Plain(key))
			case key == "", best.Key != "" && best.Vendor != mode.Vendor:
				return inventory.Known("")
			case best.Key == "" || mode.VendorTier < best.VendorTier:
				best = mode
			}
		}
		return inventory.Known(best.Key)
	})
}
