package probe

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/vperf/vperf/pkg/inventory"
)

// definition returns an option of a host as an era of the option table. reason says why there is none.
func (h *Host) definition(key string, want inventory.ValueType) (era inventory.OptionEra, reason string) {
	at := slices.IndexFunc(h.Options, func(o Option) bool { return o.Key == key })
	if at < 0 {
		return inventory.OptionEra{Absent: true}, ""
	}
	o := h.Options[at]
	switch {
	case o.Hidden:
		return era, "its default is a text that vperf does not know, so the probe hides it"
	case o.Default == nil:
		return era, "the host reports no default"
	}
	value, ok := valueOf(o.Type, *o.Default)
	if !ok {
		return era, fmt.Sprintf("its default %.60q is no %.20s", *o.Default, o.Type)
	}
	if value.Type != want {
		return era, fmt.Sprintf("it is a %s, and a %s in other releases", value.Type, want)
	}
	era.Default = value
	if want == inventory.TypeLong && !unlimited(o) {
		era.Min, era.Max = o.Min, o.Max
	}
	if era.Min != nil && era.Max != nil && *era.Min > *era.Max && !unsignedPair(*era.Min, *era.Max) {
		return era, fmt.Sprintf("its range %d to %d is empty", *era.Min, *era.Max)
	}
	return era, ""
}

// unlimited reports a range that is the whole range of the type, which limits nothing.
func unlimited(o Option) bool {
	return o.Min != nil && o.Max != nil && *o.Min == math.MinInt64 && *o.Max == math.MaxInt64
}

// unsignedPair reports a range whose ends are a negative number written without its sign, as some releases report.
func unsignedPair(low, high int64) bool { return low > 1<<31 && high >= 0 }

// valueOf converts a default to a value of the table, which does not distinguish int from long.
func valueOf(kind, text string) (inventory.Value, bool) {
	switch kind {
	case string(inventory.TypeBool):
		return inventory.BoolValue(text == "true"), text == "true" || text == "false"
	case "int", string(inventory.TypeLong):
		n, err := strconv.ParseInt(text, 10, 64)
		return inventory.LongValue(n), err == nil
	case string(inventory.TypeString), "choice":
		return inventory.StringValue(text), knownWord(text)
	}
	return inventory.Value{}, false
}

// knownWord reports whether a text is a default of the shipped table. Other texts could be read as something else there.
func knownWord(s string) bool { return NewRedactor().words[s] }
