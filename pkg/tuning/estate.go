package tuning

import (
	"context"
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

// Estate is the server that is changed.
type Estate struct {
	Server   Server // which one it is, as it says itself; a plan or a run of another is refused
	Settings Settings
	Power    Power
	Events   Events
}

// Settings reads and writes settings where they live: with the manager on the host, never in vCenter's cache. Several
// goroutines may call its methods at once; NewPlan asks about several targets at a time.
//
// An error is a request that failed as a whole; it says what was done to what. One that wraps [ErrUnsure] may have had
// its effect all the same.
type Settings interface {
	// Survey says how targets are now, in their order, in a number of calls that does not grow with them.
	Survey(ctx context.Context, targets []Target) ([]Condition, error)
	// Prospects says what wishes would mean, for each in the order of what it wants. Where the server tells of many targets in
	// one answer, the number of calls does not grow with them.
	Prospects(ctx context.Context, wishes []Wish) ([][]Prospect, error)
	// Read returns live values of one target, in the order of the addresses. What cannot be read is unread, with the reason.
	Read(ctx context.Context, target Target, addresses []Address) ([]inventory.Fact[inventory.Value], error)
	// Write makes all assignments in one call to the server, which takes all of them or none. They are of one group (see
	// Prospect.Group). It returns when the server has done it, and says nothing about what is there afterwards.
	Write(ctx context.Context, target Target, all []Assignment) error
}

// Condition is how a target is at the moment.
type Condition struct {
	Target Target // with the identity that it has now
	// Gone says that the server has no such object, or that another object goes by its id now; "" is that it is there.
	Gone string
	// Untouchable says why the target must never be changed: a template, a managed or protected VM, a pseudo host, a host in
	// an odd state. "" is that it may.
	Untouchable string
	// Owner is who sets the target's settings for it, so that a change would be drift; Place is where the change belongs.
	Owner, Place string
	// Privileges are those that the user has on the target; unread where the server does not say.
	Privileges inventory.Fact[[]string]
	// Busy is a task of somebody else's that is running on the target or waiting to; "" is none.
	Busy string
	// Running says whether a VM is powered on, or a host is up.
	Running bool
	// Booted is when a host, or a VM that runs, was started; zero where nobody knows.
	Booted time.Time
	// Maintenance says that a host is in maintenance mode.
	Maintenance bool
	// Doubts say what could not be looked at, so that nothing above says that it is well: tags, who owns the settings.
	Doubts []string
	// Host is the id of the host that a VM is on, and a host's own. Cluster is the id of the cluster around it; "" is none.
	Host, Cluster string
}

// Wish is what one target would be set to.
type Wish struct {
	Condition Condition // what Survey said of it
	Want      []Assignment
}

// Prospect is what one assignment would mean.
type Prospect struct {
	Before inventory.Fact[inventory.Value] // as read live; unread: it could not be looked at, and must not be written
	After  inventory.Fact[inventory.Value] // what would be written, in the wire type that was read
	// Refused says why it must not be written: out of the host's range, owned by another field, without effect on this host,
	// not a kind that is ever written. "" is that it may.
	Refused string
	// Activation is what the change needs on this target as it is now. power-off for a VM that runs means that the server
	// would refuse the write.
	Activation inventory.Activation
	Inverse    Inverse
	// Group is the same for changes of one target that go in one call; "" is a call of its own.
	Group string
	// Privileges are those that writing needs.
	Privileges []string
}

// Power shuts down, starts and evacuates. Every method waits until the thing is done, within limits of its own, and
// leaves nothing running behind when it gives up.
type Power interface {
	// Health says how hosts are, in their order.
	Health(ctx context.Context, hosts []Target) ([]Health, error)
	// ShutDown asks a VM's guest to shut down and waits until the VM is off. It never pulls the plug.
	ShutDown(ctx context.Context, vm Target) error
	// PowerOn starts a VM and waits until it runs.
	PowerOn(ctx context.Context, vm Target) error
	// Evacuable says what stands against taking a host out of service now; nothing is that it can be.
	Evacuable(ctx context.Context, host Target) ([]string, error)
	// EnterMaintenance moves the VMs away and enters maintenance mode; when that is not done in time it is cancelled.
	EnterMaintenance(ctx context.Context, host Target) error
	// ExitMaintenance ends maintenance mode.
	ExitMaintenance(ctx context.Context, host Target) error
	// Reboot restarts a host that is in maintenance mode and waits until it is connected again with a later boot time than
	// the one it had, which it returns.
	Reboot(ctx context.Context, host Target, booted time.Time) (time.Time, error)
	// Save has a host write its configuration to its boot device, so that a crash does not take the last change back.
	Save(ctx context.Context, host Target) error
}

// Health is what must not get worse while a run goes on.
type Health struct {
	Host        Target
	Trouble     string   // why it cannot be relied on at all: not connected, does not answer; "" is nothing
	RedAlarms   []string // names of alarms that are red
	DeadUplinks []string // uplinks without link
	LivePaths   int      // storage paths that work
}

// Events leaves traces where colleagues look.
type Events interface {
	// Post puts an event on an object.
	Post(ctx context.Context, target Target, text string) error
}
