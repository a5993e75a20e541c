package change

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// vmSetting defines how one kind of VM setting is read, checked and written.
type vmSetting struct {
	// path is the property that holds the value; "" if no single property does.
	path string
	// read returns the current value; nil: as the audit reads it.
	read func(*vmState, inventory.Setting, tuning.Address) inventory.Fact[inventory.Value]
	// refuseKind returns why no setting of the kind can be written to the VM, whatever the value; may be nil.
	refuseKind func(*vmState, inventory.Setting) string
	// parse converts a value to its wire type.
	parse func(text string) (inventory.Value, error)
	// allow refuses values that a plan must not request. They are still written if they were there before. May be nil.
	allow func(inventory.Value) error
	// put writes the value into the specification.
	put func(*vmEdit, inventory.Setting, tuning.Assignment) error
	// check returns why the value conflicts with the VM's other values after the change; may be nil.
	check func(*vmEdit) string
	// invert returns the inverse of the change; nil: write the previous value.
	invert func(*vmState, tuning.Address, inventory.Fact[inventory.Value]) tuning.Inverse
	// extraPrivileges returns privileges required in addition to those of the kind, for this VM's device; may be nil.
	extraPrivileges func(*vmState, tuning.Address) []string
	// removable reports that the setting can be removed.
	removable bool
}

// current returns the current value.
func (s vmSetting) current(n *vmState, of inventory.Setting, a tuning.Address) inventory.Fact[inventory.Value] {
	if s.read != nil {
		return s.read(n, of, a)
	}
	return of.Current(n.vm)
}

// refusal returns why the setting must not be written, whatever the value.
func (s vmSetting) refusal(n *vmState, of inventory.Setting) string {
	if why := n.powerRefusal(); why != "" {
		return why
	}
	if s.path != "" && !n.knows(s.path) {
		return "the server does not have this setting: a later release introduced it"
	}
	if s.refuseKind != nil {
		return s.refuseKind(n, of)
	}
	return ""
}

// allowed returns the value to write, or an error if a plan must not request it.
func (s vmSetting) allowed(of inventory.Setting, value inventory.Fact[inventory.Value]) (inventory.Fact[inventory.Value], error) {
	value, err := s.typed(of, value)
	if v, ok := value.Value(); err == nil && ok && s.allow != nil {
		if err = s.allow(v); err != nil {
			err = fmt.Errorf("%s: %w", of, err)
		}
	}
	return value, err
}

// typed returns the value to write: of the kind's type, or absent.
func (s vmSetting) typed(of inventory.Setting, value inventory.Fact[inventory.Value]) (inventory.Fact[inventory.Value], error) {
	v, state, reason := value.Get()
	switch {
	case state == inventory.StateUnread:
		return value, fmt.Errorf("%s has no value to be set to: %s", of, reason)
	case s.removable && (state == inventory.StateAbsent || v.Text == ""):
		return inventory.Absent[inventory.Value](), nil
	case state == inventory.StateAbsent:
		return value, fmt.Errorf("%s can be changed but not removed", of)
	}
	typed, err := s.parse(v.Text)
	if err != nil {
		return value, fmt.Errorf("%s: %w", of, err)
	}
	return inventory.Known(typed), nil
}

// inverse returns how to undo a change from before.
func (s vmSetting) inverse(n *vmState, a tuning.Address, before inventory.Fact[inventory.Value]) tuning.Inverse {
	v, state, _ := before.Get()
	switch {
	case state == inventory.StateUnread:
		return tuning.Inverse{Kind: inventory.InverseNone, About: "the current value could not be read"}
	case s.invert != nil:
		return s.invert(n, a, before)
	case state == inventory.StateKnown && s.path != "" && n.unset(s.path):
		return equivalentInverse(a, v, "it is not set, which means %s; it cannot be unset again, so vperf writes %[1]s", v.Text)
	}
	return exactInverse(a, before)
}

// equivalentInverse returns an inverse that writes an equivalent value.
func equivalentInverse(a tuning.Address, v inventory.Value, about string, args ...any) tuning.Inverse {
	return tuning.Inverse{
		Kind: inventory.InverseEquivalent, Write: []tuning.Assignment{{Address: a, Value: inventory.Known(v)}}, About: fmt.Sprintf(about, args...),
	}
}

// number returns a setting that is a whole number from least to most.
func number(path string, least, most int64, put func(*vmEdit, int64), check func(*vmEdit) string) vmSetting {
	return vmSetting{path: path, parse: upTo(most), allow: atLeast(least), check: check, put: func(e *vmEdit, _ inventory.Setting, a tuning.Assignment) error {
		v, _ := a.Value.Value()
		n, _ := v.Int()
		put(e, n)
		return nil
	}}
}

// upTo returns a parser for a number that fits the field.
func upTo(most int64) func(string) (inventory.Value, error) {
	return func(text string) (inventory.Value, error) {
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		switch {
		case err != nil:
			return inventory.Value{}, fmt.Errorf("%q is not a whole number", session.Plain(text))
		case n < inventory.NoLimit:
			return inventory.Value{}, fmt.Errorf("%d is less than the minimum of %d", n, inventory.NoLimit)
		case n > most:
			return inventory.Value{}, fmt.Errorf("%d is more than the maximum of %d", n, most)
		}
		return inventory.LongValue(n), nil
	}
}

func atLeast(least int64) func(inventory.Value) error {
	return func(v inventory.Value) error {
		if n, _ := v.Int(); n < least {
			return fmt.Errorf("%d is less than the minimum of %d", n, least)
		}
		return nil
	}
}

// limitSetting returns a setting for a limit: least or more, or -1 for no limit.
func limitSetting(path string, least int64, put func(*vmEdit, int64), check func(*vmEdit) string) vmSetting {
	s := number(path, least, math.MaxInt64, put, check)
	s.allow = orUnlimited(least)
	return s
}

func orUnlimited(least int64) func(inventory.Value) error {
	return func(v inventory.Value) error {
		if n, _ := v.Int(); n != inventory.NoLimit && n < least {
			return fmt.Errorf("%d is not a valid limit: write %d or more, or %d for no limit", n, least, inventory.NoLimit)
		}
		return nil
	}
}

// trueOrFalse returns a setting that is on or off.
func trueOrFalse(path string, put func(*vmEdit, bool)) vmSetting {
	return vmSetting{path: path, parse: trueFalse, put: func(e *vmEdit, _ inventory.Setting, a tuning.Assignment) error {
		v, _ := a.Value.Value()
		on, _ := v.Bool()
		put(e, on)
		return nil
	}}
}

func trueFalse(text string) (inventory.Value, error) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "true":
		return inventory.BoolValue(true), nil
	case "false":
		return inventory.BoolValue(false), nil
	}
	return inventory.Value{}, fmt.Errorf("%q is neither true nor false", session.Plain(text))
}

// oneWord returns a setting that is one of a few words.
func oneWord(path string, put func(*vmEdit, string), words ...string) vmSetting {
	return vmSetting{path: path, parse: anyText, allow: oneOf(words), put: func(e *vmEdit, _ inventory.Setting, a tuning.Assignment) error {
		v, _ := a.Value.Value()
		put(e, v.Text)
		return nil
	}}
}

func anyText(text string) (inventory.Value, error) { return inventory.StringValue(text), nil }

func oneOf(words []string) func(inventory.Value) error {
	return func(v inventory.Value) error {
		if !slices.Contains(words, v.Text) {
			return fmt.Errorf("%q is not one of %s", session.Plain(v.Text), strings.Join(words, ", "))
		}
		return nil
	}
}
