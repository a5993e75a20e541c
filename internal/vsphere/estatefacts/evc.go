package estatefacts

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/pkg/inventory"
)

// Properties with the EVC modes: the best mode of a host, and all modes that vCenter knows.
const (
	PathBestEVC = "summary.maxEVCModeKey"
	PathEVC     = "capability.supportedEVCMode"
)

// EVCTiers holds the EVC modes that the server knows by key. The tiers of each vendor ascend from the oldest.
type EVCTiers = inventory.Fact[map[string]types.EVCMode]

// AsEVCTiers decodes the value of PathEVC into modes by key. It reports false for a value of another type.
func AsEVCTiers(v any) (map[string]types.EVCMode, bool) {
	list, ok := property.As[types.ArrayOfEVCMode](v)
	modes := make(map[string]types.EVCMode, len(list.EVCMode))
	for _, m := range list.EVCMode {
		modes[m.Key] = types.EVCMode{ElementDescription: m.ElementDescription, Vendor: m.Vendor, VendorTier: m.VendorTier}
	}
	return modes, ok
}
