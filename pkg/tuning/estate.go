package tuning

import (
	"context"
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

// Estate gives access to the server that is changed.
type Estate struct {
	Server   Server // as the server identifies itself; plans and runs of another server are refused
	Settings Settings
	Power    Power
	Events   Events
}

// Settings reads and writes settings where they are stored: at the manager on the host, never in vCenter's cache. Its
// methods must be safe for concurrent use; NewPlan asks about several targets at a time.
//
// An error means that the whole request failed; it names the operation and the object. If it wraps [ErrUnsure], the
// request may have succeeded.
type Settings interface {
	// Survey returns the conditions of targets, in their order. The number of calls to the server does not grow with
	// the number of targets.
	Survey(ctx context.Context, targets []Target) ([]Condition, error)
	// Preview returns, for each request, one preview for each wanted assignment, in order. If the server answers for
	// many targets at once, the number of calls does not grow with them.
	Preview(ctx context.Context, requests []Request) ([][]Preview, error)
	// Read returns live values of one target, in the order of the addresses. A value that cannot be read is unread,
	// with the reason.
	Read(ctx context.Context, target Target, addresses []Address) ([]inventory.Fact[inventory.Value], error)
	// Write makes all assignments in one call to the server, which accepts all of them or none. They belong to one
	// group (see Preview.Group). Write returns when the server has finished; it does not read the values back.
	Write(ctx context.Context, target Target, all []Assignment) error
}

// Condition is the current state of a target.
type Condition struct {
	Target Target // with its current identity
	// Gone says that the server has no such object, or that another object has its id now; "" if it exists.
	Gone string
	// Untouchable says why the target must never be changed: it is a template, a managed or protected VM, a pseudo
	// host, or a host in an unexpected state. "" if it may be changed.
	Untouchable string
	// Owner is the product or profile that manages the target's settings, so that a change would be drift; Place is
	// where to make the change instead.
	Owner, Place string
	// Privileges are the user's privileges on the target; unread if the server does not report them.
	Privileges inventory.Fact[[]string]
	// Busy describes another user's task that is running or queued on the target; "" if there is none.
	Busy string
	// Running is true if a VM is powered on, or a host is up.
	Running bool
	// Booted is the start time of a host or of a running VM; zero if unknown.
	Booted time.Time
	// Maintenance is true if a host is in maintenance mode.
	Maintenance bool
	// Doubts list the checks that could not be made, such as tags or the owner of the settings.
	Doubts []string
	// Host is the id of a VM's host, or of the host itself. Cluster is the id of its cluster; "" if there is none.
	Host, Cluster string
}

// Request is the values that one target should get.
type Request struct {
	Condition   Condition // as returned by Survey
	Assignments []Assignment
}

// Preview is the effect that one assignment would have.
type Preview struct {
	Before inventory.Fact[inventory.Value] // as read live; if unread, it must not be written
	After  inventory.Fact[inventory.Value] // the value to write, in the wire type that was read
	// Refused says why it must not be written: the value is out of the host's range, another field controls it, it has
	// no effect on this host, or vperf never writes this kind. "" if it may be written.
	Refused string
	// Activation is what the change needs on this target in its current state. power-off for a running VM means that
	// the server would refuse the write.
	Activation inventory.Activation
	Inverse    Inverse
	// Group is equal for changes of one target that go in one call; "" is a call of its own.
	Group string
	// Privileges are those that the write needs.
	Privileges []string
}

// Power shuts down, starts and evacuates. Every method waits until the operation has finished, within its own limits,
// and leaves nothing running when it gives up.
type Power interface {
	// Health returns the health of hosts, in their order.
	Health(ctx context.Context, hosts []Target) ([]Health, error)
	// ShutDown asks a VM's guest to shut down and waits until the VM is off. It never powers a VM off forcibly.
	ShutDown(ctx context.Context, vm Target) error
	// PowerOn starts a VM and waits until it runs.
	PowerOn(ctx context.Context, vm Target) error
	// Evacuable returns the reasons why a host cannot be taken out of service now; none means that it can.
	Evacuable(ctx context.Context, host Target) ([]string, error)
	// EnterMaintenance moves the VMs away and enters maintenance mode. If that takes too long, it cancels the
	// operation.
	EnterMaintenance(ctx context.Context, host Target) error
	// ExitMaintenance ends maintenance mode.
	ExitMaintenance(ctx context.Context, host Target) error
	// Reboot restarts a host in maintenance mode, waits until it is connected with a boot time later than booted, and
	// returns the new boot time.
	Reboot(ctx context.Context, host Target, booted time.Time) (time.Time, error)
	// Save makes a host write its configuration to its boot device, so that a crash does not revert the last change.
	Save(ctx context.Context, host Target) error
}

// Health is the state of a host that must not get worse during a run.
type Health struct {
	Host        Target
	Trouble     string   // why the host is unreliable: not connected, does not respond; "" if it is not
	RedAlarms   []string // names of red alarms
	DeadUplinks []string // uplinks without link
	LivePaths   int      // number of working storage paths
}

// Events posts events where other administrators see them.
type Events interface {
	// Post posts an event on an object.
	Post(ctx context.Context, target Target, text string) error
}
