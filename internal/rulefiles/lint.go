package rulefiles

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/userfile"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/advice/ruletool"
	"github.com/vperf/vperf/pkg/advice/strictyaml"
	"github.com/vperf/vperf/pkg/trial"
)

// Checked is the result of Lint.
type Checked struct {
	Number   string // of the files, in words
	Mistakes strictyaml.Errors
	Warnings []strictyaml.Problem
}

// Lint reads the rules of the paths beside our own, whose ids are taken, and compiles them.
func Lint(load func(paths []string, examples bool) (*advice.Library, error), paths []string) (c Checked, err error) {
	outcomes, files, bad := givenOutcomes(paths)
	library, err := load(paths, false)
	if err == nil {
		var ownRules []*advice.Rule
		var others int
		if ownRules, others, err = given(library, paths); err == nil {
			c.Number, c.Warnings, err = plural.Count(len(ownRules), "rule"), missingFields(ownRules), compiles(library, ownRules)
		}
		if others -= files; others > 0 {
			c.Number += " and " + plural.Count(others, "file") + " of vendors and articles"
		}
		if files > 0 {
			c.Number += " and " + plural.Count(outcomes, "outcome") + " of trials"
		}
	}
	var failed error
	for _, err := range []error{err, bad} {
		if mistakes, ok := errors.AsType[strictyaml.Errors](err); ok {
			c.Mistakes = append(c.Mistakes, mistakes...)
		} else {
			failed = cmp.Or(failed, err)
		}
	}
	return c, failed
}

// givenOutcomes reads the outcomes of trials in folders of the paths, which are vperf's own tree. It returns their number, the number of
// their files, and their mistakes.
func givenOutcomes(paths []string) (outcomes, files int, err error) {
	for _, p := range paths {
		tree := ownTree(p)
		folder := filepath.Join(tree, "outcomes")
		if tree == "" || !isIn(folder, p) && !isIn(p, folder) {
			continue
		}
		library, bad := trial.Load(userfile.Rule.Folder(folder))
		if mistakes, ok := errors.AsType[strictyaml.Errors](bad); ok {
			for i := range mistakes {
				mistakes[i].File = filepath.Join(folder, mistakes[i].File)
			}
		}
		if bad != nil {
			return 0, 0, bad
		}
		given := ruleFiles([]string{p})
		if isIn(folder, p) {
			given = ruleFiles([]string{folder})
		}
		files += given
		outcomes += min(given, len(library.Outcomes))
	}
	return outcomes, files, nil
}

func missingFields(rules []*advice.Rule) []strictyaml.Problem {
	var all []strictyaml.Problem
	for _, r := range rules {
		all = append(all, ruletool.Missing(r)...)
	}
	return all
}

// compiles returns the mistakes in the expressions of some rules.
func compiles(library *advice.Library, rules []*advice.Rule) error {
	var s advice.Selection
	for _, r := range rules {
		s.Rules = append(s.Rules, r.ID)
	}
	_, err := library.Select(s)
	return err
}

// given returns the rules in files of the paths, and the number of other files there: vendors, and articles of vperf's own tree. There
// has to be one of either.
func given(library *advice.Library, paths []string) (ownRules []*advice.Rule, others int, err error) {
	for _, r := range library.Rules() {
		if Given(r, paths) {
			ownRules = append(ownRules, r)
		}
	}
	if files := ruleFiles(paths); files > len(ownRules) {
		others = files - len(ownRules)
	}
	if len(ownRules) == 0 && !slices.ContainsFunc(paths, func(p string) bool { return ownTree(p) != "" }) {
		return nil, 0, ErrNoRules
	}
	return ownRules, others, nil
}

// Given reports whether a rule was read from a file of the paths.
func Given(r *advice.Rule, paths []string) bool {
	return slices.ContainsFunc(paths, func(p string) bool {
		// The files of built-in rules are in the program, with names that files here may have, too.
		return (r.FromUser() || ownTree(p) != "") && isIn(r.File(), p)
	})
}

// isIn reports whether a file is a path or in it.
func isIn(file, path string) bool {
	file, err := filepath.Abs(file)
	if err != nil {
		return false
	}
	if path, err = filepath.Abs(path); err != nil {
		return false
	}
	inside, err := filepath.Rel(path, file)
	return err == nil && filepath.IsLocal(inside)
}

// ruleFiles counts the files of the paths that are rules, vendors or articles. Unreadable folders were reported before.
func ruleFiles(paths []string) int {
	files := map[string]bool{}
	for _, p := range paths {
		_ = filepath.WalkDir(p, func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && filepath.Ext(name) == ".yaml" {
				if file, err := filepath.Abs(name); err == nil {
					files[file] = true
				}
			}
			return nil
		})
	}
	return len(files)
}

// ErrNoRules is the error of paths without rules.
var ErrNoRules = errors.New("there is no rule: rule files end in .yaml")
