package examplefleet

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/pkg/advice/internal/expr"
	"github.com/vperf/vperf/pkg/advice/strictyaml"
	"github.com/vperf/vperf/pkg/inventory"
)

// Check returns the errors in the facts of an example.
func Check(f strictyaml.File, n *yaml.Node) strictyaml.Errors {
	return checkFactsAs(f, n, reflect.TypeFor[Facts]())
}

// checkFactsAs finds misspelt objects and facts of an example and invalid structures, with line and column. Evaluating
// the example finds values that have the wrong type.
func checkFactsAs(f strictyaml.File, n *yaml.Node, t reflect.Type) strictyaml.Errors {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if inner, isFact := expr.FactValue(t); isFact {
		if hasNoValue(n) {
			return nil
		}
		t = inner
	}
	if t == reflect.TypeFor[inventory.Live]() {
		t = reflect.TypeFor[map[string]inventory.Series]()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return checkFactsAs(f, n, t.Elem())
	case reflect.Slice:
		return eachFact(f, n, yaml.SequenceNode, "a list", t.Elem(), 0, 1)
	case reflect.Map:
		return eachFact(f, n, yaml.MappingNode, "a map", t.Elem(), 1, 2)
	case reflect.Struct:
		if !readsItself(t) || t == reflect.TypeFor[inventory.Option]() && n.Kind == yaml.MappingNode { // a whole option, not only its value
			return checkFactFields(f, n, t)
		}
	}
	return nil
}

// eachFact checks the elements of a list or a map: every step-th node from the first.
func eachFact(f strictyaml.File, n *yaml.Node, kind yaml.Kind, want string, elem reflect.Type, first, step int) strictyaml.Errors {
	bad := f.WantKind(n, kind, want)
	if bad != nil {
		return bad
	}
	for i := first; i < len(n.Content); i += step {
		bad = append(bad, checkFactsAs(f, n.Content[i], elem)...)
	}
	return bad
}

func checkFactFields(f strictyaml.File, n *yaml.Node, t reflect.Type) strictyaml.Errors {
	if bad := f.WantKind(n, yaml.MappingNode, "a map"); bad != nil {
		return bad
	}
	var names []string
	types := map[string]reflect.Type{}
	for _, sf := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if name != "" && name != "-" && !sf.Anonymous {
			names = append(names, name)
			types[name] = sf.Type
		}
	}
	bad := f.Repeated(n)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if ft := types[key.Value]; ft != nil {
			bad = append(bad, checkFactsAs(f, n.Content[i+1], ft)...)
		} else {
			bad = append(bad, f.At(key, fmt.Sprintf("no fact %q here%s", key.Value, nearOrAll(key.Value, names))))
		}
	}
	return bad
}

// nearOrAll returns a hint: the names similar to the typed one, or else all names.
func nearOrAll(typed string, names []string) string {
	if near := inventory.DidYouMean(typed, names); near != "" {
		return near
	}
	return "; there are " + strings.Join(names, ", ")
}

// hasNoValue reports whether a node is an absent or unread fact.
func hasNoValue(n *yaml.Node) bool {
	return n.Kind == yaml.MappingNode && len(n.Content) == 2 && strings.HasPrefix(n.Content[0].Value, "$")
}

// readsItself reports whether a type has its own JSON or text form.
func readsItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}
