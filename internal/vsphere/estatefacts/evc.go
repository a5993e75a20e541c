package estatefacts

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/pkg/inventory"
)

// Properties that say which EVC modes exist: the best one of a host, and all that vCenter knows.
const (
	PathBestEVC = "summary.maxEVCModeKey"
	PathEVC     = "capability.supportedEVCMode"
)

// EVCTiers are the EVC modes that the server knows: each vendor's run from the oldest up.
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
