package cli

import (
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/vperf/vperf/internal/rvtools/rvtoolstest"
	"github.com/vperf/vperf/pkg/inventory"
)

// writeExport writes the RVTools export of a snapshot: rvtools SNAPSHOT FILE.xlsx|FOLDER.
func writeExport(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: rvtools SNAPSHOT FILE.xlsx|FOLDER")
	}
	in, err := os.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	defer func() { _ = in.Close() }() // it was only read
	s, err := inventory.Load(in)
	ts.Check(err)
	to, sheets := ts.MkAbs(args[1]), rvtoolstest.Of(s)
	if filepath.Ext(to) != ".xlsx" {
		ts.Check(os.MkdirAll(to, 0o700))
		ts.Check(rvtoolstest.WriteFolder(to, sheets, rvtoolstest.Form{}))
		return
	}
	out, err := os.Create(to)
	ts.Check(err)
	ts.Check(rvtoolstest.WriteWorkbook(out, sheets, rvtoolstest.Form{}))
	ts.Check(out.Close())
}
