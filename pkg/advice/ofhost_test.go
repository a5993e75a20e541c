package advice

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// TestWhatIsTheSameForAllOfAHost: an expression that iterates over lists of the host and reads nothing else is computed
// once for each host.
func TestWhatIsTheSameForAllOfAHost(t *testing.T) {
	for source, want := range map[string]bool{
		"sum(host.vms.map(v, v.memoryMB))":                            true,
		"host.vms.exists(v, v.vcpus > 4)":                             true,
		"host.vms.filter(v, v.vcpus > 4).size() + host.vms.size()":    true,
		"host.vms.exists(v, host.datastores.exists(d, d.freeMB > 4))": true,
		"host.cores":                                                         false, // faster than a lookup
		"vm.vcpus":                                                           false,
		"host.vms.exists(v, v.name == vm.name)":                              false,
		"vm.vnics.exists(n, n.label == 'x')":                                 false,
		"host.vms.exists(v, profile == 'general')":                           false,
		"host.vms.filter(v, v.memoryMB > params.least).size()":               false,
		"sum(host.vms.map(v, v.memoryMB)) - vm.memoryMB + host.vms.size()":   false,
		"host.vms.exists(v, vm.vnics.exists(n, n.label == v.name)) || false": false,
	} {
		text := "id: r\ntitle: T\ncategory: vm\nscope: vm\nseverity: low\nwant: vm.vcpus > 1\nwhy: W.\nparams: {least: {value: 2, about: MB}}\nevidence:\n  a: |-\n    " + source + "\n"
		l, err := Load(Source{FS: fstest.MapFS{"r.yaml": {Data: []byte(text)}}, User: true})
		require.NoError(t, err)
		set, err := l.Select(Selection{})
		require.NoError(t, err, source)
		require.Equal(t, []bool{want}, set.rules[0].ofHost, source)
	}
}
