package vsphere

import (
	"strconv"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

const (
	pathAttributes = "customValue"
	pathFields     = "field"
)

// ours begins the names of the custom attributes that speak to vperf. What others wrote into theirs is none of its
// business.
const ours = "vperf."

// marks are what people put on objects of a kind: custom attributes, and tags, which come later (tags.go).
func marks[O any](kind string, at func(O) *inventory.Entity) []entry[O] {
	return []entry[O]{
		{facts: []string{kind + ".tags"}, fill: func(*props, O) {}},
		{facts: []string{kind + ".attributes"}, paths: []string{pathAttributes}, fill: func(p *props, o O) {
			at(o).Attributes = numbered(p)
		}},
	}
}

// numbered are an object's custom attributes by number, as it has them: what they are called stands elsewhere.
func numbered(p *props) inventory.Fact[map[string]string] {
	return read(p, pathAttributes, asAttributes, means(map[string]string{}))
}

func asAttributes(v any) (map[string]string, bool) {
	list, ok := asIs[types.ArrayOfCustomFieldValue](v)
	byNumber := map[string]string{}
	for _, a := range list.CustomFieldValue {
		if text, isText := a.(*types.CustomFieldStringValue); isText {
			byNumber[strconv.Itoa(int(text.Key))] = text.Value
		}
	}
	return byNumber, ok
}

// fields are the names of custom attributes by number, ours only.
type fields = inventory.Fact[map[string]string]

func asFields(v any) (map[string]string, bool) {
	list, ok := asIs[types.ArrayOfCustomFieldDef](v)
	names := map[string]string{}
	for _, d := range list.CustomFieldDef {
		if strings.HasPrefix(d.Name, ours) {
			names[strconv.Itoa(int(d.Key))] = d.Name
		}
	}
	return names, ok
}

// named gives attributes their names and drops those that are not ours.
func named(byNumber inventory.Fact[map[string]string], names fields) inventory.Fact[map[string]string] {
	return then(byNumber, func(values map[string]string) inventory.Fact[map[string]string] {
		return then(names, func(names map[string]string) inventory.Fact[map[string]string] {
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
