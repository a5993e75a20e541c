package fleetdata

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/internal/golden"
)

// schemaFile is the JSON Schema of the YAML files, for editors. The test generates it from the structs and their comments.
const schemaFile = "fleet.schema.json"

type object = map[string]any

func TestSchemaIsCurrent(t *testing.T) {
	m := &schemaMaker{comments: commentsOf(t), defs: object{}}
	s := m.of(reflect.TypeFor[Fleet]())
	root := m.defs["Fleet"].(object)
	delete(m.defs, "Fleet")
	require.Equal(t, object{"$ref": "#/$defs/Fleet"}, s)
	root["$schema"], root["title"], root["$defs"] = "https://json-schema.org/draft/2020-12/schema", "the demo fleet of vperf", m.defs
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	require.NoError(t, e.Encode(root))
	golden.Equal(t, schemaFile, b.Bytes())
}

func TestFilesMatchTheSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	require.NoError(t, err)
	names, err := fs.Glob(files, "*.yaml")
	require.NoError(t, err)
	require.Len(t, names, 8)
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		require.NoError(t, err)
		require.NoError(t, schema.Validate(asJSON(t, text)), name)
		require.Contains(t, string(text), "$schema="+schemaFile, name)
	}
	require.Error(t, schema.Validate(asJSON(t, []byte("hosts: [{name: a, clusterr: b}]"))))
}

// asJSON converts YAML to the values that a JSON Schema describes.
func asJSON(t *testing.T, text []byte) any {
	t.Helper()
	var tree any
	require.NoError(t, yaml.Unmarshal(text, &tree))
	b, err := json.Marshal(withTextKeys(tree))
	require.NoError(t, err)
	tree, err = jsonschema.UnmarshalJSON(bytes.NewReader(b))
	require.NoError(t, err)
	return tree
}

// withTextKeys converts numeric map keys to strings, as JSON requires.
func withTextKeys(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = withTextKeys(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = withTextKeys(v[k])
		}
	case map[any]any:
		all := object{}
		for k, x := range v {
			b, _ := json.Marshal(k)
			all[strings.Trim(string(b), `"`)] = withTextKeys(x)
		}
		return all
	}
	return v
}

// schemaMaker generates a JSON Schema from Go types.
type schemaMaker struct {
	comments map[string]string // by Type and Type.Field
	defs     object
}

func (m *schemaMaker) of(t reflect.Type) object {
	switch t {
	case reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	case reflect.TypeFor[time.Duration]():
		return object{"type": "string"}
	case reflect.TypeFor[Keys]():
		return object{"type": "object", "additionalProperties": object{"type": []string{"string", "integer", "boolean"}}}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return m.of(t.Elem())
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Interface:
		return object{}
	case reflect.Array:
		return object{"type": "array", "items": m.of(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
	case reflect.Slice:
		return object{"type": "array", "items": m.of(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": m.of(t.Elem())}
	case reflect.Struct:
		m.define(t)
		return object{"$ref": "#/$defs/" + t.Name()}
	}
	return object{"type": "integer"}
}

// define adds the description of a struct once.
func (m *schemaMaker) define(t reflect.Type) {
	if m.defs[t.Name()] != nil {
		return
	}
	properties := object{}
	s := object{"type": "object", "additionalProperties": false, "properties": properties}
	if text := m.comments[t.Name()]; text != "" {
		s["description"] = text
	}
	m.defs[t.Name()] = s
	for f := range t.Fields() {
		name := f.Tag.Get("yaml")
		if name == "-" {
			continue
		}
		p := m.of(f.Type)
		if text := m.comments[t.Name()+"."+f.Name]; text != "" {
			p["description"] = text
		}
		properties[name] = p
	}
}

// commentsOf reads the comments of types and fields.
func commentsOf(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range []string{"fleet.go", "host.go", "vm.go", "around.go", "profile.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			spec := g.Specs[0].(*ast.TypeSpec)
			all[spec.Name.Name] = strings.Join(strings.Fields(g.Doc.Text()), " ")
			s, ok := spec.Type.(*ast.StructType)
			if !ok {
				continue
			}
			for _, f := range s.Fields.List {
				for _, n := range f.Names {
					all[spec.Name.Name+"."+n.Name] = strings.TrimSpace(f.Comment.Text())
				}
			}
		}
	}
	return all
}
