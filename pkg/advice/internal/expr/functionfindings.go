package expr

import (
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/vperf/vperf/pkg/inventory"
)

// RuleFact begins the fact of a gap that is another rule's answer.
const RuleFact = "rule "

// outcomes is what became of other rules, as a map from id to whether they fail. A rule that could not be told, or was not
// held against the object, is unknown: nobody may take it for a pass.
type outcomes struct {
	traits.Mapper // what nobody uses of a map

	object inventory.Object
	of     func(rule string) ref.Val
}

// NewFindings is the map that findings["RULE"] looks into; of says whether a rule fails, nil that nobody knows.
func NewFindings(o inventory.Object, of func(string) ref.Val) traits.Mapper {
	return outcomes{types.NewStringStringMap(types.DefaultTypeAdapter, nil), o, of}
}

// Find looks a rule up.
func (o outcomes) Find(id ref.Val) (ref.Val, bool) { return o.Get(id), true }

// Get looks a rule up.
func (o outcomes) Get(id ref.Val) ref.Val {
	rule := string(id.(types.String))
	if o.of == nil {
		return Unread(o.object, RuleFact+rule, "nobody held it against this object")
	}
	return o.of(rule)
}
