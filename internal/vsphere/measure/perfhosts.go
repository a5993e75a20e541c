package measure

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// sortPerfHosts puts hosts in the order of their names.
func sortPerfHosts(hosts []*perfHost) {
	slices.SortFunc(hosts, func(a, b *perfHost) int {
		return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.moid, b.moid))
	})
}

// rechoose takes in hosts that came, and lets go of those that went. Those that stay go on where they were.
func (p *performance) rechoose() {
	if p.choose == nil {
		return
	}
	known := map[string]*perfHost{}
	for _, h := range p.hosts {
		known[h.moid] = h
	}
	var next []*perfHost
	for _, h := range p.choose() {
		host := known[h.MoID]
		if host == nil {
			host = &perfHost{moid: h.MoID}
		}
		host.name = h.Name
		next = append(next, host)
	}
	sortPerfHosts(next)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hosts = next
}

// perfHost is a host that is asked for samples.
type perfHost struct {
	moid, name string
	down       string        // why it is not asked
	self       *perfEntity   // as one that is asked
	vms        []*perfEntity // that run on it, by name
	threads    int           // of a core; 0: not known

	last    time.Time // of the newest sample that was read, by the host's clock
	seen    time.Time // when that was, by ours
	err     error     // why there is nothing new
	alone   bool      // it is asked apart from others, which it could make wait
	fails   int       // how often in a row it failed alone
	again   time.Time // it is not asked before
	late    bool      // its newest sample was not there yet
	wasLate bool      // nor the one before: nobody waits for it
}
