package advice

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/pkg/advice/internal/examplefleet"
	"github.com/vperf/vperf/pkg/advice/internal/expr"
	"github.com/vperf/vperf/pkg/advice/strictyaml"
	"github.com/vperf/vperf/pkg/advice/vendor"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/rules"
)

// articleSchemaFile is the JSON Schema of the articles in rules/sources.
const articleSchemaFile = "../../docs/schema/article.schema.json"

// schemaFile is the JSON Schema of rule files, for editors. This test generates it from the structs that Load decodes
// into, with their comments, and `vperf rules schema` prints it.
const schemaFile = "../../docs/schema/rule.schema.json"

// TestSchemaIsCurrent: the committed schema is up to date.
func TestSchemaIsCurrent(t *testing.T) {
	for file, schema := range map[string]object{schemaFile: ruleSchema(t), articleSchemaFile: articleSchema(t)} {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		require.NoError(t, e.Encode(schema))
		golden.Equal(t, file, b.Bytes())
	}
}

func TestOurRulesFitTheSchema(t *testing.T) {
	ofRules, ofArticles, seen := compiledSchema(t, schemaFile), compiledSchema(t, articleSchemaFile), 0
	require.NoError(t, fs.WalkDir(rules.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || vendor.IsFile(name) || path.Dir(name) == outcomeFolder {
			return err
		}
		text, err := fs.ReadFile(rules.FS, name)
		require.NoError(t, err)
		schema := ofRules
		if path.Dir(name) == articleFolder {
			schema = ofArticles
		}
		require.NoError(t, schema.Validate(asJSON(t, string(text))), name)
		seen++
		return nil
	}))
	require.Greater(t, seen, 30)
}

func compiledSchema(t *testing.T, file string) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(file)
	require.NoError(t, err)
	return s
}

// asJSON converts YAML to the form that a JSON Schema validates.
func asJSON(t *testing.T, text string) any {
	t.Helper()
	var tree any
	require.NoError(t, yaml.Unmarshal([]byte(text), &tree))
	b, err := json.Marshal(tree)
	require.NoError(t, err)
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	require.NoError(t, err)
	return v
}

// object is a JSON Schema, or a part of one.
type object = map[string]any

// schemaMaker converts structs to schemas.
type schemaMaker struct {
	about map[string]string // comments by TYPE.FIELD
	defs  object
}

func ruleSchema(t *testing.T) object {
	t.Helper()
	m := &schemaMaker{comments(t, "rule.go", "internal/examplefleet", "../inventory"), object{
		"expression": object{"description": "a CEL expression", "type": []string{"string", "boolean", "number"}},
		"setting":    settingSchema(),
		"absent": object{
			"description": "this release or device has no such thing", "type": "object", "additionalProperties": false,
			"required": []string{"$absent"}, "properties": object{"$absent": object{"const": true}},
		},
		"unread": object{
			"description": "unread: the reason", "type": "object", "additionalProperties": false,
			"required": []string{"$unread"}, "properties": object{"$unread": object{"type": "string"}},
		},
	}}
	s := m.structure(reflect.TypeFor[Rule](), "yaml")
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["$id"] = "https://github.com/vperf/vperf/blob/main/docs/schema/rule.schema.json"
	s["title"] = "vperf rule"
	s["description"] = "One rule as its file has it. vperf rules lint checks more: expressions, keys of host options, what a scope can reach."
	s["$defs"] = m.defs
	// A rule has want, manual or, as a diagnosis, because; a manual one has no remedy, because its outcome is unknown.
	// Fields of diagnoses require explains, and explains requires the category of diagnoses.
	s["oneOf"] = []object{{"required": []string{"want"}}, {"required": []string{"manual"}}, {"required": []string{"because", "explains"}}}
	s["dependentSchemas"] = object{
		"manual":   object{"properties": object{"remedy": object{"maxItems": 0}, "covers": object{"maxItems": 0}}},
		"once":     object{"required": []string{"manual"}},
		"explains": object{"properties": object{"category": object{"const": CategoryDiagnosis}, "remedy": false, "lost": false, "covers": false, "once": false}},
		"verdict":  object{"if": harmless, "then": object{"properties": object{"fixes": false, "effort": false, "follows": false, "only": false}}},
	}
	needs := object{}
	for _, f := range diagnosisFields {
		needs[f] = []string{"explains"}
	}
	s["dependentSchemas"].(object)["only"] = object{"if": object{"properties": object{"only": object{"const": true}}}, "then": object{"required": []string{"fixes"}, "properties": object{"fixes": object{"minItems": 1}}}}
	s["dependentRequired"] = needs
	s["if"] = object{"required": []string{"category"}, "properties": object{"category": object{"const": CategoryDiagnosis}}}
	s["then"] = object{"required": []string{"explains"}}
	return s
}

// articleSchema returns the schema of an article: it has a title or a subject, and figures with a claim and its
// conditions.
func articleSchema(t *testing.T) object {
	t.Helper()
	m := &schemaMaker{comments(t, "article.go"), object{}}
	s := m.structure(reflect.TypeFor[Article](), "yaml")
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["$id"] = "https://github.com/vperf/vperf/blob/main/docs/schema/article.schema.json"
	s["title"] = "vperf article"
	s["description"] = "One published article that rules quote, with its figures. Its file is rules/sources/ID.yaml."
	s["$defs"] = m.defs
	s["oneOf"] = []object{{"required": []string{"title"}}, {"required": []string{"subject"}}}
	return s
}

var harmless = object{"properties": object{"verdict": object{"const": VerdictHarmless}}}

// required are the fields that Load, or an example's evaluation, requires.
var required = map[string][]string{
	"Rule": {"id", "title", "category", "scope", "severity", "why"}, "Case": {"when", "severity"},
	"Article": {"name", "publisher"}, "Figure": {"id", "says", "when"},
	"Param": {"value"}, "Cover": {"rule"}, "Remedy": {"set", "to"}, "Example": {"name", "expect"}, "Option": {"value"}, "Experiment": {"design", "reason"},
	"Vendor": {"id", "name", "document", "values"}, "Document": {"title", "date"}, "VendorValue": {"set"},
}

// special returns the schema of a field whose type is not specific enough.
func special(field string) object {
	switch field {
	case "Rule.schema":
		return object{"const": RuleSchema}
	case "Rule.id":
		return object{"type": "string", "pattern": strictyaml.ID.String()}
	case "Article.date":
		return object{"pattern": articleDate.String()}
	case "Figure.id":
		return object{"pattern": figureID.String()}
	case "Benefit.figure":
		return object{"pattern": "^[a-z0-9-]+/[a-z0-9-]+$"}
	case "Rule.title", "Rule.why", "Example.name", "Article.name", "Article.publisher", "Figure.says", "Figure.when", "Experiment.reason":
		return object{"type": "string", "minLength": 1}
	case "Experiment.unit":
		return object{"enum": plainWords(trialUnits)}
	case "Rule.follows":
		return object{"uniqueItems": true}
	case "Rule.explains":
		return object{"minItems": 1, "uniqueItems": true}
	case "Param.value":
		return object{"type": []string{"number", "string", "boolean"}}
	case "Vendor.schema":
		return object{"const": vendor.Schema}
	case "Vendor.id":
		return object{"type": "string", "pattern": strictyaml.ID.String()}
	case "Vendor.name", "Document.title":
		return object{"type": "string", "minLength": 1}
	case "Document.date":
		return object{"pattern": vendor.DocumentDate.String()}
	case "Vendor.values", "VendorValue.values":
		return object{"minItems": 1}
	case "VendorValue.from", "VendorValue.before":
		return object{"pattern": `^\d+(\.\d+){0,2}$`}
	case "VendorValue.sources":
		return object{"minimum": 0}
	case "Example.to", "Example.consent":
		return object{"propertyNames": object{"$ref": "#/$defs/setting"}}
	}
	return nil
}

// words are the types with a fixed set of texts.
var words = map[reflect.Type][]string{
	reflect.TypeFor[Category]():             plainWords(Categories()),
	reflect.TypeFor[inventory.Scope]():      plainWords(Scopes()),
	reflect.TypeFor[Severity]():             plainWords(Severities()),
	reflect.TypeFor[Profile]():              plainWords(Profiles()),
	reflect.TypeFor[inventory.Activation](): plainWords(inventory.Activations()),
	reflect.TypeFor[Consent]():              plainWords(inventory.Consents()),
	reflect.TypeFor[inventory.Design]():     plainWords(inventory.SettingDesigns()),
	reflect.TypeFor[Outcome]():              plainWords(Outcomes()),
	reflect.TypeFor[Verdict]():              plainWords(allVerdicts()),
	reflect.TypeFor[VMState]():              plainWords(VMStates()),
	reflect.TypeFor[Effort]():               plainWords(allEfforts()),
	reflect.TypeFor[inventory.ValueType]():  {"bool", "int", "long", "string"},
}

func settingSchema() object {
	var plain, keyed []string
	for _, k := range inventory.SettingKinds() {
		if k.Keyed {
			keyed = append(keyed, k.Name)
		} else {
			plain = append(plain, k.Name)
		}
	}
	return object{
		"description": "the address of a setting: KIND, or KIND/KEY",
		"anyOf":       []object{{"enum": plain}, {"type": "string", "pattern": "^(" + strings.Join(keyed, "|") + ")/.+$"}},
	}
}

// of returns the schema of a type; tag is the struct tag with the names of its fields.
func (m *schemaMaker) of(t reflect.Type, tag string) object {
	switch t {
	case reflect.TypeFor[Expr]():
		return object{"$ref": "#/$defs/expression"}
	case reflect.TypeFor[strictyaml.Scalar]():
		return object{"$ref": "#/$defs/setting"}
	case reflect.TypeFor[Evidence]():
		return object{"type": "object", "additionalProperties": object{"$ref": "#/$defs/expression"}}
	case reflect.TypeFor[yaml.Node]():
		return m.structure(reflect.TypeFor[examplefleet.Facts](), "json")
	case reflect.TypeFor[inventory.Live]():
		return m.mapping(reflect.TypeFor[map[string]inventory.Series](), tag)
	case reflect.TypeFor[time.Time]():
		return object{"type": "string", "description": "as 2026-01-02T03:04:05Z"}
	case reflect.TypeFor[inventory.Version]():
		return object{"type": "string", "pattern": `^\d+(\.\d+){0,2}$`}
	case reflect.TypeFor[inventory.Value](), reflect.TypeFor[inventory.Option](): // the bare value, or all of it
		bare := object{"type": []string{"boolean", "integer", "string"}}
		return object{"anyOf": []object{bare, m.reference(t, tag)}}
	}
	if inner, isFact := expr.FactValue(t); isFact {
		return object{"anyOf": []object{m.of(inner, tag), {"$ref": "#/$defs/absent"}, {"$ref": "#/$defs/unread"}}}
	}
	if allowed := words[t]; allowed != nil {
		return object{"enum": allowed}
	}
	switch t.Kind() {
	case reflect.Interface: // a published value
		return object{"type": []string{"integer", "string", "boolean"}}
	case reflect.Pointer:
		return m.of(t.Elem(), tag)
	case reflect.Struct:
		return m.reference(t, tag)
	case reflect.Slice:
		return object{"type": "array", "items": m.of(t.Elem(), tag)}
	case reflect.Map:
		return m.mapping(t, tag)
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Float64:
		return object{"type": "number"}
	}
	return object{"type": "string"}
}

func (m *schemaMaker) mapping(t reflect.Type, tag string) object {
	s := object{"type": "object", "additionalProperties": m.of(t.Elem(), tag)}
	if tag == "yaml" && t.Elem().Kind() == reflect.String && words[t.Elem()] == nil { // YAML's decoder takes any scalar for a text
		s["additionalProperties"] = object{"type": []string{"string", "number", "boolean"}}
	}
	if allowed := words[t.Key()]; allowed != nil {
		s["propertyNames"] = object{"enum": allowed}
	}
	return s
}

// reference stores a struct's schema under its name, because objects of a fleet refer to each other.
func (m *schemaMaker) reference(t reflect.Type, tag string) object {
	name := schemaName(t)
	if m.defs[name] == nil {
		m.defs[name] = true // being made
		m.defs[name] = m.structure(t, tag)
	}
	return object{"$ref": "#/$defs/" + name}
}

// schemaName returns the name of a struct in the schemas. Vendors and facts share one namespace.
func schemaName(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[vendor.Match](), reflect.TypeFor[vendor.Value]():
		return "Vendor" + t.Name()
	}
	return t.Name()
}

func (m *schemaMaker) structure(t reflect.Type, tag string) object {
	properties := object{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get(tag), ",")
		if name == "" || name == "-" || f.Anonymous {
			continue
		}
		owner := t
		for _, i := range f.Index[:len(f.Index)-1] {
			owner = owner.Field(i).Type
		}
		properties[name] = m.property(owner.Name()+"."+f.Name, schemaName(t)+"."+name, f.Type, tag)
	}
	s := object{"type": "object", "additionalProperties": false, "properties": properties}
	if names := required[schemaName(t)]; names != nil {
		s["required"] = names
	}
	return s
}

func (m *schemaMaker) property(goName, name string, t reflect.Type, tag string) object {
	s := m.of(t, tag)
	for k, v := range special(name) {
		s[k] = v
		if k == "const" {
			delete(s, "type")
		}
	}
	if about := m.about[goName]; about != "" {
		s["description"] = about
	}
	return s
}

// comments returns the comments on the fields of structs in the source files, by TYPE.FIELD.
func comments(t *testing.T, places ...string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, place := range places {
		files := []string{place}
		if info, err := os.Stat(place); err == nil && info.IsDir() {
			files, _ = filepath.Glob(place + "/*.go") // fails for a bad pattern only
		}
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
			require.NoError(t, err)
			fieldComments(file, found)
		}
	}
	return found
}

// article matches the beginning of a Go comment: the name of the field and a verb.
var article = regexp.MustCompile(`^\w+ (is|are|has|have|says|lists|counts) `)

func fieldComments(file *ast.File, found map[string]string) {
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		body, ok := spec.Type.(*ast.StructType)
		if !ok {
			return true
		}
		for _, f := range body.Fields.List {
			text := strictyaml.OneLine(f.Doc.Text() + " " + f.Comment.Text())
			for _, name := range f.Names {
				found[spec.Name.Name+"."+name.Name] = article.ReplaceAllStringFunc(text, func(s string) string {
					_, rest, _ := strings.Cut(strings.TrimSpace(s), " ")
					if verb := rest; verb == "is" || verb == "are" {
						return ""
					}
					return rest + " "
				})
			}
		}
		return true
	})
}
