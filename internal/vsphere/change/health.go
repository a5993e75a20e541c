package change

import (
	"cmp"
	"context"
	"slices"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/change/condition"
	"github.com/vperf/vperf/internal/vsphere/hostfacts"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

const (
	pathAlarms    = "triggeredAlarmState"
	pathAlarmName = "info.name"
)

// Health implements tuning.Power, in two calls for any number of hosts.
func (s *power) Health(ctx context.Context, hosts []tuning.Target) ([]tuning.Health, error) {
	var from []types.ObjectSpec
	for _, h := range hosts {
		from = append(from, types.ObjectSpec{Obj: targetHost(h)})
	}
	found, err := s.objects(ctx, "the health of hosts", from, types.PropertySpec{Type: property.TypeHost, PathSet: []string{
		tree.PathName, tree.PathConnection, tree.PathPower, tree.PathStandby, condition.PathQuarantine, tree.PathVersion, pathAlarms,
		hostfacts.PathPNIC, hostfacts.PathStandard, hostfacts.PathDistributed, hostfacts.PathOpaque, hostfacts.PathMultipath,
	}})
	if err != nil {
		return nil, err
	}
	byID := map[string]*property.Props{}
	for _, p := range found {
		byID[p.Ref.Value] = p
	}
	names, err := s.alarmNames(ctx, byID)
	if err != nil {
		return nil, err
	}
	out := make([]tuning.Health, len(hosts))
	for i, h := range hosts {
		out[i] = health(h, byID[h.ID], names)
	}
	return out, nil
}

// health returns the health of a host. A property that cannot be read counts as a problem.
func health(h tuning.Target, p *property.Props, alarms map[ref]string) tuning.Health {
	out := tuning.Health{Host: h}
	if p == nil {
		out.Trouble = "the server no longer has it"
		return out
	}
	red, dead, paths := redAlarms(p), deadUplinks(p), livePaths(p)
	out.Trouble = cmp.Or(tree.HostUnreadReason(p), condition.HostState(p), condition.Gap(red, "its alarms"), condition.Gap(dead, "its uplinks"), condition.Gap(paths, "its storage paths"))
	list, _ := red.Value()
	for _, a := range list {
		out.RedAlarms = append(out.RedAlarms, session.Plain(cmp.Or(alarms[a], a.Value)))
	}
	slices.Sort(out.RedAlarms)
	out.RedAlarms = slices.Compact(out.RedAlarms)
	out.DeadUplinks, _ = dead.Value()
	n, _ := paths.Value()
	out.LivePaths = int(n)
	return out
}

// redAlarms returns the red alarms of the host itself and of the objects that belong to it; its VMs do not.
func redAlarms(p *property.Props) inventory.Fact[[]ref] {
	states := property.Read(p, pathAlarms, property.As[types.ArrayOfAlarmState], property.DefaultTo(types.ArrayOfAlarmState{}))
	return property.Then(states, func(a types.ArrayOfAlarmState) inventory.Fact[[]ref] {
		var red []ref
		for _, s := range a.AlarmState {
			if s.OverallStatus == types.ManagedEntityStatusRed && s.Entity.Type != property.TypeVM {
				red = append(red, s.Alarm)
			}
		}
		return inventory.Known(red)
	})
}

// alarmNames returns the names of all alarms that are red on some host. An alarm whose name cannot be read is named by its id.
func (s *power) alarmNames(ctx context.Context, hosts map[string]*property.Props) (map[ref]string, error) {
	names := map[ref]string{}
	var from []types.ObjectSpec
	for _, p := range hosts {
		red, _ := redAlarms(p).Value()
		for _, a := range red {
			if _, twice := names[a]; !twice {
				names[a] = ""
				from = append(from, types.ObjectSpec{Obj: a})
			}
		}
	}
	found, err := s.objects(ctx, "the names of alarms", from, types.PropertySpec{Type: "Alarm", PathSet: []string{pathAlarmName}})
	for _, p := range found {
		names[p.Ref], _ = property.Read(p, pathAlarmName, property.Text, property.Required).Value()
	}
	return names, err
}

// deadUplinks returns the NICs that a switch of any kind uses and that have no link.
func deadUplinks(p *property.Props) inventory.Fact[[]string] {
	h := new(inventory.Host)
	hostfacts.FillPNICs(p, h)
	hostfacts.FillUplinks(p, h)
	return property.Then(h.PNICs, func(nics []*inventory.PNIC) inventory.Fact[[]string] {
		var dead []string
		for _, n := range nics {
			used, state, reason := n.Uplink.Get()
			if state == inventory.StateUnread {
				return inventory.Unread[[]string](reason)
			}
			if speed, _ := n.LinkMbps.Value(); used && speed == 0 {
				dead = append(dead, session.Plain(n.Device))
			}
		}
		slices.Sort(dead)
		return inventory.Known(dead)
	})
}

// livePaths counts the storage paths that carry I/O or are ready to.
func livePaths(p *property.Props) inventory.Fact[int64] {
	info := property.Read(p, hostfacts.PathMultipath, property.As[types.HostMultipathInfo], property.DefaultTo(types.HostMultipathInfo{}))
	return property.Then(info, func(i types.HostMultipathInfo) inventory.Fact[int64] {
		n := int64(0)
		for u := range i.Lun {
			for _, state := range []types.MultipathState{types.MultipathStateActive, types.MultipathStateStandby} {
				some, _ := hostfacts.PathsIn(&i.Lun[u], state).Value()
				n += some
			}
		}
		return inventory.Known(n)
	})
}
