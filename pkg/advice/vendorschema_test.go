package advice

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/pkg/advice/vendor"
	"github.com/vperf/vperf/rules"
)

// vendorSchemaFile is the JSON Schema of vendor files, for editors. The test generates it from the structs.
const vendorSchemaFile = "../../docs/schema/vendor.schema.json"

// TestVendorSchemaIsCurrent compares the committed schema with the structs.
func TestVendorSchemaIsCurrent(t *testing.T) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	require.NoError(t, e.Encode(vendorSchema(t)))
	golden.Equal(t, vendorSchemaFile, b.Bytes())
}

func vendorSchema(t *testing.T) object {
	t.Helper()
	m := &schemaMaker{comments(t, "vendor/vendor.go"), object{"setting": settingSchema()}}
	s := m.structure(reflect.TypeFor[vendor.Vendor](), "yaml")
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["$id"] = "https://github.com/vperf/vperf/blob/main/docs/schema/vendor.schema.json"
	s["title"] = "vperf vendor"
	s["description"] = "The published settings of one source. vperf rules lint checks more: keys of host options, types of values, releases."
	s["$defs"] = m.defs
	value := m.defs["VendorValue"].(object)
	value["oneOf"] = []object{{"required": []string{"values"}}, {"required": []string{"least"}}}
	m.defs["VendorMatch"].(object)["minProperties"] = 1
	return s
}

// TestOurVendorsFitTheSchema validates every file of rules/vendors.
func TestOurVendorsFitTheSchema(t *testing.T) {
	schema, seen := compiledVendorSchema(t), 0
	names, err := fs.Glob(rules.FS, "vendors/*.yaml")
	require.NoError(t, err)
	for _, name := range names {
		text, err := fs.ReadFile(rules.FS, name)
		require.NoError(t, err)
		require.NoError(t, schema.Validate(asJSON(t, string(text))), name)
		seen++
	}
	require.Greater(t, seen, 3)
}

func compiledVendorSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(vendorSchemaFile)
	require.NoError(t, err)
	return s
}

// TestVendorSchemaAgreesWithTheLoader: the loader refuses everything that the schema refuses, with line and column.
func TestVendorSchemaAgreesWithTheLoader(t *testing.T) {
	const good = `id: acme
name: Acme
match:
  - {vendor: ACME}
document: {title: Guide, date: "2024-05"}
values:
  - set: host-option/Disk.QFullSampleSize
    values: [32]
`
	schema := compiledVendorSchema(t)
	for name, c := range map[string]struct{ old, with, want string }{
		"good":                {"", "", ""},
		"its version":         {"id:", "schema: vperf.vendor/v1alpha1\nid:", ""},
		"least":               {"values: [32]", "least: 32", ""},
		"releases":            {"values: [32]", "values: [32]\n    from: \"6.7\"\n    before: \"8.0\"", ""},
		"undated":             {`"2024-05"`, "undated", ""},
		"another version":     {"id:", "schema: vperf.vendor/v9\nid:", `1:9: schema "vperf.vendor/v9": write vperf.vendor/v1alpha1`},
		"misspelt field":      {"name:", "nams:", `2:1: no field "nams" here (did you mean "name"?)`},
		"no name":             {"name: Acme\n", "", "1:1: field name is missing"},
		"empty match":         {"- {vendor: ACME}", "- {}", "4:5: a match needs vendor, model, arrayType or flash"},
		"no document":         {"document: {title: Guide, date: \"2024-05\"}\n", "", "1:1: field document is missing"},
		"no date":             {", date: \"2024-05\"", "", "5:11: field date is missing"},
		"bad date":            {`"2024-05"`, "May", `5:32: date "May": write YYYY`},
		"no values":           {"values:\n  - set: host-option/Disk.QFullSampleSize\n    values: [32]\n", "", "1:1: field values is missing"},
		"unknown setting":     {"host-option/Disk.QFullSampleSize", "lun-qfull", `7:10: no kind of setting "lun-qfull"`},
		"neither":             {"    values: [32]\n", "", "7:5: a published setting has either values or least"},
		"both":                {"values: [32]", "values: [32]\n    least: 3", "7:5: a published setting has either values or least"},
		"fraction":            {"[32]", "[3.5]", "8:14: a published value is a whole number, a text, true or false"},
		"release":             {"values: [32]", "values: [32]\n    from: seven", `9:11: version "seven"`},
		"negative sources":    {"values: [32]", "values: [32]\n    sources: -1", "9:14: sources: write the number"},
		"id is not in a file": {"id: acme", "id: Acme_", `1:5: id "Acme_": write an id in kebab case`},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, good, c.old)
			text := strings.Replace(good, c.old, c.with, 1)
			_, bad := vendor.Parse("vendors/acme.yaml", []byte(text))
			refused := schema.Validate(asJSON(t, text))
			if c.want == "" {
				require.NoError(t, bad.Err())
				require.NoError(t, refused)
				return
			}
			require.ErrorContains(t, bad.Err(), "vendors/acme.yaml:"+c.want)
			require.Error(t, refused)
		})
	}
	for with, want := range map[string]string{ // errors that a schema cannot express
		"host-option/Disk.QFullSampleSizes": `7:10: no release from 6.0 to 9.0 has a host option "Disk.QFullSampleSizes"`,
		"power-policy":                      "8:14: power-policy is a string, this is a long",
	} {
		_, bad := vendor.Parse("vendors/acme.yaml", []byte(strings.Replace(good, "host-option/Disk.QFullSampleSize", with, 1)))
		require.ErrorContains(t, bad.Err(), want)
	}
	_, bad := vendor.Parse("vendors/other.yaml", []byte(good))
	require.ErrorContains(t, bad.Err(), "the file's name, other.yaml")
}
