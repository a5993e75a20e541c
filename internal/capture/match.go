package capture

import (
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// trimmed returns a name in the form in which targets are compared.
func trimmed(name string) string { return strings.TrimSuffix(strings.TrimSpace(name), ".") }

func shortName(name string) string {
	short, _, _ := strings.Cut(name, ".")
	return short
}

// matchingHost finds the host with a capture's name; nil: none, or more than one. A name without a domain matches one with
// a domain and vice versa; names with different domains are different hosts.
func matchingHost(hosts []*inventory.Host, name string) *inventory.Host {
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
