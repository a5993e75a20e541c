package hostfacts

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
)

func says(key string) *types.ElementDescription { return &types.ElementDescription{Key: key} }

func numeric(list ...types.HostNumericSensorInfo) types.ArrayOfHostNumericSensorInfo {
	return types.ArrayOfHostNumericSensorInfo{HostNumericSensorInfo: list}
}

func TestSensors(t *testing.T) {
	h := hostOf(vspheretest.Given(map[string]any{
		pathSensors: numeric(
			types.HostNumericSensorInfo{
				Name: "System Board 1 Inlet Temp --- Normal", Id: "0.7.1.5", SensorType: "temperature", HealthState: says("green"),
				CurrentReading: 2250, UnitModifier: -2, BaseUnits: "Degrees C", RateUnits: "none",
			},
			types.HostNumericSensorInfo{Name: "Fan 1", SensorType: "fan", HealthState: says("Yellow"), CurrentReading: 18, UnitModifier: 2, BaseUnits: "RPM"},
			types.HostNumericSensorInfo{Name: "PS 1 Status", SensorType: "Power Supply", BaseUnits: "unspecified", CurrentReading: 1},
			types.HostNumericSensorInfo{Name: "odd", SensorType: "other", BaseUnits: "Volts", RateUnits: "per second", CurrentReading: 5},
			types.HostNumericSensorInfo{Name: "huge", SensorType: "other", BaseUnits: "Watts", UnitModifier: 300, CurrentReading: 5},
			types.HostNumericSensorInfo{Name: "VMware native driver 1.2.3", SensorType: "Software Components", HealthState: says("green")},
		),
		pathElements: types.HostHardwareStatusInfo{
			CpuStatusInfo:     []types.BaseHostHardwareElementInfo{&types.HostHardwareElementInfo{Name: "CPU 1", Status: says("green")}, nil},
			MemoryStatusInfo:  []types.BaseHostHardwareElementInfo{&types.HostHardwareElementInfo{Name: "Memory", Status: says("red")}},
			StorageStatusInfo: []types.HostStorageElementInfo{{HostHardwareElementInfo: types.HostHardwareElementInfo{Name: "Disk 1"}}},
		},
	}))
	got, known := h.Sensors.Value()
	require.True(t, known, vspheretest.ReasonOf(&h.Sensors))
	word, none := inventory.Known[string], inventory.Absent[string]()
	nothing := inventory.Absent[float64]()
	require.Equal(t, []*inventory.Sensor{
		{Name: "System Board 1 Inlet Temp", ID: "0.7.1.5", Kind: "temperature", Health: word("green"), Unit: word("celsius"), Reading: inventory.Known(22.5)},
		{Name: "Fan 1", Kind: "fan", Health: word("yellow"), Unit: word("rpm"), Reading: inventory.Known(1800.)},
		{Name: "PS 1 Status", Kind: "power supply", Health: none, Unit: none, Reading: nothing},
		{Name: "odd", Kind: "other", Health: none, Unit: none, Reading: nothing},
		{Name: "huge", Kind: "other", Health: none, Unit: word("watts"), Reading: inventory.Unread[float64]("the host reports an impossible sensor reading")},
		{Name: "CPU 1", Kind: "processor", Health: word("green"), Unit: none, Reading: nothing},
		{Name: "Memory", Kind: "memory", Health: word("red"), Unit: none, Reading: nothing},
		{Name: "Disk 1", Kind: "storage", Health: none, Unit: none, Reading: nothing},
	}, got)
}

func TestSensorUnits(t *testing.T) {
	for _, c := range []struct {
		units   string
		reading int64
		power   int32
		want    float64
	}{
		{"Degrees C", 41, 0, 41}, {"degrees F", 212, 0, 100}, {"Degrees K", 30015, -2, 27}, {"volts", 1234, -2, 12.34},
		{"Amps", 4, -1, .4}, {"Watts", 3, 2, 300}, {"RPM", 5880, 0, 5880},
	} {
		s := types.HostNumericSensorInfo{BaseUnits: c.units, CurrentReading: c.reading, UnitModifier: c.power}
		got, known := sensor(&s, "other").Reading.Value()
		require.True(t, known, c.units)
		require.InDelta(t, c.want, got, 1e-9, c.units)
	}
	require.Equal(t, inventory.Known(12.34), sensor(&types.HostNumericSensorInfo{BaseUnits: "Volts", CurrentReading: 1234, UnitModifier: -2}, "").Reading, "to the last digit")
}

// TestSensorsOfWhatIsNotWatched: two missing lists mean no sensors; one missing list of two is a gap.
func TestSensorsOfWhatIsNotWatched(t *testing.T) {
	h := hostOf(vspheretest.Given(map[string]any{pathElements: types.HostHardwareStatusInfo{}}))
	require.Equal(t, inventory.Known([]*inventory.Sensor{}), h.Sensors)
	h = hostOf(vspheretest.Given(map[string]any{pathSensors: numeric()}))
	require.Equal(t, inventory.Known([]*inventory.Sensor{}), h.Sensors)
	for _, path := range []string{pathSensors, pathElements, "runtime.healthSystemRuntime"} {
		p := vspheretest.Given(map[string]any{pathSensors: numeric(), pathElements: types.HostHardwareStatusInfo{}})
		delete(p.Values, pathSensors)
		delete(p.Values, pathElements)
		if path == pathElements {
			p.Values[pathSensors] = numeric()
		}
		p.Missing = map[string]types.BaseMethodFault{path: &types.NoPermission{PrivilegeId: "System.Read"}}
		require.Equal(t, "unread: no permission (privilege System.Read)", vspheretest.ReasonOf(&hostOf(p).Sensors), path)
	}
}
