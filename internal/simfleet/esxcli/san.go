package esxcli

import (
	"cmp"
	"fmt"

	cli "github.com/vmware/govmomi/cli/esx"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
)

// cliFC lists the Fibre Channel adapters. Hosts write DriverVersion without a blank here.
func (e cliHost) cliFC(map[string]string) (rows []cli.Values, ok bool) {
	fc := fleetdata.Demo().FC
	for _, b := range e.System.Config.StorageDevice.HostBusAdapter {
		hba, is := b.(*types.HostFibreChannelHba)
		if !is {
			continue
		}
		rows = append(rows, values("Adapter", hba.Device, "PortID", "010200", "NodeName", wwn(hba.NodeWorldWideName), "PortName", wwn(hba.PortWorldWideName),
			"Speed", fmt.Sprintf("%d Gbps", hba.Speed), "PortType", "NPort", "PortState", "ONLINE", "ModelDescription", hba.Model,
			"HardwareVersion", "0000000c", "OptionROMVersion", "", "FirmwareVersion", cmp.Or(e.Row.ESXCLI.FCFirmware, fc.Versions.Firmware),
			"DriverName", hba.Driver, "DriverVersion", fc.Versions.Driver))
	}
	return rows, true
}

// wwn writes a world wide name as esxcli does.
func wwn(name int64) string {
	text := fmt.Sprintf("%016x", name)
	for i := 14; i > 0; i -= 2 {
		text = text[:i] + ":" + text[i:]
	}
	return text
}

// cliSAS lists the adapter of the local disks, if it is one of SAS.
func (e cliHost) cliSAS(map[string]string) ([]cli.Values, bool) {
	v := e.Row.Server.SAS
	if v == nil {
		return nil, true
	}
	hba := e.System.Config.StorageDevice.HostBusAdapter[0].GetHostHostBusAdapter()
	return one(values("DeviceName", hba.Device, "SASAddress", "50:06:05:b0:10:62:88:e0", "PhysicalID", "0", "MinimumLinkRate", "3000 Mbps",
		"MaximumLinkRate", "12000 Mbps", "NegotiatedLinkRate", "12000 Mbps", "ModelDescription", hba.Model, "HardwareVersion", "0x02",
		"OptionROMVersion", "", "FirmwareVersion", v.Firmware, "DriverName", hba.Driver, "DriverVersion", v.Driver))
}
