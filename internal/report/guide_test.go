package report_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/vsphere"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/rules"
)

// The committed guide is what the rules, the introductions and the reading tables say now.
func TestGuideIsCurrent(t *testing.T) {
	golden.Equal(t, "../../docs/best-practices.md", theGuide(t))
}

// Every link inside the guide has its heading, and no heading is there twice: findings link to #rule-id.
func TestGuideLinks(t *testing.T) {
	page := string(theGuide(t))
	headings := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(page, -1) {
		slug := strings.ReplaceAll(strings.ToLower(m[1]), " ", "-")
		require.False(t, headings[slug], "heading %s is there twice", m[1])
		headings[slug] = true
	}
	for _, id := range library(t).IDs() {
		require.Contains(t, page, "\n### "+id+"\n")
		require.Contains(t, page, "\n| ["+id+"](#"+id+") |")
	}
	for _, m := range regexp.MustCompile(`\]\(#([^)]*)\)`).FindAllStringSubmatch(page, -1) {
		require.True(t, headings[m[1]], "no heading for #%s", m[1])
	}
}

// Every introduction is of a category, long enough to teach, and short enough to be read.
func TestIntroductions(t *testing.T) {
	notChapters := []string{"top", "reading", "founding"}
	texts, err := filepath.Glob("guide/*.md")
	require.NoError(t, err)
	var names []string
	for _, path := range texts {
		name := strings.TrimSuffix(filepath.Base(path), ".md")
		names = append(names, name)
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Regexp(t, `\A# \S.*\n\n\S`, string(b), "%s begins with its heading", path)
		if name != "top" && name != "founding" && name != "reading" {
			require.GreaterOrEqual(t, strings.Count(string(b), "\n"), 10, path)
			require.LessOrEqual(t, strings.Count(string(b), "\n"), 45, path)
		}
	}
	for _, c := range advice.Categories() {
		notChapters = append(notChapters, string(c))
	}
	require.ElementsMatch(t, notChapters, names)
}

func library(t *testing.T) *advice.Library {
	t.Helper()
	l, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	return l
}

func theGuide(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, report.Guide(&b, library(t), guideFacts(t)))
	return b.Bytes()
}

// guideFacts puts what the facts' own comments say beside where they are read from.
func guideFacts(t *testing.T) map[string]report.GuideFact {
	t.Helper()
	facts := map[string]report.GuideFact{}
	words := factComments(t)
	for name, paths := range vsphere.Origins() {
		require.NotEmpty(t, words[name], "%s has no comment in pkg/inventory", name)
		facts[name] = report.GuideFact{Words: words[name], Paths: paths}
	}
	return facts
}

var sourceSentence = regexp.MustCompile(`\s*Source:.*`)

// factComments are the comments of the fields of pkg/inventory, by fact, without the field's name and without the source.
func factComments(t *testing.T) map[string]string {
	t.Helper()
	words := map[string]string{}
	files, err := filepath.Glob("../../pkg/inventory/*.go")
	require.NoError(t, err)
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if s, ok := spec.Type.(*ast.StructType); ok {
					fieldComments(words, spec.Name.Name, s)
				}
			}
			return true
		})
	}
	require.Equal(t, "counts virtual CPUs", words["VM.vcpus"])
	return words
}

func fieldComments(words map[string]string, typ string, s *ast.StructType) {
	for _, f := range s.Fields.List {
		if f.Tag == nil || f.Doc == nil || len(f.Names) != 1 {
			continue
		}
		name, _, _ := strings.Cut(reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json"), ",")
		said := strings.TrimPrefix(strings.Join(strings.Fields(f.Doc.Text()), " "), f.Names[0].Name+" ")
		words[typ+"."+name] = strings.TrimSuffix(sourceSentence.ReplaceAllString(said, ""), ".")
	}
}
