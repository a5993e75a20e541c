package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/pkg/inventory"
)

// The page's table is generated from the vocabulary and the writers, so that it lists exactly the writable settings.
func TestDocsListWhatCanBeChanged(t *testing.T) {
	page := filepath.Join("..", "..", "docs", "changing.md")
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), "<!-- settings -->\n")
	require.True(t, found)
	_, after, found := strings.Cut(rest, "<!-- end -->\n")
	require.True(t, found)

	var b strings.Builder
	b.WriteString("| setting | of a | consent | needs at least | undone | privileges |\n|---|---|---|---|---|---|\n")
	for _, k := range inventory.SettingKinds() {
		if !k.Applicable() || k.Name == "vnic-vmx" { // which is a key of its VM
			continue
		}
		privileges := k.Privileges()
		require.NotEmpty(t, privileges, k.Name)
		name, consent := k.Name, string(k.Consent)
		if k.Keyed {
			name += "/KEY"
		}
		if k.Name == "host-option" {
			consent += "; free: " + strings.Join(freeOptions(t), ", ")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", name, k.Scope, consent, k.Activation, k.Inverse, strings.Join(privileges, ", "))
	}
	golden.Equal(t, page, []byte(before+"<!-- settings -->\n"+b.String()+"<!-- end -->\n"+after))
}

// freeOptions are the options that take no naming.
func freeOptions(t *testing.T) []string {
	t.Helper()
	var free []string
	for _, key := range inventory.OptionKeys() {
		s, err := inventory.LookupSetting("host-option/" + key)
		require.NoError(t, err)
		if s.Consent() == inventory.ConsentFree {
			free = append(free, "`"+key+"`")
		}
	}
	require.NotEmpty(t, free)
	return free
}
