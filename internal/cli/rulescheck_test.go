package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/rules"
)

// lintOutput runs vperf rules lint and returns what it prints.
func lintOutput(t *testing.T, paths ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := runRulesLint(NewFactory(&iostreams.IO{Out: &out, Err: &out}), &lintOptions{Paths: paths, Strict: true, Output: "text"})
	return out.String(), err
}

func TestLintChecksOurOwnTree(t *testing.T) {
	proof.NotRaced(t)
	tree := filepath.Join("..", "..", "rules")
	count := func(pattern string) int {
		files, err := fs.Glob(rules.FS, pattern)
		require.NoError(t, err)
		return len(files)
	}
	vendors, others := count("vendors/*.yaml"), count("vendors/*.yaml")+count("sources/*.yaml")+count("outcomes/*.yaml")
	outcomes := count("outcomes/*.yaml")
	ofCPU := fmt.Sprintf("%d rules: no mistakes, 0 warnings\n", count("cpu/*.yaml"))
	for path, want := range map[string]string{
		"":                      fmt.Sprintf("%d rules and %d files of vendors and articles and %d outcomes of trials: no mistakes, 0 warnings\n", count("*/*.yaml")-others, others-outcomes, outcomes-1),
		"cpu":                   ofCPU,
		"cpu/cpu-affinity.yaml": "1 rule: no mistakes, 0 warnings\n",
		"vendors":               fmt.Sprintf("0 rules and %d files of vendors and articles: no mistakes, 0 warnings\n", vendors),
		"outcomes":              fmt.Sprintf("0 rules and %d outcomes of trials: no mistakes, 0 warnings\n", outcomes-1), // without the guards
		"sources/hpc.yaml":      "0 rules and 1 file of vendors and articles: no mistakes, 0 warnings\n",
	} {
		out, err := lintOutput(t, filepath.Join(tree, path))
		require.NoError(t, err, "%s: %s", path, out)
		require.Equal(t, want, out, path)
	}
	out, err := lintOutput(t, filepath.Join(tree, "cpu"), filepath.Join(tree, "cpu", "cpu-affinity.yaml"))
	require.NoError(t, err)
	require.Equal(t, ofCPU, out)
	_, err = lintOutput(t, filepath.Join(tree, "embed.go"))
	require.ErrorContains(t, err, "is not a rule file: rule files end in .yaml")
}

// Mistakes in a copy of vperf's own tree are found by their place in the tree: rules, vendors and articles each have their own form.
func TestLintFindsMistakesInOurOwnTree(t *testing.T) {
	proof.NotRaced(t)
	tree := filepath.Join(t.TempDir(), "rules")
	require.NoError(t, os.CopyFS(tree, os.DirFS(filepath.Join("..", "..", "rules"))))
	spoil := func(name, from, to string) {
		name = filepath.Join(tree, name)
		text := readText(t, name)
		require.Contains(t, text, from)
		require.NoError(t, os.WriteFile(name, []byte(strings.Replace(text, from, to, 1)), 0o600))
	}
	spoil("cpu/cpu-affinity.yaml", "severity: medium", "severity: loud")
	spoil("sources/hpc.yaml", "name:", "nome:")
	spoil("outcomes/cpu-per-gbit.yaml", "form: ratio", "form: raito")
	lintedOutcomes, err := lintOutput(t, filepath.Join(tree, "outcomes"))
	require.ErrorContains(t, err, "mistakes in rules")
	require.Contains(t, lintedOutcomes, filepath.Join(tree, "outcomes", "cpu-per-gbit.yaml")+":5:7: ")
	out, err := lintOutput(t, filepath.Join(tree, "cpu"))
	require.ErrorContains(t, err, "mistakes in rules")
	require.Contains(t, out, filepath.Join(tree, "cpu", "cpu-affinity.yaml")+`:5:11: no severity "loud"`)
	require.Contains(t, out, filepath.Join(tree, "sources", "hpc.yaml")+`:1:1: no field "nome"`)
	require.NotContains(t, out, "already defined")
}
