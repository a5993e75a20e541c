package module

import (
	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/inventory"
)

// firmwareModule exports the versions of storage adapters. They have a series of their own, so that those of the module
// hardware do not depend on calls that may fail.
func firmwareModule() Surveyed {
	return Surveyed{
		Name:    Firmware,
		Needs:   needsOf("Host.hbas", "HBA.kind", "HBA.model", "HBA.driver", "HBA.driverVersion", "HBA.firmwareVersion"),
		PerHost: true,
		Write:   writeFirmware,
		Coverage: func(v *inventory.VCenter) (int, int, string) {
			return covered("", v.Hosts, func(h *inventory.Host) []inventory.Reader {
				facts := []inventory.Reader{&h.HBAs}
				hbas, _ := h.HBAs.Value()
				for _, b := range hbas {
					facts = append(facts, &b.DriverVersion, &b.FirmwareVersion)
				}
				return facts
			})
		},
	}
}

// writeFirmware writes the adapters of which a version is known.
func writeFirmware(w *exposition.Writer, v *inventory.VCenter) {
	var all []*inventory.HBA
	for _, b := range devicesOf(v.Hosts, func(h *inventory.Host) inventory.Fact[[]*inventory.HBA] { return h.HBAs }) {
		if text(b.DriverVersion) != "" || text(b.FirmwareVersion) != "" {
			all = append(all, b)
		}
	}
	writeInfo(w, "esxi_adapter_firmware_info",
		"Driver version and firmware of a Fibre Channel or SAS adapter (esxcli storage san fc list, esxcli storage san sas list).", all,
		func(b *inventory.HBA) exposition.Labels {
			return exposition.NewLabels("host", b.Host().Name, "moid", b.Host().ID, "adapter", b.Device, "model", text(b.Model),
				"driver", text(b.Driver), "driver_version", text(b.DriverVersion), "firmware", text(b.FirmwareVersion))
		})
}
