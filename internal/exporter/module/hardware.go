package module

import (
	"fmt"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/inventory"
)

// namedSensor is a sensor with the name that it alone has on its host.
type namedSensor struct {
	*inventory.Sensor
	host *inventory.Host
	name string
}

func (s namedSensor) labels() exposition.Labels {
	return exposition.NewLabels("host", s.host.Name, "moid", s.host.ID, "sensor", s.name)
}

// in returns the sensor's reading, if it has that unit.
func (s namedSensor) in(unit string, times float64) (float64, bool) {
	v, known := number(s.Reading, times)
	return v, known && text(s.Unit) == unit
}

var sensorColumns = []column[namedSensor]{
	{
		"esxi_host_sensor_celsius", "Temperature (runtime.healthSystemRuntime.systemHealthInfo.numericSensorInfo).",
		func(s namedSensor) (float64, bool) { return s.in(inventory.UnitCelsius, 1) },
	},
	{
		"esxi_host_sensor_volts", "Voltage (runtime.healthSystemRuntime.systemHealthInfo.numericSensorInfo).",
		func(s namedSensor) (float64, bool) { return s.in(inventory.UnitVolts, 1) },
	},
	{
		"esxi_host_sensor_amperes", "Current (runtime.healthSystemRuntime.systemHealthInfo.numericSensorInfo).",
		func(s namedSensor) (float64, bool) { return s.in(inventory.UnitAmperes, 1) },
	},
	{
		"esxi_host_sensor_watts", "Power (runtime.healthSystemRuntime.systemHealthInfo.numericSensorInfo).",
		func(s namedSensor) (float64, bool) { return s.in(inventory.UnitWatts, 1) },
	},
	{
		"esxi_host_sensor_fan_speed_hertz", "Fan revolutions per second (runtime.healthSystemRuntime.systemHealthInfo.numericSensorInfo, converted from revolutions per minute).",
		func(s namedSensor) (float64, bool) { return s.in(inventory.UnitRPM, 1./60) },
	},
}

// hostTier is a tier of a host's memory.
type hostTier struct {
	*inventory.MemoryTier
	host *inventory.Host
}

var tierColumns = []column[hostTier]{
	{
		"esxi_host_memory_tier_size_bytes", "Size of a memory tier of the host (hardware.memoryTierInfo.size); absent before 7.0 U3.",
		func(t hostTier) (float64, bool) { return float64(t.SizeMB) * mib, true },
	},
}

var tieredVMColumns = []column[*inventory.VM]{
	{
		"esxi_vm_memory_lower_tiers_read_bytes_per_second",
		"Rate at which the VM read its memory on tiers below DRAM at the time of the survey; absent if the server reports no tiers of the VM (summary.quickStats.memoryTierStats.readBandwidth).",
		func(v *inventory.VM) (float64, bool) { return number(v.LowerTierReadMBps, mib) },
	},
}

func writeTiers(w *exposition.Writer, hosts []*inventory.Host) {
	var all []hostTier
	for _, h := range hosts {
		tiers, _ := h.MemoryTiers.Value()
		for _, t := range tiers {
			all = append(all, hostTier{t, h})
		}
	}
	writeColumns(w, all, func(t hostTier) exposition.Labels {
		return exposition.NewLabels("host", t.host.Name, "moid", t.host.ID, "tier", t.Name, "kind", t.Kind)
	}, tierColumns)
}

var pnicColumns = []column[*inventory.PNIC]{
	{
		"esxi_pnic_up", "Whether the physical NIC has a link, as reported in the host configuration (config.network.pnic.linkSpeed).",
		func(n *inventory.PNIC) (float64, bool) {
			speed, known := n.LinkMbps.Value()
			return exposition.Bool(speed > 0), known
		},
	},
	{
		"esxi_pnic_speed_bytes_per_second", "Link speed, 0 without a link (config.network.pnic.linkSpeed.speedMb).",
		func(n *inventory.PNIC) (float64, bool) { return number(n.LinkMbps, mbit) },
	},
	{
		"esxi_pnic_best_speed_bytes_per_second", "Highest link speed that the physical NIC supports (config.network.pnic.validLinkSpecification).",
		func(n *inventory.PNIC) (float64, bool) {
			speed, known := number(n.BestMbps, mbit)
			return speed, known && speed > 0 // some list none
		},
	},
}

func hardwareModule() Surveyed {
	return Surveyed{
		Name: Hardware,
		Needs: needsOf("Host.memoryTiers", "VM.lowerTierReadMBps", "VM.template", "Host.sensors", "Sensor.health", "Sensor.unit", "Sensor.reading", "Host.pnics", "PNIC.driver", "PNIC.driverVersion",
			"PNIC.firmwareVersion", "PNIC.linkMbps", "PNIC.bestMbps", "Host.hbas", "HBA.driver", "HBA.model"),
		Write: func(w *exposition.Writer, v *inventory.VCenter) {
			writeTiers(w, v.Hosts)
			writeColumns(w, realVMs(v.VMs), vmLabels, tieredVMColumns)
			writeSensors(w, v.Hosts)
			writePNICs(w, v.Hosts)
			writeAdapters(w, v.Hosts)
		},
		Coverage: func(v *inventory.VCenter) (int, int, string) {
			_, _, ofVMs := covered("", realVMs(v.VMs), func(vm *inventory.VM) []inventory.Reader { return []inventory.Reader{&vm.LowerTierReadMBps} })
			return covered(ofVMs, v.Hosts, func(h *inventory.Host) []inventory.Reader {
				facts := []inventory.Reader{&h.Sensors, &h.PNICs, &h.HBAs}
				sensors, _ := h.Sensors.Value()
				for _, s := range sensors {
					facts = append(facts, &s.Reading)
				}
				return facts
			})
		},
	}
}

func writeSensors(w *exposition.Writer, hosts []*inventory.Host) {
	var all []namedSensor
	for _, h := range hosts {
		all = append(all, nameSensors(h)...)
	}
	w.Family(exposition.Family{
		Name: "esxi_host_sensor_healthy",
		Help: "1 if the sensor is green, 0 if it is yellow or red (runtime.healthSystemRuntime, healthState and status).",
	})
	for _, s := range all {
		switch text(s.Health) {
		case inventory.HealthGreen:
			w.Sample(s.healthLabels(), 1)
		case inventory.HealthYellow, inventory.HealthRed:
			w.Sample(s.healthLabels(), 0)
		}
	}
	writeColumns(w, all, namedSensor.labels, sensorColumns)
}

func (s namedSensor) healthLabels() exposition.Labels {
	return exposition.NewLabels("host", s.host.Name, "moid", s.host.ID, "sensor", s.name, "kind", s.Kind)
}

// nameSensors gives each sensor of a host a unique name: sensors that share a name get their ids appended, or, if these
// are missing or equal, numbers in the host's order.
func nameSensors(h *inventory.Host) []namedSensor {
	list, _ := h.Sensors.Value()
	shared := map[string]int{}
	for _, s := range list {
		shared[s.Name]++
	}
	named := make([]namedSensor, 0, len(list))
	taken := map[string]bool{}
	for _, s := range list {
		name := s.Name
		if shared[name] > 1 && s.ID != "" {
			name += " " + s.ID
		}
		own := name
		for n := 2; taken[own]; n++ {
			own = fmt.Sprintf("%s #%d", name, n)
		}
		taken[own] = true
		named = append(named, namedSensor{s, h, own})
	}
	return named
}

// devicesOf are the devices of hosts, in the order of hosts.
func devicesOf[D any](hosts []*inventory.Host, of func(*inventory.Host) inventory.Fact[[]D]) (all []D) {
	for _, h := range hosts {
		list, _ := of(h).Value()
		all = append(all, list...)
	}
	return all
}

func writePNICs(w *exposition.Writer, hosts []*inventory.Host) {
	all := devicesOf(hosts, func(h *inventory.Host) inventory.Fact[[]*inventory.PNIC] { return h.PNICs })
	writeInfo(w, "esxi_pnic_info",
		"Physical NIC: driver and firmware (config.network.pnic); hosts before 8.0 do not report versions.", all,
		func(n *inventory.PNIC) exposition.Labels {
			return exposition.NewLabels("host", n.Host().Name, "moid", n.Host().ID, "pnic", n.Device,
				"driver", text(n.Driver), "driver_version", text(n.DriverVersion), "firmware", text(n.FirmwareVersion))
		})
	writeColumns(w, all, func(n *inventory.PNIC) exposition.Labels {
		return exposition.NewLabels("host", n.Host().Name, "moid", n.Host().ID, "pnic", n.Device)
	}, pnicColumns)
}

func writeAdapters(w *exposition.Writer, hosts []*inventory.Host) {
	all := devicesOf(hosts, func(h *inventory.Host) inventory.Fact[[]*inventory.HBA] { return h.HBAs })
	writeInfo(w, "esxi_adapter_info", "Storage adapter: model and driver (config.storageDevice.hostBusAdapter).", all,
		func(b *inventory.HBA) exposition.Labels {
			return exposition.NewLabels("host", b.Host().Name, "moid", b.Host().ID, "adapter", b.Device, "driver", text(b.Driver), "model", text(b.Model))
		})
}
