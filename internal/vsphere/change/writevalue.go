package change

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// valueFact is a setting's value, as it was read or is wanted.
type valueFact = inventory.Fact[inventory.Value]

// prospect is what an assignment means where writing the old value back takes it back. lacking says what it means that
// there is nothing; refuse says why a value, in the type that was read, must not be planned.
func prospect(a tuning.Assignment, before valueFact, lacking string, refuse func(inventory.Value) string) tuning.Prospect {
	p := tuning.Prospect{Before: before, After: a.Value, Activation: settingOf(a.Address).Activation(), Privileges: WritePrivileges(kindName(a.Address))}
	old, state, _ := before.Get()
	want, given := a.Value.Value()
	switch {
	case state == inventory.StateUnread:
	case state == inventory.StateAbsent:
		p.Refused = lacking
	case !given:
		p.Refused = "it has a value always and cannot be removed"
	default:
		v, err := retyped(want, old.Type)
		if err != nil {
			p.Refused = err.Error()
			return p
		}
		p.After, p.Refused, p.Inverse = inventory.Known(v), refuse(v), exactly(a.Address, before)
	}
	return p
}

// exactly takes a change back by writing what was there.
func exactly(a tuning.Address, before valueFact) tuning.Inverse {
	return tuning.Inverse{Kind: inventory.InverseExact, Write: []tuning.Assignment{{Address: a, Value: before}}}
}

// settingOf is the setting of an address that a writer was found for.
func settingOf(a tuning.Address) inventory.Setting {
	setting, _ := inventory.LookupSetting(a.Setting) // writerOf saw to the error
	return setting
}

func kindName(a tuning.Address) string { return settingOf(a).Kind.Name }

// wireTypes are the types of values as people call them.
var wireTypes = map[inventory.ValueType]string{
	inventory.TypeBool: "true or false", inventory.TypeInt: "a whole number of 32 bits", inventory.TypeLong: "a whole number",
}

// retyped is a value in the type that was read: a server refuses it in another. Only its form changes; a number is never
// taken for a boolean.
func retyped(v inventory.Value, as inventory.ValueType) (inventory.Value, error) {
	text := strings.TrimSpace(v.Text)
	switch as {
	case inventory.TypeString:
		return inventory.StringValue(v.Text), nil
	case inventory.TypeBool:
		if strings.EqualFold(text, "true") || strings.EqualFold(text, "false") {
			return inventory.BoolValue(strings.EqualFold(text, "true")), nil
		}
	case inventory.TypeInt:
		if n, err := strconv.ParseInt(text, 10, 32); err == nil {
			return inventory.IntValue(int32(n)), nil
		}
	case inventory.TypeLong:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return inventory.LongValue(n), nil
		}
	}
	return inventory.Value{}, fmt.Errorf("it takes %s, not %q", wireTypes[as], session.Plain(v.Text))
}

// single is the value of a call that takes one.
func single(all []tuning.Assignment) (inventory.Value, error) {
	if len(all) != 1 {
		return inventory.Value{}, fmt.Errorf("%d settings in a call that takes one", len(all))
	}
	return present(all[0])
}

var errNoValue = errors.New("no value is given, and this setting cannot be removed")

// present is the value of a setting that cannot be removed.
func present(a tuning.Assignment) (inventory.Value, error) {
	v, ok := a.Value.Value()
	if !ok {
		return v, errNoValue
	}
	return v, nil
}

// unreadFor is a fact that a fault withheld. Anything but a fault is an error of the whole reading.
func unreadFor[T any](ctx context.Context, err error) (inventory.Fact[T], error) {
	if ctx.Err() == nil && (session.FaultOf(err) != nil || isPermission(err)) {
		return inventory.Unread[T](session.Why(err)), nil
	}
	return inventory.Fact[T]{}, err
}

func isPermission(err error) bool {
	_, denied := errors.AsType[*session.PermissionError](err)
	return denied
}

// insist is the value of a fact that a write cannot do without.
func insist[T any](what string, f inventory.Fact[T]) (T, error) {
	v, state, reason := f.Get()
	switch state {
	case inventory.StateKnown:
		return v, nil
	case inventory.StateAbsent:
		return v, fmt.Errorf("there is no %s", what)
	}
	return v, fmt.Errorf("reading the %s: %s", what, reason)
}
