package simfleet

import (
	"fmt"
	"strings"

	"github.com/vmware/govmomi/vim25/types"
)

// brokenHost has a power supply that has failed, and a fan that turns too slowly. Its other settings are old, too.
const brokenHost = "host04.demo.local"

// sensorRow is a sensor of a host.
type sensorRow struct {
	name, kind, units string
	reading           int64
	power             int32 // of ten, that the reading is multiplied with
	state             types.HostNumericSensorHealthState
}

// health is what the hardware tells of itself. A host in a VM has none to tell of.
func (e *esxi) health() *types.HealthSystemRuntime {
	if strings.HasPrefix(e.row.server.vendor, "VMware") {
		return nil
	}
	info := new(types.HostSystemHealthInfo)
	for i, r := range e.sensors() {
		info.NumericSensorInfo = append(info.NumericSensorInfo, types.HostNumericSensorInfo{
			Name: r.name + " --- " + sensorWord(r.state), HealthState: described(r.state), CurrentReading: r.reading, UnitModifier: r.power,
			BaseUnits: r.units, RateUnits: "none", SensorType: r.kind, Id: fmt.Sprintf("0.%d.1.%d", 1+i, 48+i),
		})
	}
	return &types.HealthSystemRuntime{SystemHealthInfo: info, HardwareStatusInfo: e.elements()}
}

// sensors are the same on all hosts, but for readings: those of a larger server are higher.
func (e *esxi) sensors() []sensorRow {
	const ok = types.HostNumericSensorHealthStateGreen
	s := e.row.server
	load := int64(s.sockets * s.cores)
	list := []sensorRow{
		{"System Board 1 Inlet Temp", "temperature", "Degrees C", 2200, -2, ok},
		{"System Board 1 Exhaust Temp", "temperature", "Degrees C", 3100 + 10*load, -2, ok},
		{"System Board 1 Pwr Consumption", "power", "Watts", 120 + 6*load, 0, ok},
		{"System Board 1 CMOS Battery", "voltage", "Volts", 302, -2, ok},
	}
	for i := range s.sockets {
		list = append(list, sensorRow{fmt.Sprintf("Processor %d Temp", i+1), "temperature", "Degrees C", 5200 + 100*int64(i), -2, ok})
	}
	for i := range 4 {
		list = append(list, sensorRow{fmt.Sprintf("Fan Device %d Fan%d", i+1, i+1), "fan", "RPM", 6000 + 120*int64(i), 0, ok})
	}
	for i := range 2 {
		list = append(list,
			sensorRow{fmt.Sprintf("Power Supply %d Current", i+1), "other", "Amps", 4 + load/20, -1, ok},
			sensorRow{fmt.Sprintf("Power Supply %d Status", i+1), "power", "unspecified", 0, 0, ok})
	}
	if e.row.name == brokenHost {
		breakSensors(list)
	}
	return list
}

func breakSensors(list []sensorRow) {
	for i := range list {
		switch list[i].name {
		case "Fan Device 2 Fan2":
			list[i].reading, list[i].state = 1800, types.HostNumericSensorHealthStateYellow
		case "Power Supply 2 Current":
			list[i].reading = 0
		case "Power Supply 2 Status":
			list[i].state = types.HostNumericSensorHealthStateRed
		}
	}
}

// elements are the parts that tell how they are without a sensor.
func (e *esxi) elements() *types.HostHardwareStatusInfo {
	green := func(name string) types.HostHardwareElementInfo {
		return types.HostHardwareElementInfo{Name: name, Status: described(types.HostNumericSensorHealthStateGreen)}
	}
	info := new(types.HostHardwareStatusInfo)
	for i := range e.row.server.sockets {
		cpu := green(fmt.Sprintf("CPU %d", i+1))
		info.CpuStatusInfo = append(info.CpuStatusInfo, &cpu)
	}
	memory := green("Memory")
	info.MemoryStatusInfo = append(info.MemoryStatusInfo, &memory)
	return info
}

func described(s types.HostNumericSensorHealthState) *types.ElementDescription {
	word := sensorWord(s)
	return &types.ElementDescription{Description: types.Description{Label: word, Summary: word}, Key: string(s)}
}

// sensorWord is what hosts write behind a sensor's name.
func sensorWord(s types.HostNumericSensorHealthState) string {
	switch s {
	case types.HostNumericSensorHealthStateYellow:
		return "Warning"
	case types.HostNumericSensorHealthStateRed:
		return "Alert"
	}
	return "Normal"
}
