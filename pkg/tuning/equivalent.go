package tuning

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// Same reports whether two values of a setting are equivalent. A host writes a value back in its own form: TRUE for
// true, 8 for 08, "0,1" for "0 1". An absent value equals only another absent one, never an empty one or 0; an unread
// value equals nothing, not even itself.
func Same(a Address, x, y inventory.Fact[inventory.Value]) bool {
	v, vState, _ := x.Get()
	w, wState, _ := y.Get()
	if vState == inventory.StateAbsent && wState == inventory.StateAbsent {
		return true
	}
	return vState == inventory.StateKnown && wState == inventory.StateKnown && sameValue(kindOf(a), v, w)
}

// kindOf returns the kind of a setting.
func kindOf(a Address) *inventory.SettingKind {
	s, _ := inventory.LookupSetting(a.Setting) // of an unknown one, a kind without any property
	return s.Kind
}

func sameValue(kind *inventory.SettingKind, v, w inventory.Value) bool {
	switch {
	case v.Text == w.Text:
		return true
	case kind.IsSet():
		return slices.Equal(setOf(v.Text), setOf(w.Text))
	case v.Type == inventory.TypeString && w.Type == inventory.TypeString && !kind.IsVMX():
		return false // for strings, only VMX files are known to treat true and TRUE alike
	}
	return sameText(v.Text, w.Text) || kind.IsVMX() && slices.Equal(items(v.Text), items(w.Text))
}

// sameText compares numbers and booleans by value, and other texts literally.
func sameText(v, w string) bool {
	v, w = strings.TrimSpace(v), strings.TrimSpace(w)
	if n, err := strconv.ParseInt(v, 10, 64); err == nil {
		m, err := strconv.ParseInt(w, 10, 64)
		return err == nil && n == m
	}
	if isBool(v) && isBool(w) {
		return strings.EqualFold(v, w)
	}
	return v == w
}

func isBool(s string) bool { return strings.EqualFold(s, "true") || strings.EqualFold(s, "false") }

// items splits a list at commas and white space.
func items(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
}

func setOf(s string) []string {
	all := items(s)
	for i, x := range all {
		if n, err := strconv.ParseInt(x, 10, 64); err == nil {
			all[i] = strconv.FormatInt(n, 10)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
