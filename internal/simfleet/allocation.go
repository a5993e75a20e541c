package simfleet

import "github.com/vmware/govmomi/vim25/types"

// noLimit is vSphere's value for no limit.
const noLimit = -1

func allocation(reservation, limit int64, level types.SharesLevel, shares int32) *types.ResourceAllocationInfo {
	return &types.ResourceAllocationInfo{
		Reservation:           new(reservation),
		ExpandableReservation: new(true),
		Limit:                 new(limit),
		Shares:                &types.SharesInfo{Level: level, Shares: shares},
	}
}

// limit returns a limit in vSphere's form.
func limit(n int64) int64 {
	if n == 0 {
		return noLimit
	}
	return n
}
