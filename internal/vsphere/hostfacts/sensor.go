package hostfacts

import (
	"math"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/pkg/inventory"
)

const (
	pathSensors  = "runtime.healthSystemRuntime.systemHealthInfo.numericSensorInfo"
	pathElements = "runtime.healthSystemRuntime.hardwareStatusInfo"
)

// fillSensors lists the health sensors of the hardware. A host without hardware monitoring, such as a nested one, has neither
// list.
func fillSensors(p *property.Props, h *host) {
	sensors := property.Read(p, pathSensors, asSensors, property.AbsentIfUnset)
	elements := property.Read(p, pathElements, asElements, property.AbsentIfUnset)
	if _, state, _ := sensors.Get(); state == inventory.StateAbsent {
		h.Sensors = elements
		return
	}
	h.Sensors = property.Then(sensors, func(list []*inventory.Sensor) inventory.Fact[[]*inventory.Sensor] {
		more, state, reason := elements.Get()
		if state == inventory.StateUnread {
			return inventory.Unread[[]*inventory.Sensor](reason)
		}
		return inventory.Known(append(list, more...))
	})
}

// softwareParts are not sensors: some releases list their drivers and agents with them.
const softwareParts = "software components"

func asSensors(v any) ([]*inventory.Sensor, bool) {
	list, ok := property.As[types.ArrayOfHostNumericSensorInfo](v)
	sensors := []*inventory.Sensor{}
	for i := range list.HostNumericSensorInfo {
		s := &list.HostNumericSensorInfo[i]
		if kind := strings.ToLower(s.SensorType); kind != softwareParts {
			sensors = append(sensors, sensor(s, kind))
		}
	}
	return sensors, ok
}

func sensor(s *types.HostNumericSensorInfo, kind string) *inventory.Sensor {
	out := &inventory.Sensor{
		Name: sensorName(s.Name), ID: s.Id, Kind: kind, Health: sensorState(s.HealthState),
		Unit: inventory.Absent[string](), Reading: inventory.Absent[float64](),
	}
	if unit, known := sensorUnit(s); known {
		out.Unit = inventory.Known(unit.name)
		out.Reading = sensorReading(s.CurrentReading, s.UnitModifier, unit)
	}
	return out
}

// sensorName returns the name without the current state in it: "Fan 1 --- Normal".
func sensorName(name string) string {
	name, _, _ = strings.Cut(name, " --- ")
	return strings.TrimSpace(name)
}

// sensorState returns the health of a sensor or an element. A sensor without a state has no thresholds.
func sensorState(d types.BaseElementDescription) inventory.Fact[string] {
	if d == nil || d.GetElementDescription() == nil || d.GetElementDescription().Key == "" {
		return inventory.Absent[string]()
	}
	return inventory.Known(strings.ToLower(d.GetElementDescription().Key))
}

// sensorScale converts the unit of a reading to a unit of vperf.
type sensorScale struct {
	name        string
	times, plus float64
}

// sensorUnits maps the units' names on hosts.
var sensorUnits = map[string]sensorScale{
	"degrees c": {inventory.UnitCelsius, 1, 0},
	"degrees f": {inventory.UnitCelsius, 5. / 9, -160. / 9},
	"degrees k": {inventory.UnitCelsius, 1, -273.15},
	"volts":     {inventory.UnitVolts, 1, 0},
	"amps":      {inventory.UnitAmperes, 1, 0},
	"watts":     {inventory.UnitWatts, 1, 0},
	"rpm":       {inventory.UnitRPM, 1, 0},
}

// sensorUnit returns the unit. It knows none for rates, such as volts per second.
func sensorUnit(s *types.HostNumericSensorInfo) (sensorScale, bool) {
	if s.RateUnits != "" && !strings.EqualFold(s.RateUnits, "none") {
		return sensorScale{}, false
	}
	u, known := sensorUnits[strings.ToLower(s.BaseUnits)]
	return u, known
}

// mostTens is the largest plausible power of ten of a reading.
const mostTens = 18

// sensorReading divides by a power of ten if possible: 1234 hundredths are 12.34, not 12.340000000000002.
func sensorReading(n int64, power int32, u sensorScale) inventory.Fact[float64] {
	if power < -mostTens || power > mostTens {
		return inventory.Unread[float64]("the host reports an impossible sensor reading")
	}
	v := float64(n)
	if power < 0 {
		v /= math.Pow10(int(-power))
	} else {
		v *= math.Pow10(int(power))
	}
	return inventory.Known(v*u.times + u.plus)
}

// asElements returns the hardware elements whose state is known without a sensor.
func asElements(v any) ([]*inventory.Sensor, bool) {
	info, ok := property.As[types.HostHardwareStatusInfo](v)
	list := []*inventory.Sensor{}
	add := func(kind string, e *types.HostHardwareElementInfo) {
		list = append(list, &inventory.Sensor{
			Name: sensorName(e.Name), Kind: kind, Health: sensorState(e.Status),
			Unit: inventory.Absent[string](), Reading: inventory.Absent[float64](),
		})
	}
	for _, e := range info.CpuStatusInfo {
		if e != nil {
			add("processor", e.GetHostHardwareElementInfo())
		}
	}
	for _, e := range info.MemoryStatusInfo {
		if e != nil {
			add("memory", e.GetHostHardwareElementInfo())
		}
	}
	for i := range info.StorageStatusInfo {
		add("storage", &info.StorageStatusInfo[i].HostHardwareElementInfo)
	}
	return list, ok
}
