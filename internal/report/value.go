package report

import (
	"fmt"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"strings"
	"time"
)

// text is a fact for people.
func text[T any](f inventory.Fact[T], value func(T) string) string {
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

// plain is a measured value as people write it.
func plain(v any) string {
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
			parts[i] = plain(e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return fmt.Sprint(v)
}

func saidValue(v any, name, unit string) string {
	switch x := v.(type) {
	case float64:
		return saidNumber(x, name, unit)
	case int64:
		return saidNumber(float64(x), name, unit)
	case bool:
		return map[bool]string{true: "yes", false: "no"}[x]
	case []any:
		if len(x) == 0 {
			return "none"
		}
		return someNames(mapped(x, plain))
	}
	return withUnit(plain(v), shortUnit(unit))
}

// saidNumber is a number with its unit. A limit of -1 is none, as vSphere has it.
func saidNumber(x float64, name, unit string) string {
	switch {
	case x == -1 && strings.HasPrefix(name, "limit"):
		return "none"
	case unit == "/s":
		return number(x) + unit
	}
	return saidFigure(x, unit)
}

func settingText(f inventory.Fact[inventory.Value]) string {
	return clean(text(f, func(v inventory.Value) string {
		if v.Text == "" {
			return "unset"
		}
		return v.Text
	}))
}

func consent(c advice.Consent) string {
	switch c {
	case advice.ConsentNamed:
		return "; only when you name the rule"
	case advice.ConsentValue:
		return "; only with a value you give"
	case advice.ConsentNever:
		return "; by a person only"
	}
	return ""
}
