package tuning

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// Same reports whether two values of a setting mean the same. A host writes a value back in its own form: TRUE for true,
// 8 for 08, "0,1" for "0 1". Absent is the same as absent only, never as empty or 0; what is unread is the same as nothing,
// not even as itself.
func Same(a Address, x, y inventory.Fact[inventory.Value]) bool {
	v, vState, _ := x.Get()
	w, wState, _ := y.Get()
	if vState == inventory.StateAbsent && wState == inventory.StateAbsent {
		return true
	}
	return vState == inventory.StateKnown && wState == inventory.StateKnown && sameValue(kindOf(a), v, w)
}

// kindOf is the name of an address's kind of setting: host-option of host-option/KEY.
func kindOf(a Address) string {
	kind, _, _ := strings.Cut(a.Setting, "/")
	return kind
}

func sameValue(kind string, v, w inventory.Value) bool {
	switch {
	case v.Text == w.Text:
		return true
	case isSet(kind):
		return slices.Equal(setOf(v.Text), setOf(w.Text))
	case v.Type == inventory.TypeString && w.Type == inventory.TypeString && !isVMX(kind):
		return false // two texts; only of a VMX file is it known that true and TRUE are one
	}
	return sameText(v.Text, w.Text) || isVMX(kind) && slices.Equal(items(v.Text), items(w.Text))
}

// sameText compares what is a number or a boolean at heart, however it is written.
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

// isVMX tells the kinds whose values are texts of a VMX file, whatever they mean.
func isVMX(kind string) bool { return kind == "vm-vmx" || kind == "vnic-vmx" }

// isSet tells the kinds whose value is a set of numbers: neither order nor what stands between them matters.
func isSet(kind string) bool { return kind == "vm-cpu-affinity" || kind == "vm-memory-affinity" }

// items are the parts of a list, whether commas or blanks stand between them.
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
