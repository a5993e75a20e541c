package measure

import (
	"cmp"
	"slices"
	"strings"
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
