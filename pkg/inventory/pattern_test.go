package inventory_test

import (
	"path"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
)

func namesOfHosts(hosts []*inventory.Host) []string {
	var names []string
	for _, h := range hosts {
		names = append(names, h.Name)
	}
	return names
}

func TestPatternsOfNames(t *testing.T) {
	var hosts []*inventory.Host
	for _, name := range []string{"esx01.lab", "esx02.lab", "esx11.lab", "esx*.odd", "db[1]"} {
		h := &inventory.Host{}
		h.Name, h.ID, h.Path = name, "host-"+name, "/dc/host/"+name
		hosts = append(hosts, h)
	}
	for target, want := range map[string][]string{
		"esx0*":       {"esx01.lab", "esx02.lab"},
		"ESX0?.LAB":   {"esx01.lab", "esx02.lab"},
		"esx[01]1*":   {"esx01.lab", "esx11.lab"},
		"/dc/*/esx1*": {"esx11.lab"},
		"esx11":       {"esx11.lab"},
		"esx*.odd":    {"esx*.odd"}, // an exact name takes precedence over a pattern
		"db[1]":       {"db[1]"},
		"esx??":       {"esx01.lab", "esx02.lab", "esx11.lab"}, // short names
		"*.lab":       {"esx01.lab", "esx02.lab", "esx11.lab"},
	} {
		got, err := inventory.MatchHosts(hosts, []string{target})
		require.NoError(t, err, target)
		require.Equal(t, want, namesOfHosts(got), target)
	}
	_, err := inventory.MatchHosts(hosts, []string{"web-*"})
	require.EqualError(t, err, `no host matches "web-*"`)
	_, err = inventory.MatchHosts(hosts, []string{"esx["})
	require.ErrorIs(t, err, path.ErrBadPattern)
	require.EqualError(t, err, `"esx[" as a pattern of names: syntax error in pattern`)
}
