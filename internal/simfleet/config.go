package simfleet

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/vperf/vperf/internal/simfleet/world"
)

// Config says what fleet to start. The zero value is the built-in fleet on the real clock.
type Config struct {
	// Now is the fleet's clock; nil is time.Now.
	Now func() time.Time
	// Instance makes the UUIDs of this fleet's servers differ from those of another fleet. "" gives the same UUIDs each time.
	// A fleet that can be changed needs an instance of its own, so that the journal of one is not used on another.
	Instance string
	// Hosts and VMs ask for more than the built-in vCenter has: clones follow it up to that many. 0 asks for none.
	Hosts, VMs int
	// Speed is how many times as fast load comes and goes, while all clocks and intervals stay as they are; 0 is once.
	Speed float64
	// Zone is how far the people whose work makes the load are ahead of UTC. Clocks are in UTC all the same, as hosts have them.
	// MidMorning is the one in which everybody is at work when the fleet starts.
	Zone time.Duration
	// Listen is the loopback address, with a port, that the vCenter is served at; "" is a free port of 127.0.0.1.
	Listen string
	// VCenterOnly leaves out the ESXi hosts that the vCenter does not manage.
	VCenterOnly bool
	// Scenarios name what goes wrong while the fleet runs; Scenarios lists them.
	Scenarios []string

	// RebootTakes is how long a host is away when it is started again, ShutdownTakes what a guest takes to shut down; 0 is
	// a moment.
	RebootTakes, ShutdownTakes time.Duration

	// Before is told of each SOAP call to any server, by its method or as esxcli and a command, before anything is done; when it says so, the connection is dropped
	// and nothing is done. After is told of it when it has been carried out, before the answer is sent. Both, and Swallow,
	// are called by many at once; nil is nobody.
	Before func(method string) (drop bool)
	After  func(method string)
	// Swallow names calls that are answered as if they had been carried out, but are not.
	Swallow func(method string) bool

	slowBy time.Duration // what slow-host costs; 0 is what it says
}

// Check says what of the configuration cannot be meant, before anything is started.
func (c Config) Check() error {
	if err := checkScenarios(c.Scenarios); err != nil {
		return err
	}
	if !(c.Speed >= 0 && c.Speed <= MaxSpeed) {
		return fmt.Errorf("%w: %g", ErrSpeed, c.Speed)
	}
	return checkListen(c.Listen)
}

// MaxSpeed is a day in half a sample.
const MaxSpeed = 10_000

// ErrSpeed is returned for curves that would stand still or be nothing but noise.
var ErrSpeed = fmt.Errorf("load goes at a speed above 0 and up to %d", MaxSpeed)

// ErrNotLoopback is returned for a fleet that others could reach.
var ErrNotLoopback = errors.New("the fleet listens on loopback only")

// checkListen wants a numeric loopback address and a port. A name is refused: what it stands for can change.
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

// vcenterUUID is what the vCenter of the fleet is known by.
func (c Config) vcenterUUID() string { return world.UUID("vcenter" + c.Instance) }
