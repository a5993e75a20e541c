package tagging

import (
	"maps"
	"slices"
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

// Prefix is the prefix of the custom attributes for vperf. Others are read only where Needs name them.
const Prefix = "vperf."

// Entries returns the table entries for the marks that users put on objects of a kind: custom attributes, and tags, which are
// read later (tags.go).
func Entries[O any](kind string, at func(O) *inventory.Entity) []property.Entry[O] {
	return []property.Entry[O]{
		{Facts: []string{kind + ".tags"}, Fill: func(*property.Props, O) {}},
		{Facts: []string{kind + ".attributes"}, Paths: []string{PathAttributes}, Fill: func(p *property.Props, o O) {
			at(o).Attributes = Numbered(p)
		}},
	}
}

// Numbered returns an object's custom attributes by number, as the object has them; the names are defined elsewhere.
func Numbered(p *property.Props) inventory.Fact[map[string]string] {
	return property.Read(p, PathAttributes, asAttributes, property.DefaultTo(map[string]string{}))
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

// Fields holds the names of custom attributes by number.
type Fields = inventory.Fact[map[string]string]

// FieldNames decodes PathFields into names by number. A definition without a name, or with a damaged one, defines nothing.
func FieldNames(v any) (map[string]string, bool) {
	list, ok := property.As[types.ArrayOfCustomFieldDef](v)
	names := map[string]string{}
	for _, d := range list.CustomFieldDef {
		if d.Name != "" && !strings.Contains(d.Name, "\uFFFD") {
			names[strconv.Itoa(int(d.Key))] = d.Name
		}
	}
	return names, ok
}

// Named replaces the numbers of attributes by names and drops attributes that are not needed. One that no definition names can be any,
// so that all are unread.
func Named(byNumber inventory.Fact[map[string]string], names Fields, needs inventory.Needs) inventory.Fact[map[string]string] {
	return property.Then(byNumber, func(values map[string]string) inventory.Fact[map[string]string] {
		return property.Then(names, func(names map[string]string) inventory.Fact[map[string]string] {
			all := map[string]string{}
			for _, number := range slices.Sorted(maps.Keys(values)) {
				name, defined := names[number]
				if !defined {
					return inventory.Unread[map[string]string]("the server lists no name for key " + number + " of its " + PathAttributes)
				}
				if needs.Attribute(name) {
					all[name] = values[number]
				}
			}
			return inventory.Known(all)
		})
	})
}
