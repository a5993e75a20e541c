package hostfacts

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
)

const pathHBA = "config.storageDevice.hostBusAdapter"

// fillHBAs lists the storage adapters. An unset list means an empty one.
func fillHBAs(p *property.Props, h *host) {
	all := property.Read(p, pathHBA, property.As[types.ArrayOfHostHostBusAdapter], property.DefaultTo(types.ArrayOfHostHostBusAdapter{}))
	h.HBAs = property.Then(all, func(a types.ArrayOfHostHostBusAdapter) inventory.Fact[[]*inventory.HBA] {
		hbas := []*inventory.HBA{}
		for _, b := range a.HostHostBusAdapter {
			if b != nil {
				hbas = append(hbas, hba(b))
			}
		}
		return inventory.Known(hbas)
	})
}

// fillHBAVersions marks the versions of adapters that esxcli lists as Fibre Channel or SAS. Session.Fill asks the host. SAS
// adapters are of several types in the API.
func fillHBAVersions(_ *property.Props, h *host) {
	hbas, _ := h.HBAs.Value()
	for _, b := range hbas {
		b.DriverVersion, b.FirmwareVersion = inventory.Absent[string](), inventory.Absent[string]()
		switch kind, _ := b.Kind.Value(); kind {
		case inventory.HBAFibreChannel, inventory.HBABlock, inventory.HBAOther:
			b.DriverVersion, b.FirmwareVersion = inventory.Unread[string](inventory.PerHost), inventory.Unread[string](inventory.PerHost)
		}
	}
}

func hba(b types.BaseHostHostBusAdapter) *inventory.HBA {
	common := b.GetHostHostBusAdapter()
	out := &inventory.HBA{
		Device: common.Device, Kind: inventory.Known(hbaKind(b)),
		Model:    trimmed(common.Model, "the host does not report the model of "+session.Plain(common.Device)),
		Driver:   trimmed(common.Driver, "the host does not report the driver of "+session.Plain(common.Device)),
		Status:   trimmed(common.Status, "the host does not report how "+session.Plain(common.Device)+" works"),
		Software: inventory.Absent[bool](), DelayedAck: inventory.Absent[bool](), Targets: inventory.Absent[int64](),
	}
	if iscsi, ok := b.(*types.HostInternetScsiHba); ok {
		out.Software = inventory.Known(iscsi.IsSoftwareBased)
		out.DelayedAck = delayedAck(iscsi)
		out.Targets = inventory.Known(int64(len(iscsi.ConfiguredSendTarget) + len(iscsi.ConfiguredStaticTarget)))
	}
	return out
}

// hbaKind returns the kind of adapter, by protocol first: a Fibre Channel adapter that supports NVMe appears a second time.
func hbaKind(b types.BaseHostHostBusAdapter) string {
	if b.GetHostHostBusAdapter().StorageProtocol == string(types.HostStorageProtocolNvme) {
		return inventory.HBANVMe
	}
	switch b.(type) {
	case *types.HostInternetScsiHba:
		return inventory.HBAiSCSI
	case *types.HostFibreChannelOverEthernetHba:
		return inventory.HBAFCoE
	case *types.HostFibreChannelHba:
		return inventory.HBAFibreChannel
	case *types.HostBlockHba:
		return inventory.HBABlock
	}
	return inventory.HBAOther
}

// delayedAck returns the option's value. An adapter that does not list the option does not have it, as some hardware does not.
func delayedAck(b *types.HostInternetScsiHba) inventory.Fact[bool] {
	for _, o := range b.AdvancedOptions {
		if o.Key != "DelayedAck" {
			continue
		}
		if on, ok := o.Value.(bool); ok {
			return inventory.Known(on)
		}
		return inventory.Unread[bool]("the host returned DelayedAck of " + session.Plain(b.Device) + " in a form that vperf does not understand")
	}
	return inventory.Absent[bool]()
}
