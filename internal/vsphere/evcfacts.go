package vsphere

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

const (
	pathBestEVC = "summary.maxEVCModeKey"
	pathEVC     = "capability.supportedEVCMode"
)

// evcTiers are the EVC modes that the server knows: each vendor's run from the oldest up.
type evcTiers = inventory.Fact[map[string]types.EVCMode]

func asEVCTiers(v any) (map[string]types.EVCMode, bool) {
	list, ok := asIs[types.ArrayOfEVCMode](v)
	modes := make(map[string]types.EVCMode, len(list.EVCMode))
	for _, m := range list.EVCMode {
		modes[m.Key] = types.EVCMode{ElementDescription: m.ElementDescription, Vendor: m.Vendor, VendorTier: m.VendorTier}
	}
	return modes, ok
}
