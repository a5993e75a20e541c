package expr

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/vperf/vperf/pkg/inventory"
)

// In a CEL expression, comparing every host of a cluster with every other would take quadratic time. These functions
// return descriptions of the differences between hosts; an empty list means that there are none.

// ofCluster declares a function of a cluster whose hosts are all known.
func ofCluster(name string, compare func([]*inventory.Host) ref.Val) cel.EnvOption {
	return cel.Function(name, cel.MemberOverload("cluster_"+name, []*cel.Type{celCluster}, cel.ListType(cel.StringType),
		cel.UnaryBinding(func(c ref.Val) ref.Val {
			cluster := c.Value().(*inventory.Cluster)
			hosts, state, reason := cluster.Hosts.Get()
			if state != inventory.StateKnown {
				return Unread(cluster, "Cluster.hosts", reason)
			}
			return compare(hosts)
		})))
}

// spread maps each value of a property to the hosts that have it.
type spread map[string][]string // value → names of hosts

func (s spread) add(value, host string) { s[value] = append(s[value], host) }

// words lists values by ascending number of hosts, because readers look for the exception.
func (s spread) words(what string) string {
	values := slices.Sorted(maps.Keys(s))
	slices.SortStableFunc(values, func(a, b string) int { return cmp.Compare(len(s[a]), len(s[b])) })
	var parts []string
	for i, v := range values {
		who := strings.Join(s[v], ", ")
		if i > 0 && i == len(values)-1 && len(s[v]) > 3 {
			who = "all others"
		}
		parts = append(parts, v+" on "+who)
	}
	return what + ": " + strings.Join(parts, "; ")
}

func differences(of map[string]spread) ref.Val {
	words := []string{}
	for _, what := range slices.Sorted(maps.Keys(of)) {
		if s := of[what]; len(s) > 1 {
			words = append(words, s.words(what))
		}
	}
	return types.DefaultTypeAdapter.NativeToValue(words)
}

// optionDrift compares the options that differ from their default on at least one host. Two hosts at their own defaults
// are equal, even if the defaults of their releases differ.
func optionDrift(hosts []*inventory.Host) ref.Val {
	seen := map[string]spread{}
	values := make([]map[string]string, len(hosts))
	var missing *types.Unknown
	for i, h := range hosts {
		var gap *types.Unknown
		if values[i], gap = changedOptions(h); gap != nil {
			missing = types.MergeUnknowns(missing, gap)
		}
		for key := range values[i] {
			seen[key] = spread{}
		}
	}
	if missing != nil {
		return missing
	}
	for key, s := range seen {
		for i, h := range hosts {
			s.add(cmp.Or(values[i][key], "the default"), h.Name)
		}
	}
	return differences(seen)
}

// changedOptions returns the options of a host that differ from their default, with their values.
func changedOptions(h *inventory.Host) (map[string]string, *types.Unknown) {
	keys, state, reason := h.OffDefault.Get()
	if state != inventory.StateKnown {
		return nil, Unread(h, "Host.offDefault", reason)
	}
	options, state, reason := h.Options.Get()
	if state != inventory.StateKnown && len(keys) > 0 {
		return nil, Unread(h, "Host.options", reason)
	}
	changed := make(map[string]string, len(keys))
	for _, key := range keys {
		changed[key] = cmp.Or(options[key].Value.Text, `""`)
	}
	return changed, nil
}

// ownName is the prefix of disk names that are local to a host: mpx.vmhba0:C0:T0:L0 of two hosts is two disks.
const ownName = "mpx."

// mixedPathPolicies finds disks that several hosts access with different path policies.
func mixedPathPolicies(hosts []*inventory.Host) ref.Val {
	return compareDevices(hosts, "Host.luns", func(h *inventory.Host) inventory.Fact[[]*inventory.LUN] { return h.LUNs }, addPathPolicy)
}

// mixedMTUs compares the MTUs of each kind of traffic. It ignores management traffic: its packets are small, and hosts
// are installed with 1500 for it.
func mixedMTUs(hosts []*inventory.Host) ref.Val {
	return compareDevices(hosts, "Host.vmknics", func(h *inventory.Host) inventory.Fact[[]*inventory.VMKNIC] { return h.VMKNICs }, addMTU)
}

// compareDevices describes the differences between the devices of hosts; add collects the values of each device. If a
// value is unread, the result is unknown, because that value may differ.
func compareDevices[D any](
	hosts []*inventory.Host, fact string, of func(*inventory.Host) inventory.Fact[[]D],
	add func(seen map[string]spread, h *inventory.Host, device D) *types.Unknown,
) ref.Val {
	seen := map[string]spread{}
	var missing *types.Unknown
	for _, h := range hosts {
		devices, state, reason := of(h).Get()
		if state == inventory.StateUnread {
			missing = types.MergeUnknowns(missing, Unread(h, fact, reason))
		}
		for _, d := range devices {
			missing = types.MergeUnknowns(missing, add(seen, h, d))
		}
	}
	if missing != nil {
		return missing
	}
	return differences(seen)
}

// addPathPolicy adds a host's path policy for a disk that other hosts know by the same name.
func addPathPolicy(seen map[string]spread, h *inventory.Host, l *inventory.LUN) *types.Unknown {
	if strings.HasPrefix(l.Device, ownName) {
		return nil
	}
	policy, state, reason := l.PathPolicy.Get()
	switch state {
	case inventory.StateUnread:
		return Unread(l, "LUN.pathPolicy", reason)
	case inventory.StateKnown:
		if seen[l.Device] == nil {
			seen[l.Device] = spread{}
		}
		seen[l.Device].add(policy, h.Name)
	}
	return nil
}

// addMTU adds the MTU of one adapter for each kind of traffic it carries. A host with several adapters counts once.
func addMTU(seen map[string]spread, h *inventory.Host, k *inventory.VMKNIC) *types.Unknown {
	services, state, reason := k.Services.Get()
	if state == inventory.StateUnread {
		return Unread(k, "VMKNIC.services", reason)
	}
	services = slices.DeleteFunc(slices.Clone(services), func(s string) bool { return s == "management" })
	mtu, state, reason := k.MTU.Get()
	if state == inventory.StateUnread && len(services) > 0 {
		return Unread(k, "VMKNIC.mtu", reason)
	}
	for _, s := range services {
		if seen[s] == nil {
			seen[s] = spread{}
		}
		if value := strconv.FormatInt(mtu, 10); !slices.Contains(seen[s][value], h.Name) {
			seen[s].add(value, h.Name)
		}
	}
	return nil
}
