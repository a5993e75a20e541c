package vsphere

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/vperf/vperf/pkg/inventory"
)

// dvGroup is a port group and its switch.
type dvGroup struct {
	on ref
	*inventory.Portgroup
}

// groupsOf are the port groups of a switch, if the server shows all that the switch has.
func (x *index) groupsOf(s *node) inventory.Fact[[]*inventory.Portgroup] {
	return then(x.has[s.ref], func(has int64) inventory.Fact[[]*inventory.Portgroup] {
		all := []*inventory.Portgroup{}
		for _, g := range x.groups {
			if g.on == s.ref {
				all = append(all, g.Portgroup)
			}
		}
		if missing := has - int64(len(all)); missing > 0 {
			return inventory.Unread[[]*inventory.Portgroup](fmt.Sprintf("the server shows %d of the switch's %d port groups", len(all), has))
		}
		slices.SortFunc(all, func(a, b *inventory.Portgroup) int { return cmp.Compare(a.Name, b.Name) })
		return inventory.Known(all)
	})
}
