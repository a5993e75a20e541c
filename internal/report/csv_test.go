package report_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/report"
)

func TestCSV(t *testing.T) {
	a := audit(t, true)
	var b bytes.Buffer
	require.NoError(t, report.CSV(&b, a))
	golden.Equal(t, "testdata/audit.csv", b.Bytes())

	rows, err := csv.NewReader(&b).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 1+len(a.Result.Findings), "a row a finding, below the header")
	for i, f := range a.Result.Findings {
		row := map[string]string{}
		for j, name := range rows[0] {
			row[name] = rows[i+1][j]
		}
		require.Equal(t, string(f.Outcome), row["outcome"])
		require.Equal(t, f.Rule.ID, row["rule"])
		require.Equal(t, f.Object.ID, row["id"])
		require.NotContains(t, strings.Join(rows[i+1], ""), "\n", "a row is a line")
	}
}

// TestCSVHoldsNoFormulas checks cells with the leading characters that start a formula in spreadsheets.
func TestCSVHoldsNoFormulas(t *testing.T) {
	for name, want := range map[string]string{
		"=1+1":           "'=1+1",
		"+1":             "'+1",
		"-1":             "'-1",
		"@SUM(A1)":       "'@SUM(A1)",
		"\t=1":           `'\t=1`,
		"\r=1":           `'\r=1`,
		"\nx":            `'\nx`,
		"  =1":           "'  =1",
		`"=1`:            `'"=1`,
		"＝1":             "'＝1",
		"x;=1":           "x;'=1",
		`x; "=1`:         `x;' "=1`,
		"web-01":         "web-01",
		"a=b":            "a=b",
		"x; y":           "x; y",
		"web\x1b[31m":    `web\x1b[31m`,
		"drow\u202ehtiw": `drow\u202ehtiw`,
	} {
		t.Run(name, func(t *testing.T) {
			a := audit(t, false)
			a.Result.Findings = a.Result.Findings[:1]
			a.Result.Findings[0].Object.Name = name
			var b bytes.Buffer
			require.NoError(t, report.CSV(&b, a))
			rows, err := csv.NewReader(&b).ReadAll()
			require.NoError(t, err)
			require.Equal(t, want, rows[1][7])
		})
	}
}

func TestCSVOfNothingIsItsHeader(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, report.CSV(&b, empty()))
	require.Equal(t, "outcome,severity,rule,title,category,profile,kind,object,id,vcenter,path,evidence,fix,reason,docs,until,owner,baseline,pending\n", b.String())
}
