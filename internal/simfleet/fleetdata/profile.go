package fleetdata

// Range is a minimum and a maximum.
type Range [2]float64

// At returns the value at a level from 0 to 1.
func (r Range) At(level float64) float64 { return r[0] + (r[1]-r[0])*min(max(level, 0), 1) }

// Profile is the load of a VM over the day, for its kind of work.
type Profile struct {
	Shape   string  `yaml:"shape"`   // shape of the day
	CPU     Range   `yaml:"cpu"`     // fraction of its vCPUs
	Touched float64 `yaml:"touched"` // fraction of its memory that it has ever used
	Leak    bool    `yaml:"leak"`    // which grows
	Active  Range   `yaml:"active"`  // fraction of its memory
	IOPS    Range   `yaml:"iops"`    // on all disks
	IOKB    float64 `yaml:"ioKB"`
	Reads   float64 `yaml:"reads"`   // fraction of its I/O
	RX      Range   `yaml:"rx"`      // packets a second
	TX      Range   `yaml:"tx"`      // packets a second
	RXBytes float64 `yaml:"rxBytes"` // of a packet
	TXBytes float64 `yaml:"txBytes"`
	Paced   bool    `yaml:"paced"` // it fills its NIC without losing packets
	Net     float64 `yaml:"net"`   // the fraction of its CPU used for packets
	Even    bool    `yaml:"even"`  // its load is constant

	// The fraction of its memory that is still swapped out since its host was short of memory.
	Swapped float64 `yaml:"swapped"`
	Balloon float64 `yaml:"balloon"`
}

// Role assigns a profile to VMs by the prefix of their names.
type Role struct {
	Prefix string `yaml:"prefix"`
	Does   string `yaml:"does"`
}

// Process is a group of worlds of every host itself.
type Process struct {
	Name   string   `yaml:"name"`
	Worlds []string `yaml:"worlds"`
	Share  float64  `yaml:"share"` // fraction of the host's own CPU use; all shares add up to 1
	MB     int64    `yaml:"mb"`    // 0: it has no memory of its own
}
