package strictyaml

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/pkg/inventory"
)

// YAML's own strict mode reports only a line and stops at the first kind of mistake. checkNode walks the tree before it
// is decoded and reports every unknown or repeated field and every wrong structure with line and column.

var (
	yamlNode      = reflect.TypeFor[yaml.Node]()
	yamlUnmarshal = reflect.TypeFor[yaml.Unmarshaler]()
)

// orderedMap is a list that is written as a map and keeps its order.
type orderedMap interface {
	ValueType() reflect.Type // of the values of the map
}

// Root parses the single document of a file.
func (f File) Root() (*yaml.Node, Errors) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(f.text), &doc); err != nil {
		return nil, Errors{f.syntax(err)}
	}
	if len(doc.Content) == 0 {
		return nil, Errors{f.At(nil, "the file is empty")}
	}
	return doc.Content[0], nil
}

// Decode decodes the single document of a file into a struct; root is nil if it is not a map.
func (f File) Decode(into any) (root *yaml.Node, bad Errors) {
	root, bad = f.Root()
	if bad != nil {
		return nil, bad
	}
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

func (f File) checkNode(n *yaml.Node, t reflect.Type) Errors {
	if n.Kind == yaml.AliasNode {
		return Errors{f.At(n, "anchors and aliases are not used here: write the value out")}
	}
	switch {
	case t == yamlNode || t.Kind() == reflect.Interface:
		return nil
	case t.Implements(reflect.TypeFor[orderedMap]()):
		return f.checkMap(n, reflect.Zero(t).Interface().(orderedMap).ValueType())
	case reflect.PointerTo(t).Implements(yamlUnmarshal):
		return f.WantKind(n, yaml.ScalarNode, "one value")
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
	return f.WantKind(n, yaml.ScalarNode, "one value")
}

// WantKind returns an error if a node is not of the wanted kind; want is that kind in words.
func (f File) WantKind(n *yaml.Node, kind yaml.Kind, want string) Errors {
	if n.Kind == kind {
		return nil
	}
	return Errors{f.At(n, "write "+want+" here, not "+kindName(n.Kind))}
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

func (f File) checkStruct(n *yaml.Node, t reflect.Type) Errors {
	if bad := f.WantKind(n, yaml.MappingNode, "a map"); bad != nil {
		return bad
	}
	var fields []string
	byName := map[string]reflect.Type{}
	for field := range t.Fields() {
		if name := field.Tag.Get("yaml"); name != "" && name != "-" {
			fields = append(fields, name)
			byName[name] = field.Type
		}
	}
	bad := f.Repeated(n)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		ft, ok := byName[key.Value]
		if !ok {
			bad = append(bad, f.At(key, fmt.Sprintf("no field %q here%s; there are %s",
				key.Value, inventory.DidYouMean(key.Value, fields), strings.Join(fields, ", "))))
			continue
		}
		bad = append(bad, f.checkNode(n.Content[i+1], ft)...)
	}
	return bad
}

func (f File) checkMap(n *yaml.Node, elem reflect.Type) Errors {
	if bad := f.WantKind(n, yaml.MappingNode, "a map"); bad != nil {
		return bad
	}
	bad := f.Repeated(n)
	for i := 1; i < len(n.Content); i += 2 {
		bad = append(bad, f.checkNode(n.Content[i], elem)...)
	}
	return bad
}

func (f File) checkList(n *yaml.Node, elem reflect.Type) Errors {
	bad := f.WantKind(n, yaml.SequenceNode, "a list")
	if bad != nil {
		return bad
	}
	for _, c := range n.Content {
		bad = append(bad, f.checkNode(c, elem)...)
	}
	return bad
}

// Repeated reports the repeated keys of a mapping.
func (f File) Repeated(n *yaml.Node) Errors {
	var bad Errors
	var seen []string
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i].Value
		if slices.Contains(seen, key) {
			bad = append(bad, f.At(n.Content[i], key+" is duplicated"))
		}
		seen = append(seen, key)
	}
	return bad
}

// Fields collects errors in the fields of one mapping.
type Fields struct {
	File File
	Node *yaml.Node
	Of   reflect.Type // the type that the mapping is decoded into
	Bad  Errors
}

// Add adds an error at a node, or at the mapping if the node is nil.
func (c *Fields) Add(n *yaml.Node, message string) {
	if n == nil {
		n = c.Node
	}
	c.Bad = append(c.Bad, c.File.At(n, message))
}

// Word adds an error if a field is missing or not ok; want describes the valid values.
func (c *Fields) Word(field string, ok bool, want string) {
	n := Child(c.Node, field)
	switch {
	case ok:
	case n == nil:
		c.Missing(field, want)
	default:
		c.Add(n, fmt.Sprintf("%s %q: write %s", field, n.Value, want))
	}
}

// Missing adds an error for a missing field, unless it is there but misspelt, which is reported separately.
func (c *Fields) Missing(field, want string) {
	for i := 0; i < len(c.Node.Content); i += 2 {
		if key := c.Node.Content[i].Value; !hasField(c.Of, key) && len(inventory.Near(key, []string{field})) > 0 {
			return
		}
	}
	c.Add(nil, fmt.Sprintf("field %s is missing: %s", field, want))
}

func hasField(t reflect.Type, name string) bool {
	for f := range t.Fields() {
		if f.Tag.Get("yaml") == name {
			return true
		}
	}
	return false
}

// Child returns the value of a field in a mapping, or nil.
func Child(n *yaml.Node, field string) *yaml.Node {
	for i := 0; n != nil && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == field {
			return n.Content[i+1]
		}
	}
	return nil
}
