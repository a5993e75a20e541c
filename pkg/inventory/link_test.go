package inventory

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPartsOfSetsAreUnread: lists that were read only in part are unread, such as the hosts of a cluster of which one
// host was selected.
func TestPartsOfSetsAreUnread(t *testing.T) {
	s := fleet()
	v := s.VCenters[0]
	members, known := v.Clusters[0].Hosts.Value()
	require.True(t, known)
	require.Len(t, members, 2)
	vms, known := v.Hosts[0].VMs.Value()
	require.True(t, known)
	require.Len(t, vms, 1)
	vms, known = v.Hosts[2].VMs.Value()
	require.True(t, known, "no VM is an answer too")
	require.Empty(t, vms)

	part, err := fleet().Narrow(Targets{Hosts: []string{"esx-a.example.com"}})
	require.NoError(t, err)
	_, state, reason := part.VCenters[0].Clusters[0].Hosts.Get()
	require.Equal(t, StateUnread, state)
	require.Equal(t, "not in scope: 1 of the cluster's 2 hosts were not asked for", reason)
	require.True(t, NotInScope(reason))
	part.VCenters[0].Whole = true
	part.Link()
	_, _, reason = part.VCenters[0].Clusters[0].Hosts.Get()
	require.Equal(t, "1 of the cluster's 2 hosts were not read", reason, "all were asked for")
	require.False(t, NotInScope(reason))

	one, err := fleet().Narrow(Targets{VMs: []string{"web-01"}})
	require.NoError(t, err)
	require.True(t, one.VCenters[0].ChosenVMs)
	_, state, reason = one.VCenters[0].Hosts[0].VMs.Get()
	require.Equal(t, StateUnread, state)
	require.Contains(t, reason, "only some of the host's virtual machines")
	require.True(t, NotInScope(reason))

	v.Unread = "its list of virtual machines is incomplete"
	s.Link()
	_, _, reason = v.Hosts[0].VMs.Get()
	require.Equal(t, v.Unread, reason)
}

func TestDatastoresAndDisks(t *testing.T) {
	s := fleet()
	v := s.VCenters[0]
	lun := func(device, support string) *LUN { return &LUN{Device: device, HardwareAcceleration: Known(support)} }
	v.Hosts[0].LUNs = Known([]*LUN{lun("naa.1", "vStorageSupported"), lun("naa.2", "vStorageUnsupported")})
	v.Hosts[1].LUNs = Known([]*LUN{lun("naa.1", "vStorageUnknown"), lun("naa.3", "vStorageSupported")})
	store := func(id string, kind string, extents Fact[[]string], hosts ...string) *Datastore {
		return &Datastore{Entity: Entity{ID: id, Name: id}, Kind: Known(kind), Extents: extents, HostIDs: Known(hosts)}
	}
	v.Datastores = []*Datastore{
		store("ds-1", DatastoreVMFS, Known([]string{"naa.1"}), "host-1", "host-2"),
		store("ds-2", DatastoreVMFS, Known([]string{"naa.1", "naa.2"}), "host-1"),
		store("ds-3", DatastoreNFS, Absent[[]string](), "host-1"),
		store("ds-4", DatastoreVMFS, Known([]string{"naa.9"}), "host-3"),
		store("ds-5", DatastoreVMFS, Known([]string{"naa.3", "naa.9"}), "host-2"),
	}
	v.VMs[0].Disks = Known([]*VDisk{{Key: 2000, DatastoreID: Known("ds-3")}, {Key: 2001, DatastoreID: Known("ds-9")}})
	s.Link()
	s.Link() // linking again changes nothing

	require.Equal(t, Known("vStorageUnknown"), v.Datastores[0].HardwareAcceleration)
	require.Equal(t, Known("vStorageUnsupported"), v.Datastores[1].HardwareAcceleration, "the worst disk counts")
	require.Equal(t, Absent[string](), v.Datastores[2].HardwareAcceleration)
	_, state, reason := v.Datastores[3].HardwareAcceleration.Get()
	require.Equal(t, StateUnread, state)
	require.Equal(t, "the disks it lies on were not read", reason)
	_, state, _ = v.Datastores[4].HardwareAcceleration.Get()
	require.Equal(t, StateUnread, state, "one of its two disks does, and the other is unknown")

	mounted, known := v.Hosts[0].Datastores.Value()
	require.True(t, known)
	require.Len(t, mounted, 3)
	luns, _ := v.Hosts[0].LUNs.Value()
	require.Equal(t, Known([]*Datastore{v.Datastores[0], v.Datastores[1]}), luns[0].Datastores)
	require.Equal(t, "esx-a.example.com/naa.1", luns[0].Ref().Name)
	disks, _ := v.VMs[0].Disks.Value()
	require.Equal(t, Known(v.Datastores[2]), disks[0].Datastore)
	_, _, reason = disks[1].Datastore.Get()
	require.Equal(t, "its datastore was not read", reason)
}
