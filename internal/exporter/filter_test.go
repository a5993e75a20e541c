package exporter

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/source"
)

func ready(t *testing.T, f Filter) filter {
	t.Helper()
	made, err := newFilter(f)
	require.NoError(t, err)
	return made
}

func TestFilterOfHostsAndVMs(t *testing.T) {
	host := &source.Host{MoID: "host-1", Name: "esx01.lab", Path: "/dc1/host/general/esx01.lab"}
	vm := &source.VM{MoID: "vm-1", Name: "web-1", Path: "/dc1/vm/web/web-1", Host: "host-1"}
	tags := tagsOf{"host-1": {"rack/a1"}, "vm-1": {"Tier/Gold", "owner/web"}}
	for name, c := range map[string]struct {
		filter   Filter
		host, vm bool
	}{
		"nothing said":               {Filter{}, true, true},
		"name":                       {Filter{Include: []Pattern{{Name: "WEB-*"}}}, false, true},
		"name of the host":           {Filter{Include: []Pattern{{Name: "esx*.lab"}}}, true, false},
		"a name is whole":            {Filter{Include: []Pattern{{Name: "web"}}}, false, false},
		"path below":                 {Filter{Include: []Pattern{{Path: "/dc1/vm/**"}}}, false, true},
		"path of the cluster":        {Filter{Include: []Pattern{{Path: "/dc1/host/general/**"}}}, true, true},
		"path of another cluster":    {Filter{Include: []Pattern{{Path: "/dc1/host/gen/**"}}}, false, false},
		"a star is one folder":       {Filter{Include: []Pattern{{Path: "/dc1/*/web-1"}}}, false, false},
		"stars are folders":          {Filter{Include: []Pattern{{Path: "/*/vm/*/web*"}}}, false, true},
		"** is one folder at least":  {Filter{Include: []Pattern{{Path: "/dc1/vm/web/web-1/**"}}}, false, false},
		"** in between":              {Filter{Include: []Pattern{{Path: "/dc1/**/web-1"}}}, false, true},
		"tag":                        {Filter{Include: []Pattern{{Tag: "tier:gold"}}}, false, true},
		"tag of another category":    {Filter{Include: []Pattern{{Tag: "owner:gold"}}}, false, false},
		"any tag of a category":      {Filter{Include: []Pattern{{Tag: "rack:*"}}}, true, false},
		"all parts must match":       {Filter{Include: []Pattern{{Name: "web-*", Tag: "rack:*"}}}, false, false},
		"one of several":             {Filter{Include: []Pattern{{Name: "nobody"}, {Name: "web-1"}}}, false, true},
		"exclude":                    {Filter{Exclude: []Pattern{{Name: "web-1"}}}, true, false},
		"exclude what was included":  {Filter{Include: []Pattern{{Name: "*"}}, Exclude: []Pattern{{Tag: "tier:*"}}}, true, false},
		"exclude a cluster with all": {Filter{Exclude: []Pattern{{Path: "/dc1/host/general/**"}}}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := ready(t, c.filter)
			require.Equal(t, c.host, f.host(host, tags), "host")
			require.Equal(t, c.vm, f.vm(vm, host, tags), "VM")
		})
	}
}

// TestTagsThatAreNotKnown: objects are not exported while an unknown tag decides.
func TestTagsThatAreNotKnown(t *testing.T) {
	host := &source.Host{MoID: "host-1", Name: "esx01"}
	for name, c := range map[string]struct {
		filter Filter
		want   bool
	}{
		"include by tag":             {Filter{Include: []Pattern{{Tag: "a:b"}}}, false},
		"or by name":                 {Filter{Include: []Pattern{{Tag: "a:b"}, {Name: "esx01"}}}, true},
		"exclude by tag":             {Filter{Exclude: []Pattern{{Tag: "a:b"}}}, false},
		"exclude others by tag":      {Filter{Exclude: []Pattern{{Tag: "a:b", Name: "esx02"}}}, true},
		"no tag in the whole filter": {Filter{Exclude: []Pattern{{Name: "esx02"}}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, ready(t, c.filter).host(host, nil))
			require.Equal(t, c.want, ready(t, c.filter).host(host, tagsOf{"host-2": nil}), "an object that came since")
		})
	}
	require.True(t, ready(t, Filter{Exclude: []Pattern{{Tag: "a:b"}}}).host(host, tagsOf{"host-1": nil}), "it has none, and that is known")
}

func TestFiltersThatMeanNothing(t *testing.T) {
	for _, c := range []struct {
		pattern Pattern
		words   string
	}{
		{Pattern{}, "a pattern is empty"},
		{Pattern{Path: "dc1/**"}, "does not begin with /"},
		{Pattern{Tag: "gold"}, "write it as CATEGORY:NAME"},
		{Pattern{Tag: ":gold"}, "has no category"},
	} {
		_, err := newFilter(Filter{Exclude: []Pattern{c.pattern}})
		require.ErrorContains(t, err, c.words)
	}
}

func TestGlob(t *testing.T) {
	for pattern, texts := range map[string]map[string]bool{
		"":      {"": true, "a": false},
		"*":     {"": true, "any": true},
		"a*":    {"a": true, "ab": true, "ba": false},
		"*a":    {"a": true, "ba": true, "ab": false},
		"a*a":   {"a": false, "aa": true, "aba": true, "abaa": true},
		"a*b*c": {"abc": true, "a1b2c": true, "acb": false, "ac": false},
		"[a]":   {"a": false, "[a]": true},
	} {
		for text, want := range texts {
			require.Equal(t, want, glob(pattern, text), "%q of %q", pattern, text)
		}
	}
}
