package inventory

// What a sensor says of the health of what it watches.
const (
	HealthGreen  = "green"  // all is well
	HealthYellow = "yellow" // something is wrong, and it works
	HealthRed    = "red"    // it does not work, or not for long
)

// The units that readings of sensors come in.
const (
	UnitCelsius = "celsius"
	UnitVolts   = "volts"
	UnitAmperes = "amperes"
	UnitWatts   = "watts"
	UnitRPM     = "rpm" // turns a minute
)

// Sensor is one thing that a host's hardware tells of its health: a sensor, or the state of a processor, of memory or of
// storage.
type Sensor struct {
	// Name is the host's own, without the state that some hosts write behind it. Several can share one.
	Name string `json:"name"`
	// ID tells sensors of one name apart; "" where the host gives none. Source: numericSensorInfo.id.
	ID string `json:"id,omitempty"`
	// Kind is what it watches, in lower case, such as fan, power, temperature, voltage, processor, memory or storage.
	// Source: numericSensorInfo.sensorType.
	Kind string `json:"kind"`
	// Health is green, yellow, red or unknown; absent for a sensor that knows no bounds. Source: healthState.key.
	Health Fact[string] `json:"health,omitzero"`
	// Unit is what Reading counts: one of the units above; absent for a sensor that reads nothing, or something else.
	// Source: baseUnits.
	Unit Fact[string] `json:"unit,omitzero"`
	// Reading is what it reads; absent where Unit is. Source: currentReading times ten to the power of unitModifier.
	Reading Fact[float64] `json:"reading,omitzero"`
}
