package change

import (
	"context"
	"errors"
	"fmt"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/estatefacts"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// volume is a VMFS volume as seen by one of the hosts through which it can be changed. The priority is stored in the volume
// itself, for all hosts that mount it.
type volume struct {
	vmfs   inventory.Fact[*types.HostVmfsVolume]
	system ref // the storage system of the host; zero if no host can be asked
}

var unmapWriter = &singleReadWriter[volume]{
	readAll: readVolume,
	value: func(v volume, _ tuning.Address) valueFact {
		return property.Then(estatefacts.UnmapPriority(v.vmfs), func(word string) valueFact { return inventory.Known(inventory.StringValue(word)) })
	},
	absentMeans: "only VMFS 6 reclaims space automatically",
	refuse: func(v volume, _ tuning.Address, want inventory.Value) string {
		switch {
		case want.Text != unmapNone && want.Text != unmapLow:
			return fmt.Sprintf("it accepts %s or %s, not %q", unmapNone, unmapLow, session.Plain(want.Text))
		case v.system.Value == "":
			return errNoWriter.Error()
		}
		return ""
	},
	set: func(ctx context.Context, s *estate, v volume, want inventory.Value) error {
		vmfs, err := requireKnown("VMFS volume", v.vmfs)
		if err != nil {
			return err
		}
		if v.system.Value == "" {
			return errNoWriter
		}
		_, err = methods.UpdateVmfsUnmapPriority(ctx, s, &types.UpdateVmfsUnmapPriority{
			This: v.system, VmfsUuid: vmfs.Uuid, UnmapPriority: want.Text,
		})
		return session.Unsure(ctx, err)
	},
}

// The priorities that this method accepts; medium and high exist as bandwidths in later releases.
const (
	unmapNone = string(types.HostVmfsVolumeUnmapPriorityNone)
	unmapLow  = string(types.HostVmfsVolumeUnmapPriorityLow)
)

var errNoWriter = errors.New("no connected host mounts the datastore for writing")

func readVolume(ctx context.Context, s *estate, t tuning.Target) (volume, error) {
	p, err := s.target(ctx, t, estatefacts.PathInfo, estatefacts.PathMounts)
	if err != nil {
		return volume{}, err
	}
	v := volume{vmfs: property.Then(property.Read(p, estatefacts.PathInfo, estatefacts.AsVMFS, property.Required), func(vmfs *types.HostVmfsVolume) inventory.Fact[*types.HostVmfsVolume] {
		if vmfs == nil {
			return inventory.Absent[*types.HostVmfsVolume]()
		}
		return inventory.Known(vmfs)
	})}
	mounts, _ := property.Read(p, estatefacts.PathMounts, property.As[types.ArrayOfDatastoreHostMount], property.AbsentIfUnset).Value()
	if v.system, err = s.storageSystem(ctx, mounts.DatastoreHostMount); err != nil || v.system.Value == "" {
		return v, err
	}
	if vmfs, ok := v.vmfs.Value(); ok {
		v.vmfs, err = s.volumeAt(ctx, v.system, vmfs)
	}
	return v, err
}

const pathStorageSystem = "configManager.storageSystem"

// storageSystem returns the storage system of the first connected host that may write to a datastore.
func (s *estate) storageSystem(ctx context.Context, mounts []types.DatastoreHostMount) (ref, error) {
	var from []types.ObjectSpec
	for _, m := range mounts {
		if m.MountInfo.AccessMode == string(types.HostMountModeReadWrite) && !isFalse(m.MountInfo.Mounted) && !isFalse(m.MountInfo.Accessible) {
			from = append(from, types.ObjectSpec{Obj: m.Key})
		}
	}
	systems := map[ref]ref{}
	found, err := s.objects(ctx, "hosts that mount it", from, types.PropertySpec{Type: property.TypeHost, PathSet: append(tree.StatePaths(), pathStorageSystem)})
	for _, p := range found {
		system, ok := property.Read(p, pathStorageSystem, property.As[ref], property.AbsentIfUnset).Value()
		if ok && tree.HostUnreadReason(p) == "" {
			systems[p.Ref] = system
		}
	}
	for _, h := range from {
		if system, ok := systems[h.Obj]; ok {
			return system, err
		}
	}
	return ref{}, err
}

func isFalse(b *bool) bool { return b != nil && !*b }

// volumeAt reads a volume from a host. vCenter's own list of datastores comes from the hosts; it is the fallback if this host
// does not list the volume.
func (s *estate) volumeAt(ctx context.Context, system ref, known *types.HostVmfsVolume) (inventory.Fact[*types.HostVmfsVolume], error) {
	p, err := s.object(ctx, system, "fileSystemVolumeInfo.mountInfo")
	if err != nil {
		return inventory.Fact[*types.HostVmfsVolume]{}, err
	}
	list, _ := property.Read(p, "fileSystemVolumeInfo.mountInfo", property.As[types.ArrayOfHostFileSystemMountInfo], property.AbsentIfUnset).Value()
	return inventory.Known(volumeAmong(list.HostFileSystemMountInfo, known)), nil
}

func volumeAmong(mounts []types.HostFileSystemMountInfo, known *types.HostVmfsVolume) *types.HostVmfsVolume {
	for _, m := range mounts {
		if vmfs, ok := m.Volume.(*types.HostVmfsVolume); ok && vmfs.Uuid == known.Uuid {
			return vmfs
		}
	}
	return known
}
