package simfleet

import (
	"fmt"
	"strconv"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// extraConfig returns the VMX entries that vCenter shows for any VM, including the tuning keys of the row. All values are
// strings, as on recorded vCenters.
func (v *vmBuilder) extraConfig() []types.BaseOptionValue {
	var list []types.BaseOptionValue
	add := func(key, value string) {
		list = append(list, &types.OptionValue{Key: key, Value: v.written(key, value)})
	}
	add("nvram", v.row.Name+".nvram")
	add("svga.present", "TRUE")
	add("pciBridge0.present", "TRUE")
	add("hpet0.present", "TRUE")
	add("disk.EnableUUID", "TRUE")
	add("viv.moid", fmt.Sprintf("%s:vm-%d", v.cfg.vcenterUUID(), firstVM+v.number))
	add("numa.autosize.cookie", fmt.Sprintf("%d0012", v.row.VCPUs))
	add(autosized, strconv.Itoa(min(int(v.row.VCPUs), v.host.Row.Server.Cores)))
	add("sched.swap.derivedName", fmt.Sprintf("/vmfs/volumes/%s/%s/%s.vswp", world.UUID(datastoreName), v.row.Name, v.row.Name))
	for i, n := range v.row.NICs {
		add(v.slotKey(i), strconv.Itoa(160+32*i))
		if n.PNICFeatures != "" {
			add(featuresKey(n, i), n.PNICFeatures)
		}
	}
	add("scsi0.pciSlotNumber", "32")
	add("guestinfo.vmtools.buildNumber", "22544099")
	add("guestinfo.vmtools.versionNumber", v.row.Tools.Version)
	if v.row.Secret != "" {
		add(v.row.Secret, planted)
	}
	for _, k := range v.row.Keys {
		if k.Key != autosized {
			add(k.Key, k.Value)
		}
	}
	add("migrate.hostLog", v.row.Name+"-5f1d2c3b.hlog")
	return list
}

// planted is the value of each secret, which is easy to search for.
const planted = "SECRET-do-not-leak"

// autosized is the key that ESXi sets for the host on which the VM first ran.
const autosized = "numa.autosize.vcpu.maxPerVirtualNode"

// written returns the value in the file: the row's value for a key that every VM has, or the usual one.
func (v *vmBuilder) written(key, usual string) string {
	for _, k := range v.row.Keys {
		if k.Key == key {
			return k.Value
		}
	}
	return usual
}

// slotKey returns a key that occurs in both cases in practice; every other VM has it in lower case.
func (v *vmBuilder) slotKey(nic int) string {
	if v.number%2 == 1 {
		return fmt.Sprintf("ethernet%d.pcislotnumber", nic)
	}
	return fmt.Sprintf("ethernet%d.pciSlotNumber", nic)
}

func featuresKey(n fleetdata.VNIC, nic int) string {
	if n.LowerCase {
		return fmt.Sprintf("ethernet%d.pnicfeatures", nic)
	}
	return fmt.Sprintf("ethernet%d.pnicFeatures", nic)
}
