package capture

import (
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// trimmed is a name as targets are matched.
func trimmed(name string) string { return strings.TrimSuffix(strings.TrimSpace(name), ".") }

func shortName(name string) string {
	short, _, _ := strings.Cut(name, ".")
	return short
}

// matching finds the host that a capture calls by a name; nil: none, or more than one. A name without a domain fits one with
// it, and the other way round; two with different domains are two hosts.
func matching(hosts []*inventory.Host, name string) *inventory.Host {
	if found, err := inventory.MatchHosts(hosts, []string{name}); err == nil {
		return found[0]
	}
	short := shortName(trimmed(name))
	var found *inventory.Host
	for _, h := range hosts {
		dns, _ := h.DNSName.Value()
		if !strings.EqualFold(h.Name, short) && !strings.EqualFold(dns, short) {
			continue
		}
		if found != nil {
			return nil
		}
		found = h
	}
	return found
}
