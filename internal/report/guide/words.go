package guide

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// bySeverity lists the severities of a rule with their profiles: worst first, profiles of one severity together.
func bySeverity(r *advice.Rule) string {
	var parts []string
	for _, s := range advice.Severities() {
		var of []string
		for _, p := range advice.Profiles() {
			if r.Profiles[p] == s {
				of = append(of, string(p))
			}
		}
		if len(of) > 0 {
			parts = append(parts, fmt.Sprintf("%s for %s", s, and(of)))
		}
	}
	if len(parts) == 0 {
		return string(r.Severity)
	}
	return strings.Join(parts, ", ") + ", otherwise " + string(r.Severity)
}

// scopeNames maps scopes to their common names where these differ.
var scopeNames = map[inventory.Scope]string{
	inventory.ScopeVCenter: "vCenter",
	inventory.ScopePool:    "resource pool",
	inventory.ScopePNIC:    "physical NIC",
	inventory.ScopeVM:      "VM",
	inventory.ScopeVNIC:    "virtual NIC",
	inventory.ScopeVDisk:   "virtual disk",
}

func scopeName(s inventory.Scope) string { return cmp.Or(scopeNames[s], string(s)) }

// capital capitalizes the first letter.
func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// and joins words with commas and "and".
func and(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// sentence returns one line that ends with a full stop.
func sentence(s string) string {
	if s = oneLine(s); s != "" && !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
