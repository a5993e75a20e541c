package wording

import (
	"fmt"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// FactText formats a fact as text.
func FactText[T any](f inventory.Fact[T], value func(T) string) string {
	v, state, reason := f.Get()
	switch state {
	case inventory.StateKnown:
		return value(v)
	case inventory.StateAbsent:
		return "absent"
	}
	if reason == "" {
		return "not read"
	}
	return "not read (" + reason + ")"
}

// Plain formats a measured value as text.
func Plain(v any) string {
	switch x := v.(type) {
	case time.Time:
		return x.UTC().Format("2006-01-02 15:04Z")
	case string:
		if x == "" {
			return `""`
		}
		return x
	case []any:
		parts := make([]string, len(x))
		for i, e := range x {
			parts[i] = Plain(e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return fmt.Sprint(v)
}

// ShortValue formats a piece of evidence by its name and unit, short enough for a line.
func ShortValue(v any, name, unit string) string {
	switch x := v.(type) {
	case float64:
		return shortNumber(x, name, unit)
	case int64:
		return shortNumber(float64(x), name, unit)
	case bool:
		return map[bool]string{true: "yes", false: "no"}[x]
	case []any:
		if len(x) == 0 {
			return "none"
		}
		return SomeNames(collect.Map(x, Plain))
	}
	return WithUnit(Plain(v), shortUnit(unit))
}

// shortNumber formats a number with its unit. A limit of -1 means no limit, as in vSphere.
func shortNumber(x float64, name, unit string) string {
	switch {
	case x == -1 && strings.HasPrefix(name, "limit"):
		return "none"
	case unit == "/s":
		return Number(x) + unit
	}
	return ShortFigure(x, unit)
}

// SettingText formats the value of a setting.
func SettingText(f inventory.Fact[inventory.Value]) string {
	return Clean(FactText(f, func(v inventory.Value) string {
		if v.Text == "" {
			return "unset"
		}
		return v.Text
	}))
}

// Consent describes the approval that a change needs besides its activation, or returns "".
func Consent(c advice.Consent) string {
	switch c {
	case advice.ConsentNamed:
		return "; needs --rule"
	case advice.ConsentValue:
		return "; needs --set"
	case advice.ConsentNever:
		return "; manual only"
	}
	return ""
}
