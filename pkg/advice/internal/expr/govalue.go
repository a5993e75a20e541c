package expr

import (
	"errors"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/vperf/vperf/pkg/inventory"
)

// goValue converts a CEL value to a plain Go value: bool, int64, float64, string, time.Time, a duration as text, lists,
// and types that facts hold.
func goValue(v ref.Val) any {
	switch x := v.(type) {
	case types.Duration:
		return x.String()
	case types.Timestamp:
		return x.UTC()
	case traits.Lister:
		n, _ := x.Size().(types.Int)
		list := make([]any, 0, n)
		for it := x.Iterator(); it.HasNext() == types.True; {
			list = append(list, goValue(it.Next()))
		}
		return list
	}
	return v.Value()
}

// FactOf converts a result to a known, absent or unread fact.
func FactOf(v ref.Val, err error) inventory.Fact[any] {
	if u, ok := v.(*types.Unknown); ok {
		gaps := GapsOf(u)
		return inventory.Unread[any](gaps[0].Fact + ": " + gaps[0].Reason)
	}
	switch {
	case errors.Is(err, ErrAbsent):
		return inventory.Absent[any]()
	case err != nil:
		return inventory.Unread[any](err.Error())
	}
	return inventory.Known(goValue(v))
}

// Typed converts a fact to the type of its expression.
func Typed[T any](f inventory.Fact[any]) inventory.Fact[T] {
	v, state, reason := f.Get()
	x, ok := v.(T)
	switch {
	case state == inventory.StateAbsent:
		return inventory.Absent[T]()
	case state == inventory.StateUnread || !ok:
		return inventory.Unread[T](reason)
	}
	return inventory.Known(x)
}
