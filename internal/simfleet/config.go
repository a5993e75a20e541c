package simfleet

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// Config configures a fleet. The zero value is the built-in fleet on the real clock.
type Config struct {
	// Now is the fleet's clock; nil is time.Now.
	Now func() time.Time
	// Instance makes the UUIDs of this fleet's servers differ from those of another fleet. "" gives the same UUIDs each time. A
	// fleet that can be changed needs its own instance, so that its journal is not used on another fleet.
	Instance string
	// Hosts and VMs request more than the built-in vCenter has: clones are added up to these numbers. 0 requests none.
	Hosts, VMs int
	// Speed is the factor by which load changes faster, while all clocks and intervals stay unchanged; 0 means 1.
	Speed float64
	// Zone is the offset from UTC of the users whose work creates the load. Clocks are still in UTC, as on hosts. MidMorning
	// returns the zone in which it is working time when the fleet starts.
	Zone time.Duration
	// Noise varies the load as on real hosts, with changes of settings that settle slowly; the zero value does not.
	Noise load.Noise
	// Lossless makes hosts keep all samples. Otherwise each host and each VM loses one of 1,500.
	Lossless bool
	// Listen is the loopback address, with a port, on which the vCenter is served; "" is a free port of 127.0.0.1.
	Listen string
	// VCenterOnly omits the ESXi hosts that the vCenter does not manage.
	VCenterOnly bool
	// Scenarios names the faults that occur while the fleet runs; the function Scenarios lists them.
	Scenarios []string

	// Lacks are privileges that the account does not have, as it reports them. Calls that need them are not refused.
	Lacks []string

	// Incidents happen at their times on the fleet's clock.
	Incidents []Incident

	// RebootTakes is how long a host is away during a restart, and ShutdownTakes how long a guest takes to shut down; 0 is a
	// moment.
	RebootTakes, ShutdownTakes time.Duration

	// Before is called for each SOAP call to any server, with its method or with esxcli and a command, before it is executed. If
	// it returns true, the connection is dropped and the call is not executed. After is called when the call has been executed,
	// before the answer is sent. Both, and Swallow, must be safe for concurrent use; nil functions are not called.
	Before func(method string) (drop bool)
	After  func(method string)
	// Swallow selects calls that are answered as if they had been executed, but are not.
	Swallow func(method string) bool

	// SlowBy is how much longer each read from the host of scenario slow-host takes; 0 is DefaultSlowBy.
	SlowBy time.Duration
}

// Check returns an error for an invalid configuration. It starts nothing.
func (c Config) Check() error {
	if err := checkScenarios(c.Scenarios); err != nil {
		return err
	}
	if !(c.Speed >= 0 && c.Speed <= MaxSpeed) {
		return fmt.Errorf("%w: %g", ErrSpeed, c.Speed)
	}
	return checkListen(c.Listen)
}

// MaxSpeed corresponds to a day in half a sample.
const MaxSpeed = 10_000

// ErrSpeed is returned for a speed at which load would be constant or noise.
var ErrSpeed = fmt.Errorf("load goes at a speed above 0 and up to %d", MaxSpeed)

// ErrNotLoopback is returned for a listen address that other machines could reach.
var ErrNotLoopback = errors.New("the fleet listens on loopback only")

// checkListen requires a numeric loopback address and a port. Names are refused, because their address can change.
func checkListen(address string) error {
	if address == "" {
		return nil
	}
	at, err := netip.ParseAddrPort(address)
	if err != nil || !at.Addr().IsLoopback() {
		return fmt.Errorf("%w: %q is not an address such as 127.0.0.1:8989", ErrNotLoopback, address)
	}
	return nil
}

// vcenterUUID returns the instance UUID of the fleet's vCenter.
func (c Config) vcenterUUID() string { return world.UUID("vcenter" + c.Instance) }
