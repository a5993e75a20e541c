package change

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/vmfacts"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// vmxSetting is a key of the VMX file. An absent key differs from an empty one; writing an empty value removes a key.
var vmxSetting = vmSetting{
	removable: true,
	parse:     anyText,
	allow:     oneLineOnly,
	read: func(n *vmState, of inventory.Setting, _ tuning.Address) inventory.Fact[inventory.Value] {
		if !vmfacts.IsTuning(of.Key) {
			return inventory.Unread[inventory.Value](notTuningKey)
		}
		return property.Then(n.VMX, func(all map[string]string) inventory.Fact[inventory.Value] {
			keys := writtenAs(all, of.Key)
			if len(keys) == 0 {
				return inventory.Absent[inventory.Value]()
			}
			return inventory.Known(inventory.StringValue(all[keys[0]]))
		})
	},
	refuseKind: func(n *vmState, of inventory.Setting) string {
		if why := unwritable(of.Key); why != "" {
			return why
		}
		if keys := writtenAs(known(n.VMX, nil), of.Key); len(keys) > 1 {
			return "the VM has this key more than once, as " + session.Plain(strings.Join(keys, " and ")) + ": keep one of them"
		}
		return ""
	},
	put: func(e *vmEdit, of inventory.Setting, a tuning.Assignment) error {
		v, _ := a.Value.Value() // absent: "", which removes the key
		if why := unwritable(of.Key); why != "" {
			return fmt.Errorf("setting VMX key %s: %s", session.Plain(of.Key), why)
		}
		key := of.Key
		if keys := writtenAs(known(e.now.VMX, nil), key); len(keys) > 0 {
			key = keys[0]
		}
		e.spec.ExtraConfig = append(e.spec.ExtraConfig, &types.OptionValue{Key: key, Value: v.Text})
		return nil
	},
	invert: func(_ *vmState, a tuning.Address, before inventory.Fact[inventory.Value]) tuning.Inverse {
		if v, ok := before.Value(); ok && v.Text == "" {
			return tuning.Inverse{
				Kind: inventory.InverseEquivalent, Write: []tuning.Assignment{{Address: a, Value: inventory.Absent[inventory.Value]()}},
				About: "the key is there and empty; writing an empty value removes it, and ESXi reads both as not set",
			}
		}
		return exactInverse(a, before)
	},
}

const notTuningKey = "it is not a tuning key, and vperf reads only tuning keys of the VMX file"

// writtenAs returns the VM's spellings of a key, which may differ in case, sorted.
func writtenAs(all map[string]string, key string) []string {
	return slices.Sorted(func(yield func(string) bool) {
		for k := range maps.Keys(all) {
			if strings.EqualFold(k, key) && !yield(k) {
				return
			}
		}
	})
}

// oneLineOnly refuses a value that would not fit on one line.
func oneLineOnly(v inventory.Value) error {
	if strings.ContainsFunc(v.Text, func(r rune) bool { return unicode.IsControl(r) || r == '"' }) {
		return fmt.Errorf("%q contains characters that a VMX file cannot contain", session.Plain(v.Text))
	}
	return nil
}

// deviceKeys are the keys after ethernetN. that define the adapter itself.
var deviceKeys = map[string]bool{
	"features": true, "numanode": true, "pcislotnumber": true, "present": true, "uptcompatibility": true, "virtualdev": true,
}

// unwritable returns why a VMX key is never written.
func unwritable(key string) string {
	lower := strings.ToLower(key)
	if instead, owned := ownedKeys[lower]; owned {
		if instead == "" {
			return "the server ignores writes to this key, because an API field controls it"
		}
		return "the server ignores writes to this key, because an API field controls it: use " + instead
	}
	attribute, _ := vmfacts.VnicAttribute(lower)
	switch {
	case deviceKeys[attribute], ofPassthrough(lower), lower == "svga.present":
		return "this key defines a device; change the device itself"
	case !vmfacts.IsTuning(key):
		return notTuningKey
	}
	return ""
}

// ofPassthrough reports keys of one passthrough device of the VM, such as pciPassthru0.id, but not keys for all of them, such as
// pciPassthru.use64bitMMIO.
func ofPassthrough(lower string) bool {
	rest, ok := strings.CutPrefix(lower, "pcipassthru")
	return ok && rest != "" && rest[0] >= '0' && rest[0] <= '9'
}
