package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/vsphere/privilege"
)

// TestDocsListThePrivileges writes the roles of docs/permissions.md from the privileges that the code names.
func TestDocsListThePrivileges(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "permissions.md")
	page := readText(t, path)
	page = between(t, page, "counters", "## Live counters of the Esxtop service\n\n```sh server\n"+
		"govc role.create "+privilege.RoleCounters+" "+strings.Join(append(privilege.Reading(), privilege.ServiceManagers), " ")+"\n```\n")

	var b strings.Builder
	b.WriteString("## Changes\n\n```sh server\n")
	for _, role := range []struct {
		name string
		vms  bool
	}{{privilege.RoleVMs, true}, {privilege.RoleHosts, false}} {
		fmt.Fprintf(&b, "govc role.create %s %s", role.name, strings.Join(privilege.Reading(), " "))
		for _, p := range privilege.ToChange(role.vms) {
			b.WriteString(" \\\n  " + p)
		}
		b.WriteString("\n")
	}
	b.WriteString("```\n")
	page = between(t, page, "changes", b.String())
	for _, u := range privilege.OfRuns() {
		require.Regexp(t, `(?m)^\|.*`+strings.ReplaceAll(u.Privilege, ".", `\.`)+`.*\|`, page, "the table explains it")
	}
	golden.Equal(t, path, []byte(page))
}
