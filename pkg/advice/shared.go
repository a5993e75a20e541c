package advice

import (
	"github.com/vperf/vperf/pkg/inventory"
)

// shared is evidence that is the same for all of a host, such as what its VMs were given in all: it is worked out once a host,
// and not once for each of a hundred VMs, which would look at a hundred VMs each.
type shared map[sharedKey]inventory.Fact[any]

type sharedKey struct {
	rule *compiled
	at   int // of its evidence
	host *inventory.Host
}

// key is how evidence of a rule is known again; false where it is the object's own.
func (r *compiled) key(at int, a *activation) (sharedKey, bool) {
	host, ok := a.vars[inventory.ScopeHost].(*inventory.Host)
	return sharedKey{r, at, host}, ok && a.shared != nil && r.ofHost[at] && r.Scope != inventory.ScopeHost
}
