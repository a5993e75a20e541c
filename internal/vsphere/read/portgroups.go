package read

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

// groupsOf returns the port groups of a switch, if the server shows all of them.
func (x *index) groupsOf(s *tree.Node) inventory.Fact[[]*inventory.Portgroup] {
	return property.Then(x.has[s.Ref], func(has int64) inventory.Fact[[]*inventory.Portgroup] {
		all := []*inventory.Portgroup{}
		for _, g := range x.groups {
			if g.on == s.Ref {
				all = append(all, g.Portgroup)
			}
		}
		if missing := has - int64(len(all)); missing > 0 {
			return inventory.Unread[[]*inventory.Portgroup](fmt.Sprintf("the server lists only %d of the switch's %d port groups", len(all), has))
		}
		slices.SortFunc(all, func(a, b *inventory.Portgroup) int { return cmp.Compare(a.Name, b.Name) })
		return inventory.Known(all)
	})
}
