package hostfacts

import (
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/pkg/inventory"
)

const (
	pathFlashName = "config.vFlashConfigInfo.vFlashResourceConfigInfo.vffs.name"
	pathFlashUUID = "config.vFlashConfigInfo.vFlashResourceConfigInfo.vffs.uuid"

	scratchOption = "ScratchConfig.CurrentScratchLocation"
	systemVolume  = "OSDATA-" // prefix of the name of the volume that ESXi 7.0 and later run from
)

// fillFlashVolume distinguishes a volume that users gave to the flash read cache from the one that ESXi runs from: 7.0 and later
// list both as a virtual flash resource.
func fillFlashVolume(p *property.Props, h *host) {
	uuid := property.Read(p, pathFlashUUID, property.Text, property.DefaultTo(""))
	h.FlashVolumeIsSystem = property.Then(property.Read(p, pathFlashName, property.Text, property.DefaultTo("")), func(name string) inventory.Fact[bool] {
		if name == "" || strings.HasPrefix(name, systemVolume) {
			return inventory.Known(name != "")
		}
		return property.Then(scratchLocation(p), func(scratch string) inventory.Fact[bool] {
			return property.Then(uuid, func(uuid string) inventory.Fact[bool] {
				return inventory.Known(onVolume(scratch, name) || onVolume(scratch, uuid))
			})
		})
	})
}

// scratchLocation returns the location of the host's scratch files, or "" if it has no such option.
func scratchLocation(p *property.Props) inventory.Fact[string] {
	return property.Then(readOptions(p), func(list types.ArrayOfOptionValue) inventory.Fact[string] {
		for _, o := range list.OptionValue {
			if o == nil || o.GetOptionValue().Key != scratchOption {
				continue
			}
			if why := p.Undecoded(scratchOption, o.GetOptionValue().Value); why != "" {
				return inventory.Unread[string](why)
			}
			path, _ := o.GetOptionValue().Value.(string)
			return inventory.Known(path)
		}
		return inventory.Known("")
	})
}

// onVolume reports a path below /vmfs/volumes on the volume with that name or UUID.
func onVolume(path, volume string) bool {
	rest, below := strings.CutPrefix(path, "/vmfs/volumes/")
	first, _, _ := strings.Cut(rest, "/")
	return below && volume != "" && strings.EqualFold(first, volume)
}
