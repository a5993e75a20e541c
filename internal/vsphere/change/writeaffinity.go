package change

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// affinity is the setting for a list of CPUs or NUMA nodes. Sending an empty list removes the affinity: a VM without affinity and
// a VM with an empty list are equivalent.
func affinity(of func(*vm) inventory.Fact[[]int64], put func(*vmEdit, *types.VirtualMachineAffinityInfo)) vmSetting {
	return vmSetting{
		parse: func(text string) (inventory.Value, error) {
			all, err := numbers(text)
			return numbersValue(all), err
		},
		read: func(n *vmState, _ inventory.Setting, _ tuning.Address) inventory.Fact[inventory.Value] {
			return property.Then(of(n.vm), func(all []int64) inventory.Fact[inventory.Value] {
				return inventory.Known(numbersValue(all))
			})
		},
		put: func(e *vmEdit, _ inventory.Setting, a tuning.Assignment) error {
			v, _ := a.Value.Value()
			all, err := numbers(v.Text)
			set := make([]int32, len(all))
			for i, n := range all {
				set[i] = int32(n)
			}
			put(e, &types.VirtualMachineAffinityInfo{AffinitySet: set})
			return err
		},
	}
}

// mostNumbers is more CPUs than any host has; a range beyond it is a typing error.
const mostNumbers = 4096

// numbers parses a list such as 0-3,8 or 0 1 2.
func numbers(text string) ([]int64, error) {
	var all []int64
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
		from, to, ok := numberRange(part)
		if !ok {
			return nil, fmt.Errorf("%q is not a list of numbers such as 0-3,8", session.Plain(text))
		}
		for n := from; n <= to; n++ {
			all = append(all, n)
		}
	}
	return all, nil
}

// numberRange parses a range such as 0-3, or a single number. It refuses negative, reversed and oversized ranges.
func numberRange(part string) (from, to int64, ok bool) {
	low, high, isRange := strings.Cut(part, "-")
	if !isRange {
		high = low
	}
	from, err := strconv.ParseInt(low, 10, 64)
	to, errTo := strconv.ParseInt(high, 10, 64)
	return from, to, err == nil && errTo == nil && from >= 0 && to >= from && to <= math.MaxInt32 && to-from < mostNumbers
}

// numbersValue returns a list as a sorted set.
func numbersValue(all []int64) inventory.Value {
	all = slices.Clone(all)
	slices.Sort(all)
	return inventory.StringValue(strings.Trim(fmt.Sprint(slices.Compact(all)), "[]"))
}
