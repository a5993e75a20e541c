package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A target is one fuzz function.
type target struct {
	folder string // below the root, with slashes
	name   string
}

func (t target) String() string { return t.folder + " " + t.name }

// find returns the fuzz functions of all test files below root: those that take a *testing.F, because go test runs no others.
func find(root string) ([]target, error) {
	var found []target
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && (entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), ".")):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		for _, d := range file.Decls {
			if f, isFunc := d.(*ast.FuncDecl); isFunc && isFuzz(f) {
				found = append(found, target{filepath.ToSlash(folder), f.Name.Name})
			}
		}
		return err
	})
	slices.SortFunc(found, func(a, b target) int { return strings.Compare(a.String(), b.String()) })
	return found, err
}

// isFuzz reports whether a function is a fuzz target.
func isFuzz(f *ast.FuncDecl) bool {
	if f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Fuzz") || len(f.Type.Params.List) != 1 {
		return false
	}
	pointer, ok := f.Type.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	of, ok := pointer.X.(*ast.SelectorExpr)
	return ok && of.Sel.Name == "F"
}

// choose returns the targets of one part, such as 2/4. Each target belongs to exactly one part; neighbours, which take alike, to
// different ones.
func choose(targets []target, part string) ([]target, error) {
	first, last, found := strings.Cut(part, "/")
	k, err := strconv.Atoi(first)
	n, err2 := strconv.Atoi(last)
	if !found || err != nil || err2 != nil || k < 1 || k > n {
		return nil, fmt.Errorf("-part %q: want K/N with K from 1 to N, such as 2/4", part)
	}
	var chosen []target
	for i, t := range targets {
		if i%n == k-1 {
			chosen = append(chosen, t)
		}
	}
	return chosen, nil
}
