package fleetdata

// Range is from the least to the most.
type Range [2]float64

// At is the value at a level from 0 to 1.
func (r Range) At(level float64) float64 { return r[0] + (r[1]-r[0])*min(max(level, 0), 1) }

// Profile is what a VM does all day, for its kind of work.
type Profile struct {
	Shape   string  `yaml:"shape"`   // of the day
	CPU     Range   `yaml:"cpu"`     // of its vCPUs that work
	Touched float64 `yaml:"touched"` // of its memory that it was ever in need of
	Leak    bool    `yaml:"leak"`    // which grows
	Active  Range   `yaml:"active"`  // of its memory
	IOPS    Range   `yaml:"iops"`    // on all disks
	IOKB    float64 `yaml:"ioKB"`
	Reads   float64 `yaml:"reads"`   // of its I/O
	RX      Range   `yaml:"rx"`      // packets a second
	TX      Range   `yaml:"tx"`      // packets a second
	RXBytes float64 `yaml:"rxBytes"` // of a packet
	TXBytes float64 `yaml:"txBytes"`
	Paced   bool    `yaml:"paced"` // it sends as much as its NIC has room for, and loses nothing by it
	Net     float64 `yaml:"net"`   // the part of its CPU that its packets take
	Even    bool    `yaml:"even"`  // it does the same all the time

	// What it has not got back since its host was short of memory, of its memory.
	Swapped float64 `yaml:"swapped"`
	Balloon float64 `yaml:"balloon"`
}

// Role gives VMs a profile by how their names begin.
type Role struct {
	Prefix string `yaml:"prefix"`
	Does   string `yaml:"does"`
}

// Process is a group of worlds that every host runs itself.
type Process struct {
	Name   string   `yaml:"name"`
	Worlds []string `yaml:"worlds"`
	Share  float64  `yaml:"share"` // of the cores that the host needs itself; all shares add up to 1
	MB     int64    `yaml:"mb"`    // 0: it has no memory of its own
}
