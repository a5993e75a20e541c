package remedy

import (
	"fmt"
	"strings"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// wrongSlots checks a driver's option whose value is the user's: it is one string for all ports of the driver on the
// host, including those without link, with a number for each. "" means that it matches.
func (e *estate) wrongSlots(r *advice.Rule, c advice.Change) string {
	if c.Setting.Kind.Name != inventory.KindDriverOptions || c.Consent != advice.ConsentValue || len(c.Params) != 1 {
		return ""
	}
	h := e.hosts[ownerOf(c.Object)]
	n, _ := device(h.PNICs, c.Object)
	module, _ := n.Driver.Value()
	ports, doubt := portsOf(h, module)
	if doubt != "" {
		return doubt
	}
	v, _ := c.To.Value()
	slots := strings.Split(v.Text, ",")
	if len(slots) == len(ports) && allNumbers(slots) {
		return ""
	}
	example := strings.TrimSuffix(strings.Repeat("N,", len(ports)), ",")
	return fmt.Sprintf("%q does not match: %s drives %s on %s, and each port needs a number: --set %s.%s=%s",
		v.Text, module, strings.Join(ports, ", "), h.Name, r.ID, c.Params[0], example)
}

// portsOf returns the NICs of a driver on a host; doubt says why they are unknown.
func portsOf(h *inventory.Host, module string) (ports []string, doubt string) {
	all, _ := h.PNICs.Value()
	for _, n := range all {
		switch driver, state, _ := n.Driver.Get(); {
		case state == inventory.StateUnread:
			return nil, "the driver of " + n.Device + " was not read, so the number of ports of " + module + " is unknown"
		case driver == module:
			ports = append(ports, n.Device)
		}
	}
	return ports, ""
}

func allNumbers(slots []string) bool {
	for _, s := range slots {
		if s == "" || strings.Trim(s, "0123456789") != "" {
			return false
		}
	}
	return true
}
