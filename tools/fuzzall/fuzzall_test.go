package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every function of the repository that looks like a fuzz target is run, once, by exactly one part of the nightly run.
func TestEveryTargetIsRun(t *testing.T) {
	root := filepath.Join("..", "..")
	looks := regexp.MustCompile(`(?m)^func (Fuzz\w+)`)
	var want []string
	require.NoError(t, filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range looks.FindAllStringSubmatch(string(text), -1) {
			want = append(want, strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../../")+" "+m[1])
		}
		return err
	}))
	require.Greater(t, len(want), 30)

	var ran []string
	for _, part := range []string{"1/4", "2/4", "3/4", "4/4"} {
		ok, err := fuzzAll(new(bytes.Buffer), root, part, false, func(f target) result { ran = append(ran, f.String()); return result{inputs: 1} })
		require.NoError(t, err)
		require.True(t, ok)
	}
	require.ElementsMatch(t, want, ran)
	nightly, err := os.ReadFile(filepath.Join(root, ".github", "workflows", "nightly.yml"))
	require.NoError(t, err)
	require.Contains(t, string(nightly), "part: [1, 2, 3, 4]")
	require.Contains(t, string(nightly), "FUZZPART=${{ matrix.part }}/4")
}

// What go test finds in a package is what fuzzall finds in it.
func TestTargetsAreThoseOfGo(t *testing.T) {
	listed, err := exec.CommandContext(t.Context(), "go", "test", "-list", "^Fuzz", "../../internal/exposition").Output()
	require.NoError(t, err)
	found, err := find(filepath.Join("..", "..", "internal", "exposition"))
	require.NoError(t, err)
	require.NotEmpty(t, found)
	for _, f := range found {
		require.Contains(t, strings.Fields(string(listed)), f.name)
	}
}

func TestParts(t *testing.T) {
	all := []target{{"a", "FuzzA"}, {"a", "FuzzB"}, {"b", "FuzzC"}}
	var joined []target
	for _, part := range []string{"1/2", "2/2"} {
		some, err := choose(all, part)
		require.NoError(t, err)
		joined = append(joined, some...)
	}
	slices.SortFunc(joined, func(a, b target) int { return strings.Compare(a.name, b.name) })
	require.Equal(t, all, joined)
	for _, wrong := range []string{"", "1", "0/2", "3/2", "a/b", "1/0", "-1/-1"} {
		_, err := choose(all, wrong)
		require.ErrorContains(t, err, "want K/N", wrong)
	}
}

const (
	passed   = "fuzz: elapsed: 3s, execs: 300 (100/sec), new interesting: 1 (total: 4)\nfuzz: elapsed: 6s, execs: 987 (229/sec), new interesting: 2 (total: 5)\nPASS\n"
	deadline = "fuzz: elapsed: 6s, execs: 987 (0/sec), new interesting: 2 (total: 5)\n--- FAIL: FuzzA (6.03s)\n    context deadline exceeded\nFAIL\nexit status 1\n"
	crashed  = "fuzz: elapsed: 6s, execs: 987 (0/sec), new interesting: 2 (total: 5)\n--- FAIL: FuzzA (6.03s)\n    --- FAIL: FuzzA (0.00s)\n        a_test.go:1: context deadline exceeded\n    \n    Failing input written to testdata/fuzz/FuzzA/1\nFAIL\n"
	hung     = "fuzz: elapsed: 6s, execs: 987 (0/sec), new interesting: 2 (total: 5)\n--- FAIL: FuzzA (6.03s)\n    fuzzing process hung or terminated unexpectedly: exit status 2\nFAIL\n"
	unbuilt  = "# vperf\n./a_test.go:1: undefined: x\nFAIL\n"
)

// The fuzzer's own deadline is no failure. Everything else is.
func TestJudge(t *testing.T) {
	require.Equal(t, result{inputs: 987, fresh: 2, kept: 5, output: passed}, judge(passed, false))
	require.Equal(t, result{inputs: 987, fresh: 2, kept: 5, ended: true, output: deadline}, judge(deadline, true))
	for _, output := range []string{crashed, hung, unbuilt, ""} {
		require.True(t, judge(output, true).failed, output)
	}
	require.Equal(t, "ok, but nothing was tried", judge("ok\n", false).verdict())
}

func TestFailuresAreCountedAndShown(t *testing.T) {
	var out bytes.Buffer
	ok, err := fuzzAll(&out, filepath.Join("..", "..", "internal", "rvtools"), "1/1", false, func(f target) result {
		return judge(map[bool]string{true: crashed, false: passed}[f.name == "FuzzCSV"], f.name == "FuzzCSV")
	})
	require.NoError(t, err)
	require.False(t, ok)
	require.Contains(t, out.String(), "FAILED\n")
	require.Contains(t, out.String(), "Failing input written")
	require.Contains(t, out.String(), "5 targets")
	require.Contains(t, out.String(), "4935 inputs,    10 of them new; 1 failed")
}
