package exporter

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/source"
)

// TestDamagedValuesCostNoSeries: with a damaged character in the name of a VM the figures of all hosts and VMs are served.
func TestDamagedValuesCostNoSeries(t *testing.T) {
	s := play(t, 0)
	host, on := s.host()
	here := s.snapshot().here
	name := here.vms[host][slices.IndexFunc(here.vms[host], func(vm source.VM) bool { return vm.MoID == on[0] })].Name
	want := len(runs(s.page()))
	for why, damage := range map[string]*strings.Replacer{
		"reference": strings.NewReplacer(">"+name+"<", ">"+name[:1]+"&#31;"+name[1:]+"<"),
		"byte":      strings.NewReplacer(">"+name+"<", ">"+name[:1]+"\xff"+name[1:]+"<"),
	} {
		t.Run(why, func(t *testing.T) {
			s.called.Store(damage)
			defer s.called.Store(nil)
			target := s.target(t, TargetConfig{Modules: []module.Name{module.Basic}, Filter: oneCluster, Dial: s.dial})
			again := &scene{s.drive(t, target), s.front, t}
			page := again.next()
			require.Len(t, runs(page), want)
			require.Empty(t, again.troubles())
			require.InDelta(t, 1, page["vperf_up"], 0)
			require.Contains(t, textOf(t, again.Target), name[:1]+"\uFFFD"+name[1:])
		})
	}
}
