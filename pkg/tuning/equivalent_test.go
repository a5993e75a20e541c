package tuning_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

func text(s string) inventory.Fact[inventory.Value] { return inventory.Known(inventory.StringValue(s)) }
func long(n int64) inventory.Fact[inventory.Value]  { return inventory.Known(inventory.LongValue(n)) }
func absent() inventory.Fact[inventory.Value]       { return inventory.Absent[inventory.Value]() }

func TestSameComparesByMeaning(t *testing.T) {
	unread := inventory.Unread[inventory.Value]("no answer")
	for name, c := range map[string]struct {
		setting string
		x, y    inventory.Fact[inventory.Value]
		want    bool
	}{
		"a boolean in another case":           {"vm-vmx/svga.present", text("TRUE"), text("true"), true},
		"another boolean":                     {"vm-vmx/svga.present", text("TRUE"), text("false"), false},
		"a typed boolean and its text":        {"vm-logging", inventory.Known(inventory.BoolValue(true)), text("TRUE"), true},
		"a number of another width":           {"host-option/Net.X", long(0), inventory.Known(inventory.IntValue(0)), true},
		"a number with zeros before it":       {"vm-vmx/sched.mem.maxmemctl", text("08"), text("8"), true},
		"a number and its text":               {"vdisk-iops-limit", long(100), text(" 100 "), true},
		"another number":                      {"host-option/Net.X", long(1), long(2), false},
		"a number and no number":              {"host-option/Net.X", long(1), text("one"), false},
		"lists with commas and blanks":        {"vm-cpu-affinity", text("0 1"), text("0,1"), true},
		"a set in another order":              {"vm-memory-affinity", text("1,0"), text("0, 1"), true},
		"another set":                         {"vm-cpu-affinity", text("0 1"), text("0"), false},
		"a list in a VMX file":                {"vm-vmx/numa.nodeAffinity", text("0,1"), text("0, 1"), true},
		"a list in another order may be":      {"vm-vmx/sched.x", text("1,0"), text("0,1"), false},
		"the slots of ports have an order":    {"driver-options/RSS", text("4,0"), text("0,4"), false},
		"texts of a host keep their case":     {"host-option/Net.TuneMode", text("True"), text("true"), false},
		"words of a VMX file keep their case": {"vnic-vmx/coalescingScheme", text("Disabled"), text("disabled"), false},
		"equal texts":                         {"power-policy", text("static"), text("static"), true},
		"absent and absent":                   {"vm-vmx/a.b", absent(), absent(), true},
		"absent and empty":                    {"vm-vmx/a.b", absent(), text(""), false},
		"absent and nothing in a set":         {"vm-cpu-affinity", absent(), text(""), false},
		"absent and zero":                     {"vm-cpu-limit", absent(), long(0), false},
		"unread is the same as nothing":       {"vm-cpu-limit", unread, unread, false},
		"unread and known":                    {"vm-cpu-limit", unread, long(1), false},
		"empty and empty":                     {"vm-cpu-affinity", text(""), text(" "), true},
		"empty and blank are one VMX value":   {"vm-vmx/a.b", text(""), text(" "), true},
		"a number is no boolean":              {"vm-vmx/a.b", text("1"), text("TRUE"), false},
	} {
		t.Run(name, func(t *testing.T) {
			a := tuning.Address{Setting: c.setting}
			require.Equal(t, c.want, tuning.Same(a, c.x, c.y))
			require.Equal(t, c.want, tuning.Same(a, c.y, c.x), "the other way round")
		})
	}
}
