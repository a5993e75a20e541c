package cli

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/pkg/advice"
)

func outputsOf(t *testing.T, values ...string) *outputs {
	t.Helper()
	o := &outputs{offered: auditFormats()}
	for _, v := range values {
		require.NoError(t, o.Set(v))
	}
	return o
}

func TestOutputsAsTheyAreTyped(t *testing.T) {
	require.Equal(t, "table", outputsOf(t).String(), "the default")
	require.Equal(t, "junit=a.xml", outputsOf(t, "junit=a.xml").String(), "nothing to standard output")
	require.Equal(t, "table, junit=a.xml, md=b=c.md", outputsOf(t, "table", "junit=a.xml", "md=b=c.md").String())
	require.Equal(t, "json", outputsOf(t, "json=-").String())
}

func TestOutputsThatCannotBeMeant(t *testing.T) {
	for _, c := range []struct {
		before []string
		value  string
		want   string
	}{
		{nil, "jsn", `no format "jsn" (did you mean "json"?); there are table, json, yaml, csv, junit, sarif, md, prometheus`},
		{nil, "", `no format ""; there are`},
		{nil, "=a.json", `no format ""; there are`},
		{nil, "xunit=a.xml", `no format "xunit" (did you mean "junit"?)`},
		{nil, "junit=", "junit= names no file: write junit=FILE, or junit for standard output"},
		{[]string{"table"}, "json", "table and json would both go to standard output: write one to a file, as in -o json=FILE"},
		{[]string{"table"}, "table=-", "would both go to standard output"},
		{[]string{"json=a", "csv=b"}, "junit=./x/../a", "json and junit would both go to ./x/../a"},
	} {
		t.Run(c.value, func(t *testing.T) {
			o := outputsOf(t, c.before...)
			require.ErrorContains(t, o.Set(c.value), c.want)
			require.Len(t, o.list, len(c.before), "nothing is taken")
		})
	}
}

func TestNoFileIsMadeUnlessAllCanBe(t *testing.T) {
	dir := t.TempDir()
	o := outputsOf(t, "json="+filepath.Join(dir, "a.json"), "junit="+filepath.Join(dir, "none", "a.xml"))
	_, err := o.open(io.Discard)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "writing junit to "+filepath.Join(dir, "none", "a.xml")+": cannot create a file in "+
		filepath.Join(dir, "none")+": ")
	require.NotContains(t, err.Error(), ".vperf-", "the name of a temporary file helps nobody")
	require.Empty(t, filesIn(t, dir))

	o = outputsOf(t, "json="+dir)
	_, err = o.open(io.Discard)
	require.EqualError(t, err, "writing json to "+dir+": it is a folder")
}

func filesIn(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// One output that cannot be written must not take the others with it.
func TestEveryOutputThatCanBeWrittenIs(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good.csv")
	streams, out, _ := iostreams.Test()
	sinks, err := outputsOf(t, "table", "json="+filepath.Join(dir, "bad.json"), "csv="+good).open(streams.Out)
	require.NoError(t, err)
	require.Equal(t, "json", sinks[0].format.name)
	sinks[0].to.Writer = brokenDisk{}

	err = sinks.write(NewFactory(streams), auditIn(noFindings(), auditView{}))
	sinks.discard()
	require.ErrorContains(t, err, "writing json to ")
	require.ErrorIs(t, err, errDisk)
	require.Contains(t, out.String(), "0 fail")
	require.FileExists(t, good)
	require.Equal(t, []string{"good.csv"}, filesIn(t, dir), "nothing is left of the one that failed")
}

func noFindings() report.Audit {
	return report.Audit{Source: "test", TakenAt: time.Unix(0, 0), Result: &advice.Result{}}
}

var errDisk = errors.New("the disk is full")

type brokenDisk struct{}

func (brokenDisk) Write([]byte) (int, error) { return 0, errDisk }

// A closed pipe is not a failure, but it must not hide a real one.
func TestPipesThatLeaveAreNoFailure(t *testing.T) {
	for name, broken := range map[string]error{"alone": nil, "with a full disk": errDisk} {
		t.Run(name, func(t *testing.T) {
			sinks := sinks{
				{output: output{format: auditFormats()[1], file: "a"}, to: &iostreams.Destination{Writer: failing{io.ErrClosedPipe}}},
				{output: output{format: auditFormats()[2], file: "b"}, to: &iostreams.Destination{Writer: failing{broken}}},
			}
			streams, _, _ := iostreams.Test()
			err := sinks.write(NewFactory(streams), auditIn(noFindings(), auditView{}))
			require.Equal(t, broken != nil, err != nil)
			require.False(t, iostreams.IsBrokenPipe(err))
		})
	}
}

type failing struct{ err error }

func (f failing) Write(p []byte) (int, error) { return len(p), f.err }

func TestPassesGoOnlyWhereTheyAreWanted(t *testing.T) {
	a := noFindings()
	a.Result.Findings = []*advice.Finding{{Evaluated: new(advice.Evaluated), Outcome: advice.Pass, Rule: &advice.Rule{ID: "a-rule"}}}
	for _, c := range []struct {
		format string
		all    bool
		want   bool
	}{{"csv", false, false}, {"csv", true, true}} {
		var b bytes.Buffer
		sinks, err := outputsOf(t, c.format).open(&b)
		require.NoError(t, err)
		streams, _, _ := iostreams.Test()
		require.NoError(t, sinks.write(NewFactory(streams), auditIn(a, auditView{all: c.all})))
		require.Equal(t, c.want, bytes.Contains(b.Bytes(), []byte("a-rule")), "%v", c)
	}
}
