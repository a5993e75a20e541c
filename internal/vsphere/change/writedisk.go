package change

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/privilege"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/vmfacts"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// leastIOPS is the smallest disk limit that the vSphere Client accepts.
const leastIOPS = 16

// diskLimit is the limit of a disk in I/Os per second. An address names the disk by its device key. A disk without a limit in the
// answer is unlimited, as the API defines it, so that writing unlimited restores exactly that state.
var diskLimit = vmSetting{
	parse: upTo(math.MaxInt64), allow: orUnlimited(leastIOPS),
	read: func(n *vmState, of inventory.Setting, a tuning.Address) inventory.Fact[inventory.Value] {
		return property.Then(n.Disks, func(all []*inventory.VDisk) inventory.Fact[inventory.Value] {
			for _, d := range all {
				if strconv.Itoa(int(d.Key)) == a.Device {
					return of.Current(d)
				}
			}
			return inventory.Unread[inventory.Value](noDisk(a))
		})
	},
	extraPrivileges: func(n *vmState, a tuning.Address) []string {
		if isRaw(n.disk(a.Device)) {
			return []string{privilege.RawDevice}
		}
		return nil
	},
	put: func(e *vmEdit, _ inventory.Setting, a tuning.Assignment) error {
		disk := e.now.disk(a.Device)
		if disk == nil {
			return fmt.Errorf("setting the limit: %s", noDisk(a.Address))
		}
		v, _ := a.Value.Value()
		n, _ := v.Int()
		e.spec.DeviceChange = append(e.spec.DeviceChange, limited(disk, n))
		return nil
	},
}

func noDisk(a tuning.Address) string {
	return "the VM has no disk " + session.Plain(cmp.Or(a.Label, a.Device)) + " with device key " + strconv.Quote(session.Plain(a.Device))
}

// disk returns a disk as the server sent it, or nil.
func (n *vmState) disk(key string) *types.VirtualDisk {
	v, _ := n.props.Lookup(vmfacts.PathDevices)
	list, _ := property.As[types.ArrayOfVirtualDevice](v)
	for _, d := range list.VirtualDevice {
		if disk, ok := d.(*types.VirtualDisk); ok && strconv.Itoa(int(disk.Key)) == key {
			return disk
		}
	}
	return nil
}

// isRaw reports a disk that is a LUN (by raw device mapping or directly) or a partition of one.
func isRaw(disk *types.VirtualDisk) bool {
	if disk == nil {
		return false
	}
	switch disk.Backing.(type) {
	case *types.VirtualDiskRawDiskMappingVer1BackingInfo, *types.VirtualDiskRawDiskVer2BackingInfo, *types.VirtualDiskPartitionedRawDiskVer2BackingInfo:
		return true
	}
	return false
}

// limited returns the edit of a disk: all of it is sent unchanged, except for the limit.
func limited(disk *types.VirtualDisk, iops int64) *types.VirtualDeviceConfigSpec {
	edited, share := *disk, types.StorageIOAllocationInfo{}
	if disk.StorageIOAllocation != nil {
		share = *disk.StorageIOAllocation
	}
	share.Limit = &iops
	edited.StorageIOAllocation = &share
	return &types.VirtualDeviceConfigSpec{Operation: types.VirtualDeviceConfigSpecOperationEdit, Device: &edited}
}
