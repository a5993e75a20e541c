package expr

import (
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/vperf/vperf/pkg/inventory"
)

// RuleFact is the prefix of a gap's fact that is the outcome of another rule.
const RuleFact = "rule "

// outcomes maps a rule id to whether the rule fails. A rule whose outcome is unknown, or that was not evaluated against
// the object, is unknown, so that it is not mistaken for a pass.
type outcomes struct {
	traits.Mapper // the methods of a map that are not used

	object inventory.Object
	of     func(rule string) ref.Val
}

// NewFindings returns the map that findings["RULE"] reads. of reports whether a rule fails; if of is nil, every rule is
// unknown.
func NewFindings(o inventory.Object, of func(string) ref.Val) traits.Mapper {
	return outcomes{types.NewStringStringMap(types.DefaultTypeAdapter, nil), o, of}
}

// Find returns the value of a rule.
func (o outcomes) Find(id ref.Val) (ref.Val, bool) { return o.Get(id), true }

// Get returns the value of a rule.
func (o outcomes) Get(id ref.Val) ref.Val {
	rule := string(id.(types.String))
	if o.of == nil {
		return Unread(o.object, RuleFact+rule, "it was not evaluated for this object")
	}
	return o.of(rule)
}
