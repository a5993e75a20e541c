package diff

import (
	"reflect"
	"slices"
	"time"
)

// equal compares two values of a fact. Servers list members in any order, so lists are compared as sets unless their order has a
// meaning.
func equal(a, b any, ordered bool) bool {
	switch x := a.(type) {
	case string:
		return x == b
	case int64:
		return x == b
	case bool:
		return x == b
	case time.Time:
		y, ok := b.(time.Time)
		return ok && x.Equal(y)
	case []string:
		y, ok := b.([]string)
		return ok && equalLists(x, y, ordered)
	case []int64:
		y, ok := b.([]int64)
		return ok && equalLists(x, y, ordered)
	}
	if x := reflect.ValueOf(a); x.Kind() == reflect.Slice && x.Len() == 0 {
		return reflect.ValueOf(b).Len() == 0
	}
	return reflect.DeepEqual(a, b)
}

func equalLists[T string | int64](a, b []T, ordered bool) bool {
	if len(a) != len(b) {
		return false
	}
	if ordered || slices.Equal(a, b) {
		return slices.Equal(a, b)
	}
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}
