package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/vsphere/change"
	"github.com/vperf/vperf/pkg/inventory"
)

// besideWrites lists the privileges that a run needs besides those for writing settings: the methods that it calls require them
// according to the vSphere API reference.
var besideWrites = map[string][]string{
	"vms":   {"Global.LogEvent", "VirtualMachine.Config.RawDevice", "VirtualMachine.Interact.PowerOff", "VirtualMachine.Interact.PowerOn"},
	"hosts": {"Global.LogEvent", "Host.Config.Firmware", "Host.Config.Maintenance"},
}

// TestDocsListThePrivileges writes the roles of docs/permissions.md from the privileges that the code names.
func TestDocsListThePrivileges(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "permissions.md")
	page := readText(t, path)
	require.Contains(t, readText(t, filepath.Join("..", "vsphere", "measure", "esxtopservice.go")), `"Global.ServiceManagers"`)
	page = between(t, page, "counters", "## Live counters of the Esxtop service\n\n```sh server\n"+
		"govc role.create vperf-counters System.Anonymous System.Read System.View Global.ServiceManagers\n```\n")

	privileges := map[string][]string{}
	for _, k := range inventory.SettingKinds() {
		if !k.Applicable() {
			continue
		}
		role := "hosts"
		switch k.Scope {
		case inventory.ScopeVM, inventory.ScopeVNIC, inventory.ScopeVDisk, inventory.ScopePool:
			role = "vms"
		}
		privileges[role] = append(privileges[role], change.WritePrivileges(k.Name)...)
	}
	var b strings.Builder
	b.WriteString("## Changes\n\n```sh server\n")
	for _, role := range []string{"vms", "hosts"} {
		all := slices.Concat(privileges[role], besideWrites[role])
		slices.Sort(all)
		fmt.Fprintf(&b, "govc role.create vperf-change-%s System.Anonymous System.Read System.View", role)
		for _, p := range slices.Compact(all) {
			b.WriteString(" \\\n  " + p)
		}
		b.WriteString("\n")
	}
	b.WriteString("```\n")
	page = between(t, page, "changes", b.String())
	for _, p := range slices.Concat(besideWrites["vms"], besideWrites["hosts"]) {
		require.Regexp(t, `(?m)^\|.*`+strings.ReplaceAll(p, ".", `\.`)+`.*\|`, page, "the table explains it")
	}
	golden.Equal(t, path, []byte(page))
}
