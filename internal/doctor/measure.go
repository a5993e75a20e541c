package doctor

import (
	"context"
	"time"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
)

// Target is a server to check.
type Target interface {
	// Open looks up the server's name, connects, verifies its certificate and logs in. The route is how far it came, also with an
	// error. The caller closes the session.
	Open(ctx context.Context) (Session, session.Route, error)
	// Trusted returns why a certificate was accepted, and whether it was verified.
	Trusted(session.Route) (why string, verified bool)
}

// Session is a login. Each method makes one measurement and changes nothing; they may run at the same time.
type Session interface {
	Product() Product
	Clock(ctx context.Context) (Clock, error)
	Inventory(ctx context.Context) (*Inventory, error)
	// Granted reports which of some privileges the account has on some objects, by their ids. An object that the server says nothing
	// about is missing in the answer.
	Granted(ctx context.Context, objects, privileges []string) (Granted, error)
	// Statistics reads what the PerformanceManager keeps; host is the id of a host, or "".
	Statistics(ctx context.Context, host string) (Statistics, error)
	// Esxtop looks for the Esxtop service of a host, by its name.
	Esxtop(ctx context.Context, host string) error
	REST(ctx context.Context) error
	// Damaged reads what an audit reads, as far as the time allows, and returns which values cannot be decoded, and which
	// readings are incomplete because an answer cannot be decoded.
	Damaged(ctx context.Context) (values, lost []string)
	Close()
}

// Product is what a server says it is.
type Product struct {
	Name      string // with version and build
	Version   inventory.Fact[inventory.Version]
	IsVCenter bool
}

// Granted is what an account may do.
type Granted struct {
	Account string                     // as the server names it
	By      map[string]map[string]bool // by object and privilege
}

// Clock is one reading of a server's clock.
type Clock struct {
	Server time.Time
	Local  time.Time     // halfway through the call
	Took   time.Duration // of the call
}

// Ahead returns how much the server's clock is ahead of this machine's; half the call is its uncertainty.
func (c Clock) Ahead() time.Duration { return c.Server.Sub(c.Local) }

// Inventory is every object that the account sees, except VMs and virtual networks. The root is the first.
type Inventory struct{ Objects []Object }

// Object is an object on which privileges are checked.
type Object struct {
	ID     string // Type:id
	Scope  inventory.Scope
	Name   string
	Path   string // as govc takes it
	Parent string // the id; "" of the root
	// Of hosts:
	Version inventory.Fact[inventory.Version]
	Down    string // why it cannot be asked, or ""
}

// hosts returns the hosts of the inventory.
func (v *Inventory) hosts() (list []Object) {
	for _, o := range v.Objects {
		if o.Scope == inventory.ScopeHost {
			list = append(list, o)
		}
	}
	return list
}

// Statistics is what the PerformanceManager of a server keeps.
type Statistics struct {
	RealTime time.Duration // between samples of the host; 0: none
	Rollups  []Rollup
}

// Rollup is an interval of averages that the server keeps.
type Rollup struct {
	Every, Kept time.Duration
	Level       int // 1 to 4; 0: the server has no levels
}
