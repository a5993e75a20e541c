package advice

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/pkg/inventory"
)

// YAML's own strict mode names a line and stops at the first kind of mistake; checkNode walks the tree before it is
// decoded and reports every unknown or repeated field and every wrong shape with line and column.

var (
	yamlNode      = reflect.TypeFor[yaml.Node]()
	yamlUnmarshal = reflect.TypeFor[yaml.Unmarshaler]()
)

// orderedMap is implemented by lists that are written as a map and keep its order.
type orderedMap interface {
	ValueType() reflect.Type // of the values of the map
}

// decode reads the one document of a file into a struct; root is nil when it is no map, and there is nothing to go on with.
func (f file) decode(text []byte, into any) (root *yaml.Node, bad RuleErrors) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, RuleErrors{f.syntax(err)}
	}
	if len(doc.Content) == 0 {
		return nil, RuleErrors{f.at(nil, "the file is empty")}
	}
	root = doc.Content[0]
	bad = f.checkNode(root, reflect.TypeOf(into).Elem())
	if root.Kind != yaml.MappingNode {
		return nil, bad
	}
	var wrong *yaml.TypeError
	if err := root.Decode(into); errors.As(err, &wrong) && bad == nil {
		for _, message := range wrong.Errors {
			bad = append(bad, f.syntax(errors.New(message)))
		}
	} else if err != nil && bad == nil {
		bad = append(bad, f.syntax(err))
	}
	return root, bad
}

func (f file) checkNode(n *yaml.Node, t reflect.Type) RuleErrors {
	if n.Kind == yaml.AliasNode {
		return RuleErrors{f.at(n, "anchors and aliases are not used here: write the value out")}
	}
	switch {
	case t == yamlNode || t.Kind() == reflect.Interface:
		return nil
	case t.Implements(reflect.TypeFor[orderedMap]()):
		return f.checkMap(n, reflect.Zero(t).Interface().(orderedMap).ValueType())
	case reflect.PointerTo(t).Implements(yamlUnmarshal):
		return f.wantKind(n, yaml.ScalarNode, "one value")
	}
	switch t.Kind() {
	case reflect.Pointer:
		return f.checkNode(n, t.Elem())
	case reflect.Struct:
		return f.checkStruct(n, t)
	case reflect.Map:
		return f.checkMap(n, t.Elem())
	case reflect.Slice:
		return f.checkList(n, t.Elem())
	}
	return f.wantKind(n, yaml.ScalarNode, "one value")
}

func (f file) wantKind(n *yaml.Node, kind yaml.Kind, want string) RuleErrors {
	if n.Kind == kind {
		return nil
	}
	return RuleErrors{f.at(n, "want "+want+" here, not "+kindName(n.Kind))}
}

func kindName(k yaml.Kind) string {
	switch k {
	case yaml.MappingNode:
		return "a map"
	case yaml.SequenceNode:
		return "a list"
	case yaml.ScalarNode:
		return "one value"
	}
	return "this"
}

func (f file) checkStruct(n *yaml.Node, t reflect.Type) RuleErrors {
	if bad := f.wantKind(n, yaml.MappingNode, "a map"); bad != nil {
		return bad
	}
	var fields []string
	byName := map[string]reflect.Type{}
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("yaml"); name != "" && name != "-" {
			fields = append(fields, name)
			byName[name] = t.Field(i).Type
		}
	}
	bad := f.repeated(n)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		ft, ok := byName[key.Value]
		if !ok {
			bad = append(bad, f.at(key, fmt.Sprintf("no field %q here%s; there are %s",
				key.Value, inventory.DidYouMean(key.Value, fields), strings.Join(fields, ", "))))
			continue
		}
		bad = append(bad, f.checkNode(n.Content[i+1], ft)...)
	}
	return bad
}

func (f file) checkMap(n *yaml.Node, elem reflect.Type) RuleErrors {
	if bad := f.wantKind(n, yaml.MappingNode, "a map"); bad != nil {
		return bad
	}
	bad := f.repeated(n)
	for i := 1; i < len(n.Content); i += 2 {
		bad = append(bad, f.checkNode(n.Content[i], elem)...)
	}
	return bad
}

func (f file) checkList(n *yaml.Node, elem reflect.Type) RuleErrors {
	bad := f.wantKind(n, yaml.SequenceNode, "a list")
	if bad != nil {
		return bad
	}
	for _, c := range n.Content {
		bad = append(bad, f.checkNode(c, elem)...)
	}
	return bad
}

func (f file) repeated(n *yaml.Node) RuleErrors {
	var bad RuleErrors
	var seen []string
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i].Value
		if slices.Contains(seen, key) {
			bad = append(bad, f.at(n.Content[i], key+" stands here twice"))
		}
		seen = append(seen, key)
	}
	return bad
}

// fields collects what is wrong with the fields of one mapping.
type fields struct {
	file file
	node *yaml.Node
	of   reflect.Type // what the mapping is decoded into
	bad  RuleErrors
}

func (c *fields) add(n *yaml.Node, message string) {
	if n == nil {
		n = c.node
	}
	c.bad = append(c.bad, c.file.at(n, message))
}

func (c *fields) word(field string, ok bool, want string) {
	n := child(c.node, field)
	switch {
	case ok:
	case n == nil:
		c.missing(field, want)
	default:
		c.add(n, fmt.Sprintf("%s %q: want %s", field, n.Value, want))
	}
}

// missing reports a field that is not there, unless it is there misspelt: that is one mistake, and told.
func (c *fields) missing(field, want string) {
	for i := 0; i < len(c.node.Content); i += 2 {
		if key := c.node.Content[i].Value; !hasField(c.of, key) && len(inventory.Near(key, []string{field})) > 0 {
			return
		}
	}
	c.add(nil, fmt.Sprintf("field %s is missing: %s", field, want))
}

func hasField(t reflect.Type, name string) bool {
	for f := range t.Fields() {
		if f.Tag.Get("yaml") == name {
			return true
		}
	}
	return false
}

// child is the value of a field in a mapping, or nil.
func child(n *yaml.Node, field string) *yaml.Node {
	for i := 0; n != nil && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == field {
			return n.Content[i+1]
		}
	}
	return nil
}
