package esxi

import (
	"cmp"
	"fmt"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
)

// sensorRow is a sensor of a host and what it reports.
type sensorRow struct {
	fleetdata.Sensor
	state types.HostNumericSensorHealthState
}

// health returns the state of the hardware sensors. A virtual host has none.
func (e *Host) health() *types.HealthSystemRuntime {
	if e.Row.Server.Virtual {
		return nil
	}
	info := new(types.HostSystemHealthInfo)
	for i, r := range e.sensors() {
		info.NumericSensorInfo = append(info.NumericSensorInfo, types.HostNumericSensorInfo{
			Name: r.Name + " --- " + sensorWord(r.state), HealthState: described(r.state), CurrentReading: r.Reading, UnitModifier: r.Power,
			BaseUnits: r.Units, RateUnits: "none", SensorType: r.Kind, Id: fmt.Sprintf("0.%d.1.%d", 1+i, 48+i),
		})
	}
	return &types.HealthSystemRuntime{SystemHealthInfo: info, HardwareStatusInfo: e.elements()}
}

// sensors returns the same sensors for all hosts, with higher readings for larger servers.
func (e *Host) sensors() (list []sensorRow) {
	s := e.Row.Server
	cores := int64(s.AllCores())
	for _, sensor := range fleetdata.Demo().Sensors {
		sensor.Reading += sensor.PerCore * cores
		if sensor.PerCores > 0 {
			sensor.Reading += cores / sensor.PerCores
		}
		each := 1
		if sensor.EachSocket {
			each = s.Sockets
		}
		for i := range each {
			one := sensorRow{sensor, types.HostNumericSensorHealthStateGreen}
			one.Reading += sensor.Step * int64(i)
			if sensor.EachSocket {
				one.Name = fmt.Sprintf(sensor.Name, i+1)
			}
			if fault, broken := e.Row.SensorFaults[one.Name]; broken {
				one.Reading = *cmp.Or(fault.Reading, &one.Reading)
				one.state = cmp.Or(types.HostNumericSensorHealthState(fault.State), one.state)
			}
			list = append(list, one)
		}
	}
	return list
}

// elements returns the hardware elements that have a state without a sensor.
func (e *Host) elements() *types.HostHardwareStatusInfo {
	green := func(name string) types.HostHardwareElementInfo {
		return types.HostHardwareElementInfo{Name: name, Status: described(types.HostNumericSensorHealthStateGreen)}
	}
	info := new(types.HostHardwareStatusInfo)
	for i := range e.Row.Server.Sockets {
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

// sensorWord returns the state that hosts append to a sensor's name.
func sensorWord(s types.HostNumericSensorHealthState) string {
	switch s {
	case types.HostNumericSensorHealthStateYellow:
		return "Warning"
	case types.HostNumericSensorHealthStateRed:
		return "Alert"
	}
	return "Normal"
}
