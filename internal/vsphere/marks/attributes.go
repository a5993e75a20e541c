package marks

import (
	"strconv"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/pkg/inventory"
)

// Properties of custom attributes: the values of an object, and the definitions of all attributes.
const (
	PathAttributes = "customValue"
	PathFields     = "field"
)

// Prefix begins the names of the custom attributes that speak to vperf. What others wrote into theirs is none of its
// business.
const Prefix = "vperf."

// Entries are what people put on objects of a kind: custom attributes, and tags, which come later (tags.go).
func Entries[O any](kind string, at func(O) *inventory.Entity) []property.Entry[O] {
	return []property.Entry[O]{
		{Facts: []string{kind + ".tags"}, Fill: func(*property.Props, O) {}},
		{Facts: []string{kind + ".attributes"}, Paths: []string{PathAttributes}, Fill: func(p *property.Props, o O) {
			at(o).Attributes = Numbered(p)
		}},
	}
}

// Numbered are an object's custom attributes by number, as it has them: what they are called stands elsewhere.
func Numbered(p *property.Props) inventory.Fact[map[string]string] {
	return property.Read(p, PathAttributes, asAttributes, property.Means(map[string]string{}))
}

func asAttributes(v any) (map[string]string, bool) {
	list, ok := property.As[types.ArrayOfCustomFieldValue](v)
	byNumber := map[string]string{}
	for _, a := range list.CustomFieldValue {
		if text, isText := a.(*types.CustomFieldStringValue); isText {
			byNumber[strconv.Itoa(int(text.Key))] = text.Value
		}
	}
	return byNumber, ok
}

// Fields are the names of custom attributes by number, ours only.
type Fields = inventory.Fact[map[string]string]

// FieldNames decodes the value of PathFields into names by number, without the attributes that do not begin with Prefix. It
// reports false for a value of another type.
func FieldNames(v any) (map[string]string, bool) {
	list, ok := property.As[types.ArrayOfCustomFieldDef](v)
	names := map[string]string{}
	for _, d := range list.CustomFieldDef {
		if strings.HasPrefix(d.Name, Prefix) {
			names[strconv.Itoa(int(d.Key))] = d.Name
		}
	}
	return names, ok
}

// Named gives attributes their names and drops those that are not ours.
func Named(byNumber inventory.Fact[map[string]string], names Fields) inventory.Fact[map[string]string] {
	return property.Then(byNumber, func(values map[string]string) inventory.Fact[map[string]string] {
		return property.Then(names, func(names map[string]string) inventory.Fact[map[string]string] {
			all := map[string]string{}
			for number, value := range values {
				if name, isOurs := names[number]; isOurs {
					all[name] = value
				}
			}
			return inventory.Known(all)
		})
	})
}
