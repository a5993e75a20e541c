package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/vsphere"
	"github.com/vperf/vperf/pkg/inventory"
)

// The page's table is made from the vocabulary and from what the writers say, so that it lists what can be written and nothing else.
func TestDocsListWhatCanBeChanged(t *testing.T) {
	page := filepath.Join("..", "..", "docs", "changing.md")
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), "<!-- settings -->\n")
	require.True(t, found)
	_, after, found := strings.Cut(rest, "<!-- end -->\n")
	require.True(t, found)

	var b strings.Builder
	b.WriteString("| setting | of a | needs at least | undone | privileges |\n|---|---|---|---|---|\n")
	for _, k := range inventory.SettingKinds() {
		if !k.Applicable() || k.Name == "vnic-vmx" { // which is a key of its VM
			continue
		}
		privileges := vsphere.WritePrivileges(k.Name)
		require.NotEmpty(t, privileges, k.Name)
		name := k.Name
		if k.Keyed {
			name += "/KEY"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", name, k.Scope, k.Activation, k.Inverse, strings.Join(privileges, ", "))
	}
	golden.Equal(t, page, []byte(before+"<!-- settings -->\n"+b.String()+"<!-- end -->\n"+after))
}
