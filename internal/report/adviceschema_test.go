package report_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryFieldOfTheAdviceSchemaIsWritten checks that some output has each field, because a field that is never written is
// never tested.
func TestEveryFieldOfTheAdviceSchemaIsWritten(t *testing.T) {
	text, err := os.ReadFile(adviceSchemaFile)
	require.NoError(t, err)
	s := fieldsOf{defs: map[string]any{}, written: map[string]bool{}, all: map[string]bool{}}
	var root map[string]any
	require.NoError(t, json.Unmarshal(text, &root))
	s.defs = root["$defs"].(map[string]any)
	s.declared("", root)
	for name, def := range s.defs {
		s.declared(name, def)
	}
	for _, a := range advices(t) {
		var v any
		require.NoError(t, json.Unmarshal(adviceJSON(t, a), &v))
		s.visit("", root, v)
	}
	var missing []string
	for field := range s.all {
		_, name, _ := strings.Cut(field, ".")
		if !s.written[field] && !s.written["row."+name] && !s.written["group."+name] && !s.written[".harmless."+name] { // what rows have in common is in their group
			missing = append(missing, field)
		}
	}
	slices.Sort(missing)
	require.Greater(t, len(s.all), 100)
	require.Empty(t, missing)
}

type fieldsOf struct {
	defs         map[string]any
	all, written map[string]bool
}

// declared records the fields of a schema and of its nested schemas by their paths.
func (s fieldsOf) declared(at string, schema any) {
	switch x := schema.(type) {
	case map[string]any:
		if fields, ok := x["properties"].(map[string]any); ok {
			for name, of := range fields {
				s.all[at+"."+name] = true
				s.declared(at+"."+name, of)
			}
		}
		s.declared(at, x["items"])
		s.declared(at, x["anyOf"])
	case []any:
		for _, of := range x {
			s.declared(at, of)
		}
	}
}

func (s fieldsOf) visit(at string, schema, value any) {
	x, ok := schema.(map[string]any)
	if !ok {
		return
	}
	if ref, ok := x["$ref"].(string); ok {
		name := strings.TrimPrefix(ref, "#/$defs/")
		s.visit(name, s.defs[name], value)
	}
	if of, ok := x["anyOf"].([]any); ok {
		for _, one := range of {
			s.visit(at, one, value)
		}
	}
	switch v := value.(type) {
	case []any:
		for _, one := range v {
			s.visit(at, x["items"], one)
		}
	case map[string]any:
		fields, _ := x["properties"].(map[string]any)
		for name, one := range v {
			if of, ok := fields[name]; ok {
				s.written[at+"."+name] = true
				s.visit(at+"."+name, of, one)
			}
		}
	}
}
