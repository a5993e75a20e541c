package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSuspicion(t *testing.T) {
	for text, reason := range map[string]string{
		"What came late is waited for.":                        "clause as subject",
		"limitedBuffer keeps the beginning of what is written": "clause as noun",
		"write what a profile owns":                            "clause as object",
		"nobody can tell":                                      "nobody, or nothing as subject",
		"the VM is told":                                       "told, tells",
		"rules held against the facts":                         "held against",
		"waits for so LONG":                                    "a verb or half a sentence as placeholder",
		"vperf retries slow scrapes.":                          "",
		"The error says what to type instead.":                 "",
		"Does what runs over it fit? Look at the link.":        "",
		"users who may log in":                                 "",
	} {
		assert.Equal(t, reason, suspicion(text), text)
	}
}

func TestEveryKindOfTextIsRead(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.go":              "package a\n\n// A is what is left.\nconst A = \"nobody can tell why\"\n",
		"b.md":              "# B\n\n```\nwhat is code is skipped\n```\nWhat is text is read.\n",
		"c.yaml":            "id: c\nwhy: what is said of it\nexpr: a > b\n",
		"d.json":            `{"panels": [{"title": "nobody can tell", "expr": "what is it"}]}`,
		"testdata/skip.md":  "What is here is skipped.\n",
		".hidden/hidden.md": "What is here is skipped.\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	var out strings.Builder
	require.NoError(t, run(&out, []string{dir}, false))
	got := strings.ReplaceAll(out.String(), dir+string(filepath.Separator), "")
	for _, want := range []string{"a.go:3: ", "a.go:4: ", "b.md:6: ", "c.yaml:2: ", "d.json:1: ", "all               5 of      6 lines  83.3 %"} {
		assert.Contains(t, got, want)
	}
	assert.NotContains(t, got, "skipped")
}
