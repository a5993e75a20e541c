package vmfacts

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
)

func fillVNICs(p *property.Props, v *vm) {
	v.VNICs = property.Read(p, PathDevices, asVNICs, property.DefaultTo([]*inventory.VNIC{}))
}

func asVNICs(v any) ([]*inventory.VNIC, bool) {
	list, ok := property.As[types.ArrayOfVirtualDevice](v)
	nics := []*inventory.VNIC{}
	for _, d := range list.VirtualDevice {
		if card, isCard := d.(types.BaseVirtualEthernetCard); isCard {
			nics = append(nics, vnic(card))
		}
	}
	slices.SortFunc(nics, func(a, b *inventory.VNIC) int { return cmp.Compare(a.Key, b.Key) })
	return nics, ok
}

func vnic(card types.BaseVirtualEthernetCard) *inventory.VNIC {
	d := card.GetVirtualEthernetCard().VirtualDevice
	n := &inventory.VNIC{
		Key: d.Key, Type: inventory.Known(vnicType(card)), NUMANode: deviceNode(d),
		UPTv2: inventory.Absent[bool](), StrictLatency: inventory.Absent[bool](),
	}
	n.Label = cmp.Or(label(d), "ethernet"+strconv.Itoa(n.Index()))
	if v := vmxnet3(card); v != nil {
		fillVmxnet3(n, v)
	}
	return n
}

// vmxnet3 returns the adapter as a vmxnet3, or nil for another type.
func vmxnet3(card types.BaseVirtualEthernetCard) *types.VirtualVmxnet3 {
	switch c := card.(type) {
	case *types.VirtualVmxnet3:
		return c
	case *types.VirtualVmxnet3Vrdma:
		return &c.VirtualVmxnet3
	}
	return nil
}

// fillVmxnet3 sets the facts of a vmxnet3. Servers without support for passthrough or real-time networking omit the fields, and
// so do later ones for adapters on which they were never set.
func fillVmxnet3(n *inventory.VNIC, v *types.VirtualVmxnet3) {
	if v.Uptv2Enabled != nil {
		n.UPTv2 = inventory.Known(*v.Uptv2Enabled)
	}
	if c := v.StrictLatencyConfig; c != nil {
		n.StrictLatency = property.Reported(c.Allowed, "whether real-time networking is allowed on "+session.Plain(n.Label))
	}
}

// vnicType returns the adapter type that the guest sees. Types embed each other in govmomi, so each is listed: a paravirtual RDMA
// adapter is a vmxnet3 with RDMA.
func vnicType(card types.BaseVirtualEthernetCard) string {
	switch card.(type) {
	case *types.VirtualVmxnet3, *types.VirtualVmxnet3Vrdma:
		return inventory.VNICVmxnet3
	case *types.VirtualVmxnet2:
		return inventory.VNICVmxnet2
	case *types.VirtualVmxnet:
		return inventory.VNICVmxnet
	case *types.VirtualE1000:
		return inventory.VNICE1000
	case *types.VirtualE1000e:
		return inventory.VNICE1000e
	case *types.VirtualPCNet32:
		return inventory.VNICPCNet32
	case *types.VirtualSriovEthernetCard:
		return inventory.VNICSRIOV
	}
	return inventory.VNICOther
}

func fillPNICFeatures(_ *property.Props, v *vm) {
	nics, _ := v.VNICs.Value()
	for _, n := range nics {
		key := "ethernet" + strconv.Itoa(n.Index()) + ".pnicFeatures"
		n.PNICFeatures = property.Then(v.VMXKey(key), func(text string) inventory.Fact[int64] { return parseFeatures(key, text) })
	}
}

// parseFeatures parses the bitmask; a missing key means no bits.
func parseFeatures(key, text string) inventory.Fact[int64] {
	if text == "" {
		return inventory.Known(int64(0))
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return inventory.Unread[int64](fmt.Sprintf("%s is %q, not a number", key, session.Plain(text)))
	}
	return inventory.Known(n)
}
