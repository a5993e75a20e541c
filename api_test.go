package vperf_test

import (
	"bytes"
	"errors"
	"go/ast"
	"go/build"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
)

// TestAPI compares the exports of each package under pkg/ with its api.txt, so that every API addition is a line in a review
// and never an accident.
func TestAPI(t *testing.T) {
	for _, p := range libraries(t) {
		var lines []string
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			lines = append(lines, declarations(file)...)
		}
		slices.Sort(lines)
		t.Run(p.Dir, func(t *testing.T) {
			golden.Equal(t, filepath.Join(p.Dir, "api.txt"), []byte(strings.Join(lines, "\n")+"\n"))
		})
	}
}

func TestDeclarations(t *testing.T) {
	for source, want := range map[string][]string{
		"const A, b = 1, 2; var c, D = f()":                       {"const A", "var D"},
		"type (Name string; Same = Name; hidden int)":             {"type Name string", "type Same = Name"},
		"type S struct { io.Reader; low; X, y int `tag` }":        {"field S.io.Reader (embedded)", "field S.X int", "type S struct"},
		"type B[T any, K ~int|~string] struct{ V func(k K) T}":    {"field B.V func(k K) T", "type B[T any, K ~int | ~string] struct"},
		"type I interface { E; Ask(string) bool; low() }":         {"method I.E (embedded)", "method I.Ask func(string) bool", "type I interface"},
		"func New(a, b int,\n c ...T,\n) (*S, error) { f() }":     {"func New(a, b int, c ...T) (*S, error)"},
		"func Map[T, U any](in []T) []U { return nil }":           {"func Map[T, U any](in []T) []U"},
		"func (s *S) Do() {}; func (b B[T]) Get() T {}":           {"func (s *S) Do()", "func (b B[T]) Get() T"},
		"func low() {}; func (s S) low() {}; func (l low) F() {}": nil,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "p.go", "package p; "+source, parser.SkipObjectResolution)
		require.NoError(t, err)
		require.Equal(t, want, declarations(file), source)
	}
}

// libraries returns the packages under pkg/, as this platform builds them.
func libraries(t *testing.T) (found []*build.Package) {
	t.Helper()
	require.NoError(t, filepath.WalkDir("pkg", func(dir string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || !d.IsDir():
			return err
		case d.Name() == "testdata" || d.Name() == "internal":
			return filepath.SkipDir
		}
		p, err := build.ImportDir(dir, 0)
		if noGo := (*build.NoGoError)(nil); errors.As(err, &noGo) {
			return nil
		}
		found = append(found, p)
		return err
	}))
	return found
}

// declarations lists the exports of a file, one per line.
func declarations(file *ast.File) []string {
	ast.FileExports(file)
	var lines []string
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil || ast.IsExported(strings.TrimPrefix(text(d.Recv.List[0].Type), "*")) {
				d.Body = nil
				lines = append(lines, text(d))
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				lines = append(lines, specLines(d.Tok, spec)...)
			}
		}
	}
	return lines
}

func specLines(kind token.Token, spec ast.Spec) []string {
	var lines []string
	switch s := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range s.Names {
			if name.IsExported() {
				lines = append(lines, kind.String()+" "+name.Name)
			}
		}
	case *ast.TypeSpec:
		lines = append(members(s), "type "+text(s)) // members first: members removes the body
	}
	return lines
}

// members lists a type's fields or methods and leaves its kind in their place.
func members(s *ast.TypeSpec) []string {
	kind, list := "", (*ast.FieldList)(nil)
	switch body := s.Type.(type) {
	case *ast.StructType:
		kind, list, s.Type = "field ", body.Fields, ast.NewIdent("struct")
	case *ast.InterfaceType:
		kind, list, s.Type = "method ", body.Methods, ast.NewIdent("interface")
	default:
		return nil
	}
	var lines []string
	for _, f := range list.List {
		for _, name := range f.Names {
			lines = append(lines, kind+s.Name.Name+"."+name.Name+" "+text(f.Type))
		}
		if len(f.Names) == 0 {
			lines = append(lines, kind+s.Name.Name+"."+text(f.Type)+" (embedded)")
		}
	}
	return lines
}

// text prints a node on one line. An empty file set drops the line breaks of the source, so that reformatting changes
// nothing.
func text(node any) string {
	var out bytes.Buffer
	if err := printer.Fprint(&out, token.NewFileSet(), node); err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(out.String()), " ")
}
