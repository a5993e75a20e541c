package expr

import (
	"fmt"
	"slices"

	"cel.dev/cel-go/common/types"

	"github.com/vperf/vperf/pkg/inventory"
)

// Unread returns a CEL unknown that carries a gap. CEL merges the unknowns of an expression, so no gap is lost.
func Unread(obj any, fact, reason string) *types.Unknown {
	o, _ := obj.(inventory.Object)
	return UnknownOf(inventory.GapOf(o, fact, reason))
}

// UnknownOf returns a CEL unknown that carries gaps; nil if there are none.
func UnknownOf(gaps ...inventory.Gap) *types.Unknown {
	var all *types.Unknown
	for _, g := range gaps {
		all = types.MergeUnknowns(all, unknownOfOne(g))
	}
	return all
}

func unknownOfOne(g inventory.Gap) *types.Unknown {
	trail := types.NewAttributeTrail(g.Fact)
	for _, s := range []string{g.Reason, string(g.Object.Kind), g.Object.Name, g.Object.ID, g.Object.VCenter, g.Object.Path} {
		types.QualifyAttribute(trail, s)
	}
	return types.NewUnknown(0, trail)
}

// GapsOf returns the gaps that an unknown carries, in a stable order.
func GapsOf(u *types.Unknown) []inventory.Gap {
	var gaps []inventory.Gap
	for _, id := range u.IDs() {
		trails, _ := u.GetAttributeTrails(id)
		for _, t := range trails {
			gaps = append(gaps, gapOf(t))
		}
	}
	return inventory.DistinctGaps(gaps)
}

// TakesACall reports whether a call to a host may resolve an unknown.
func TakesACall(u *types.Unknown) bool {
	for _, id := range u.IDs() {
		trails, _ := u.GetAttributeTrails(id)
		if slices.ContainsFunc(trails, func(t *types.AttributeTrail) bool { return gapOf(t).Reason == inventory.PerHost }) {
			return true
		}
	}
	return false
}

func gapOf(t *types.AttributeTrail) inventory.Gap {
	part := func(i int) string {
		if path := t.QualifierPath(); i < len(path) {
			s, _ := path[i].(string)
			return s
		}
		return ""
	}
	return inventory.Gap{
		Fact: t.Variable(), Reason: part(0),
		Object: inventory.Ref{Kind: inventory.Scope(part(1)), Name: part(2), ID: part(3), VCenter: part(4), Path: part(5)},
	}
}

// labelOf returns the name of an object for an error.
func labelOf(obj any) string {
	if o, ok := obj.(inventory.Object); ok {
		return o.Ref().Name
	}
	return fmt.Sprintf("%T", obj)
}
