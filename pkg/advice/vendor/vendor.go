package vendor

import (
	"fmt"
	"path"
	"reflect"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/pkg/advice/strictyaml"
	"github.com/vperf/vperf/pkg/inventory"
)

// Schema is the version of the format of vendor files.
const Schema = "vperf.vendor/v1alpha1"

// vendorFolder is the folder of a rule library with vendors instead of rules.
const vendorFolder = "vendors"

// Vendor is the published settings of one source: an array's vendor, or several public sources together. Rules check
// them before they report a value that is not the default.
type Vendor struct {
	Schema   string   `yaml:"schema"`   // optional; VendorSchema
	ID       string   `yaml:"id"`       // the file's name
	Name     string   `yaml:"name"`     // as findings show it
	About    string   `yaml:"about"`    // information about the source for readers
	Match    []Match  `yaml:"match"`    // the disks it applies to, any of them; none: it applies everywhere, because vSphere does not show its objects
	Document Document `yaml:"document"` // where the values are published
	Values   []Value  `yaml:"values"`   // the published settings

	file strictyaml.File
}

// Match matches a disk. All fields that are set must match. Texts are compared as a whole, ignoring case.
type Match struct {
	Vendor    string `yaml:"vendor"`    // the vendor that the disk reports, such as NETAPP
	Model     string `yaml:"model"`     // the model that the disk reports
	ArrayType string `yaml:"arrayType"` // the storage array type plug-in, such as VMW_SATP_ALUA
	Flash     bool   `yaml:"flash"`     // only flash disks
}

// Document is the publication with a vendor's values.
type Document struct {
	Title string `yaml:"title"`
	URL   string `yaml:"url"`
	Date  string `yaml:"date"` // YYYY, YYYY-MM, YYYY-MM-DD, or undated
}

// Value is one published setting.
type Value struct {
	Set    strictyaml.Scalar `yaml:"set"`    // KIND, or KIND/KEY
	Values []any             `yaml:"values"` // the published values, any of them
	Least  *int64            `yaml:"least"`  // the published minimum, if larger values are as good
	From   string            `yaml:"from"`   // the first release it is published for
	Before string            `yaml:"before"` // the first release it is no longer published for
	Match  []Match           `yaml:"match"`  // the disks it is published for, if they differ from those of the file

	Sources int `yaml:"sources"` // the number of public sources that publish it; omitted: only the document

	Setting      inventory.Setting
	match        []Match // its own, or those of the file
	from, before *inventory.Version
}

// List is the published settings.
type List struct{ list []*Vendor }

// All lists the vendors in the order of their files.
func (v *List) All() []*Vendor { return slices.Clone(v.list) }

// Add adds a vendor.
func (v *List) Add(x *Vendor) { v.list = append(v.list, x) }

// IsFile reports whether a file of a library is a vendor.
func IsFile(name string) bool { return path.Base(path.Dir(name)) == vendorFolder }

// Parse reads one vendor file; it returns a nil vendor if the structure is invalid.
func Parse(name string, text []byte) (*Vendor, strictyaml.Errors) {
	v := &Vendor{file: strictyaml.NewFile(name, text)}
	root, bad := v.file.Decode(v)
	if root == nil {
		return nil, bad
	}
	c := strictyaml.Fields{File: v.file, Node: root, Of: reflect.TypeFor[Vendor]()}
	c.Word("id", strictyaml.ID.MatchString(v.ID), strictyaml.WantedID)
	c.Word("id", v.ID+".yaml" == path.Base(name), "the file's name, "+path.Base(name))
	c.Word("schema", v.Schema == "" || v.Schema == Schema, Schema)
	c.Word("name", v.Name != "", "the vendor's name, as findings show it")
	bad = append(append(bad, c.Bad...), v.checkDocument(root)...)
	bad = append(bad, v.checkMatches(strictyaml.Child(root, "match"), v.Match)...)
	return v, append(bad, v.checkValues(root)...)
}

// DocumentDate matches the date of a document.
var DocumentDate = regexp.MustCompile(`^\d{4}(-\d{2}(-\d{2})?)?$|^undated$`)

func (v *Vendor) checkDocument(root *yaml.Node) strictyaml.Errors {
	n := strictyaml.Child(root, "document")
	if n == nil || n.Kind != yaml.MappingNode {
		return strictyaml.Errors{v.file.At(root, "field document is missing: title, url and date of the document")}
	}
	c := strictyaml.Fields{File: v.file, Node: n, Of: reflect.TypeFor[Document]()}
	c.Word("title", v.Document.Title != "", "the document's title")
	c.Word("date", DocumentDate.MatchString(v.Document.Date), "YYYY, YYYY-MM, YYYY-MM-DD or undated")
	return c.Bad
}

func (v *Vendor) checkMatches(n *yaml.Node, all []Match) (bad strictyaml.Errors) {
	for i, m := range all {
		if m == (Match{}) && i < len(n.Content) {
			bad = append(bad, v.file.At(n.Content[i], "a match needs vendor, model, arrayType or flash"))
		}
	}
	return bad
}

func (v *Vendor) checkValues(root *yaml.Node) strictyaml.Errors {
	list := strictyaml.Child(root, "values")
	if list == nil || len(list.Content) == 0 {
		return strictyaml.Errors{v.file.At(root, "field values is missing: the settings that the document publishes")}
	}
	var bad strictyaml.Errors
	for i, n := range list.Content {
		if i < len(v.Values) && n.Kind == yaml.MappingNode {
			bad = append(bad, v.checkValue(n, &v.Values[i])...)
		}
	}
	return bad
}

func (v *Vendor) checkValue(n *yaml.Node, x *Value) strictyaml.Errors {
	c := strictyaml.Fields{File: v.file, Node: n, Of: reflect.TypeFor[Value]()}
	var err error
	if x.Setting, err = inventory.LookupSetting(x.Set.Text); err != nil {
		c.Add(strictyaml.Child(n, "set"), err.Error())
	}
	values := strictyaml.Child(n, "values")
	switch {
	case (len(x.Values) == 0) == (x.Least == nil):
		c.Add(n, "a published setting has either values or least")
	case len(x.Values) > 0:
		checkValueTypes(&c, values, x)
	}
	release(&c, "from", x.From, &x.from)
	release(&c, "before", x.Before, &x.before)
	if x.Sources < 0 {
		c.Add(strictyaml.Child(n, "sources"), "sources: write the number of public sources that publish the value")
	}
	c.Bad = append(c.Bad, v.checkMatches(strictyaml.Child(n, "match"), x.Match)...)
	x.match = x.Match
	if len(x.Match) == 0 {
		x.match = v.Match
	}
	return c.Bad
}

// checkValueTypes reports values of another type than the setting's.
func checkValueTypes(c *strictyaml.Fields, n *yaml.Node, x *Value) {
	for i, value := range x.Values {
		have := valueType(value)
		want := x.Setting.Type()
		if want == inventory.TypeInt {
			want = inventory.TypeLong
		}
		switch {
		case have == "":
			c.Add(n.Content[i], "a published value is a whole number, a text, true or false")
		case want != "" && have != want:
			c.Add(n.Content[i], fmt.Sprintf("%s is a %s, this is a %s", x.Set.Text, want, have))
		}
	}
}

// valueType returns the type of a decoded YAML value; "" if no setting can have it.
func valueType(value any) inventory.ValueType {
	switch value.(type) {
	case int, int64:
		return inventory.TypeLong
	case string:
		return inventory.TypeString
	case bool:
		return inventory.TypeBool
	}
	return ""
}

// release parses an optional version.
func release(c *strictyaml.Fields, field, text string, into **inventory.Version) {
	if text == "" {
		return
	}
	version, err := inventory.ParseVersion(text)
	if err != nil {
		c.Add(strictyaml.Child(c.Node, field), err.Error())
		return
	}
	*into = &version
}
