package advice

import (
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// goValue turns a CEL value into plain Go: bool, int64, float64, string, time.Time, a duration as text, lists and
// whatever a fact holds.
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
