package capture

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/pkg/inventory"
)

// factsToMatch are the facts needed to find hosts, VMs and devices of a capture in a snapshot.
var factsToMatch = []string{
	"Host.dnsName", "Host.pnics", "Host.luns", "VM.hostId", "VM.template", "VM.powerState", "VM.vcpus", "VM.disks", "VDisk.address",
}

// readConfiguration reads the configuration of the captures' hosts, if there is a source for it.
func (s *Source) readConfiguration(ctx context.Context, e *estate, needs inventory.Needs) error {
	if s.ReadConfiguration == nil {
		return nil
	}
	var all inventory.Needs
	all.Add(needs)
	all.AddFact(factsToMatch...)
	a := &hostSearch{names: map[string]string{}}
	for _, name := range e.names {
		a.names[trimmed(name)] = name
	}
	found, err := a.search(ctx, func(hosts []string) (*inventory.Snapshot, error) {
		return s.ReadConfiguration(ctx, inventory.Targets{Hosts: hosts}, all)
	})
	if err != nil {
		return fmt.Errorf("reading the configuration of the captured hosts: %w", err)
	}
	if found != nil {
		dropOtherHosts(found, e.names)
	}
	if found == nil || len(found.VCenters) == 0 {
		return fmt.Errorf("%w (%s); without --from only the counters are evaluated", ErrNoCommonHost, firstNames(e.names))
	}
	e.snapshot, e.configSource, e.notes = found, found.Source, a.notes
	return nil
}

// hostSearch is the names to look for in a snapshot.
type hostSearch struct {
	names map[string]string // wanted name → host in the captures
	notes []string
}

// search repeats the request until every remaining name matches one host: each error names the first one that does not.
func (a *hostSearch) search(ctx context.Context, read func(hosts []string) (*inventory.Snapshot, error)) (*inventory.Snapshot, error) {
	for len(a.names) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hosts := make([]string, 0, len(a.names))
		for name := range a.names {
			hosts = append(hosts, name)
		}
		slices.Sort(hosts)
		found, err := read(hosts)
		if err == nil {
			return found, nil
		}
		if !a.drop(err) {
			return nil, err
		}
	}
	return nil, nil
}

// drop drops the name in an error, or replaces a long name by its short form.
func (a *hostSearch) drop(err error) bool {
	if none, ok := errors.AsType[*inventory.NoMatchError](err); ok {
		name, asked := a.names[none.Target]
		delete(a.names, none.Target)
		if short := trimmed(shortName(name)); asked && short != none.Target && a.names[short] == "" {
			a.names[short] = name
		}
		return asked
	}
	several, ok := errors.AsType[*inventory.AmbiguousError](err)
	if !ok {
		return false
	}
	name, asked := a.names[several.Target]
	delete(a.names, several.Target)
	if asked {
		a.notes = append(a.notes, fmt.Sprintf("%s: the snapshot has %s of that name (%s), only its counters are evaluated",
			name, plural.Count(len(several.Objects), "host"), firstNames(several.Objects)))
	}
	return asked
}

// dropOtherHosts drops hosts that have only their short name in common with a host of the captures.
func dropOtherHosts(s *inventory.Snapshot, names []string) {
	for _, v := range s.VCenters {
		kept := map[*inventory.Host]bool{}
		for _, name := range names {
			kept[matchingHost(v.Hosts, name)] = true
		}
		v.VMs = slices.DeleteFunc(slices.Clone(v.VMs), func(vm *inventory.VM) bool { return !kept[vm.Host()] })
		v.Hosts = slices.DeleteFunc(slices.Clone(v.Hosts), func(h *inventory.Host) bool { return !kept[h] })
	}
	s.VCenters = slices.DeleteFunc(s.VCenters, func(v *inventory.VCenter) bool { return len(v.Hosts) == 0 })
	s.Link()
}
