package simfleet

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/mo"
)

// TestHostsAreComplete: the hosts of a vCenter and those alone have what the template lacks.
func TestHostsAreComplete(t *testing.T) {
	t.Parallel()
	f := startAll(t, Config{})
	for _, e := range f.Endpoints() {
		hosts := retrieve[mo.HostSystem](t, loginTo(t, f, e.Name), "HostSystem", "config.certificate", "config.firewall")
		require.NotEmpty(t, hosts, e.Name)
		for _, h := range hosts {
			require.Equal(t, template.Certificate, h.Config.Certificate, e.Name)
			require.NotNil(t, h.Config.Firewall, e.Name)
			require.Len(t, h.Config.Firewall.Ruleset, len(template.Firewall.Ruleset), e.Name)
		}
	}
}
