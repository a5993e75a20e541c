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

// valueFact is a setting's value, read or requested.
type valueFact = inventory.Fact[inventory.Value]

// preview returns the effect of an assignment whose inverse is writing the old value. lacking is the meaning of an absent value;
// refuse returns why a value, in the type that was read, must not be planned.
func preview(a tuning.Assignment, before valueFact, absentMeans string, refuse func(inventory.Value) string) tuning.Preview {
	p := tuning.Preview{Before: before, After: a.Value, Activation: settingOf(a.Address).Activation(), Privileges: settingOf(a.Address).Kind.Privileges()}
	old, state, _ := before.Get()
	want, given := a.Value.Value()
	switch {
	case state == inventory.StateUnread:
	case state == inventory.StateAbsent:
		p.Refused = absentMeans
	case !given:
		p.Refused = "it always has a value and cannot be removed"
	default:
		v, err := convertType(want, old.Type)
		if err != nil {
			p.Refused = err.Error()
			return p
		}
		p.After, p.Refused, p.Inverse = inventory.Known(v), refuse(v), exactInverse(a.Address, before)
	}
	return p
}

// exactInverse returns the inverse that writes the previous value.
func exactInverse(a tuning.Address, before valueFact) tuning.Inverse {
	return tuning.Inverse{Kind: inventory.InverseExact, Write: []tuning.Assignment{{Address: a, Value: before}}}
}

// settingOf returns the setting of an address that has a writer.
func settingOf(a tuning.Address) inventory.Setting {
	setting, _ := inventory.LookupSetting(a.Setting) // writerOf has checked the error
	return setting
}

func kindName(a tuning.Address) string { return settingOf(a).Kind.Name }

// wireTypes maps value types to their common names.
var wireTypes = map[inventory.ValueType]string{
	inventory.TypeBool: "true or false", inventory.TypeInt: "a whole number of 32 bits", inventory.TypeLong: "a whole number",
}

// convertType converts a value to the type that was read, because a server refuses any other type. Only the representation changes; a
// number is never converted to a boolean.
func convertType(v inventory.Value, as inventory.ValueType) (inventory.Value, error) {
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
	return inventory.Value{}, fmt.Errorf("it accepts %s, not %q", wireTypes[as], session.Plain(v.Text))
}

// single returns the value of a call that takes exactly one.
func single(all []tuning.Assignment) (inventory.Value, error) {
	if len(all) != 1 {
		return inventory.Value{}, fmt.Errorf("%d settings in a call for one setting", len(all))
	}
	return present(all[0])
}

var errNoValue = errors.New("there is no value, and this setting cannot be removed")

// present returns the value of a setting that cannot be removed.
func present(a tuning.Assignment) (inventory.Value, error) {
	v, ok := a.Value.Value()
	if !ok {
		return v, errNoValue
	}
	return v, nil
}

// unreadFor converts a fault to an unread fact. Any other error is an error of the whole read.
func unreadFor[T any](ctx context.Context, err error) (inventory.Fact[T], error) {
	if ctx.Err() == nil && (session.FaultOf(err) != nil || isPermission(err)) {
		return inventory.Unread[T](session.Cause(err)), nil
	}
	return inventory.Fact[T]{}, err
}

func isPermission(err error) bool {
	_, denied := errors.AsType[*session.PermissionError](err)
	return denied
}

// requireKnown returns the value of a fact that a write requires.
func requireKnown[T any](what string, f inventory.Fact[T]) (T, error) {
	v, state, reason := f.Get()
	switch state {
	case inventory.StateKnown:
		return v, nil
	case inventory.StateAbsent:
		return v, fmt.Errorf("there is no %s", what)
	}
	return v, fmt.Errorf("reading the %s: %s", what, reason)
}
