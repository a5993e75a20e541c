package inventory

// The health states of a sensor.
const (
	HealthGreen  = "green"  // no fault
	HealthYellow = "yellow" // degraded, but working
	HealthRed    = "red"    // failed, or about to fail
)

// The units of sensor readings.
const (
	UnitCelsius = "celsius"
	UnitVolts   = "volts"
	UnitAmperes = "amperes"
	UnitWatts   = "watts"
	UnitRPM     = "rpm" // revolutions per minute
)

// Sensor is one health item of a host's hardware: a sensor, or the state of a processor, of memory or of storage.
type Sensor struct {
	// Name is the host's own name, without the state that some hosts append. Several sensors can share one.
	Name string `json:"name" role:"key"`
	// ID distinguishes sensors with the same name; "" if the host reports none. Source: numericSensorInfo.id.
	ID string `json:"id,omitempty" role:"measured"`
	// Kind is the kind of sensor, in lower case, such as fan, power, temperature, voltage, processor, memory or
	// storage. Source: numericSensorInfo.sensorType.
	Kind string `json:"kind" role:"measured"`
	// Health is green, yellow, red or unknown; absent for a sensor without bounds. Source: healthState.key.
	Health Fact[string] `json:"health,omitzero" role:"measured"`
	// Unit is the unit of Reading: one of the units above; absent for a sensor without a reading, or with another unit.
	// Source: baseUnits.
	Unit Fact[string] `json:"unit,omitzero" role:"measured"`
	// Reading is the sensor's value; absent if Unit is. Source: currentReading times ten to the power of unitModifier.
	Reading Fact[float64] `json:"reading,omitzero" role:"measured"`
}
