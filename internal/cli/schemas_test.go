package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/cli/inforce"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/simfleet"
)

// jsonCommand is how the JSON of a command is made in a test.
type jsonCommand struct {
	schema string     // of documents without a member of that name
	runs   [][]string // arguments; none: elsewhere says which test checks the JSON
	codes  []int      // besides 0
	server bool       // its answer depends on the server
	// elsewhere is the test that checks it.
	elsewhere string
}

// jsonCommands are all commands with JSON. TestSchemasOfAllCommands fails for a command that is missing.
var jsonCommands = map[string]jsonCommand{
	"audit":               {runs: [][]string{{"--all"}}, server: true},
	"advise":              {runs: [][]string{{"--for", "2m"}}, server: true},
	"plan":                {runs: [][]string{{}}, codes: []int{exitRefused}, server: true},
	"doctor":              {runs: [][]string{{}}, codes: []int{exitIncomplete}, server: true},
	"rules list":          {runs: [][]string{{}}},
	"rules lint":          {runs: [][]string{{"../../rules/cpu"}}},
	"rules tables list":   {runs: [][]string{{}}},
	"context list":        {schema: "contexts", runs: [][]string{{}}},
	"context show":        {schema: "context", runs: [][]string{{}, {"lab"}}},
	"config show":         {schema: "config", runs: [][]string{{}}},
	"version":             {schema: "version", runs: [][]string{{}}},
	"exporter plan":       {schema: "shards", runs: [][]string{{}}, server: true},
	"apply":               {runs: [][]string{{"host01", "--rule", "numa-io", "--yes"}}},
	"history list":        {runs: [][]string{{}}},
	"history show":        {runs: [][]string{{}}},
	"history verify":      {runs: [][]string{{}}},
	"rollback":            {runs: [][]string{{"--last", "--yes"}}},
	"trial list":          {runs: [][]string{{}}},
	"trial plan":          {runs: [][]string{{"host01", "--rule", "numa-io"}, {"host01", "--rule", "rss"}}},
	"diff":                {runs: [][]string{{"--list"}}},
	"trial run":           {elsewhere: "TestProveTrialKeeps"},
	"trial show":          {elsewhere: "TestProveTrialKeeps: it writes what trial run writes"},
	"trial resume":        {elsewhere: "TestJSON of internal/report/trialreport"},
	"history effect":      {elsewhere: "TestJSON of internal/report/trialreport"},
	"rules tables import": {elsewhere: "the end of TestSchemasOfAllCommands"},
}

// jsonOrder is the order of commands that change something; all others come before them.
var jsonOrder = []string{"apply", "history list", "history show", "history verify", "rollback"}

// TestSchemasOfAllCommands: what commands write as JSON has their schemas, on the demo fleet.
func TestSchemasOfAllCommands(t *testing.T) {
	proof.NotRaced(t)
	serveDemo(t)
	var names []string
	for _, c := range inforce.Settable(newRoot(NewFactory(&iostreams.IO{}))) {
		name := inforce.CommandName(c)
		if c.Flags().Lookup("output") == nil || !slices.Contains(formatsOf(t, c), "json") {
			continue
		}
		how, known := jsonCommands[name]
		require.True(t, known, "%s writes JSON: add it to jsonCommands, and its schema to docs/schema", name)
		require.NotEqual(t, how.runs == nil, how.elsewhere == "", name)
		names = append(names, name)
	}
	require.Len(t, names, len(jsonCommands), "%v", names)
	slices.SortStableFunc(names, func(a, b string) int { return slices.Index(jsonOrder, a) - slices.Index(jsonOrder, b) })
	for _, name := range names {
		writesSchema(t, name)
	}
	file := filepath.Join(t.TempDir(), "probe.json")
	code, _, stderr := vperf(t, "probe", "--out", file)
	require.Zero(t, code, stderr)
	code, stdout, stderr := vperf(t, "rules", "tables", "import", "--out", t.TempDir(), file, "-o", "json")
	require.Zero(t, code, stderr)
	validJSON(t, "", []byte(stdout))
}

// TestProveSchemasOfScenarios: the same where much is unread or wrong.
func TestProveSchemasOfScenarios(t *testing.T) {
	proof.NotRaced(t)
	for _, scenario := range proof.Sample(t, 2, simfleet.Scenarios()) {
		t.Run(scenario.Name, func(t *testing.T) {
			serveFleet(t, simfleet.Config{Scenarios: []string{scenario.Name}, SlowBy: 100 * time.Millisecond})
			writeSchemasOfServers(t)
		})
	}
}

// TestSchemasOfTheRecordedVCenter: the same of a real vCenter.
func TestSchemasOfTheRecordedVCenter(t *testing.T) {
	proof.NotRaced(t)
	serve(t, recordedVCenter(t))
	writeSchemasOfServers(t)
}

func writeSchemasOfServers(t *testing.T) {
	t.Helper()
	for name, how := range jsonCommands {
		if how.server {
			writesSchema(t, name)
		}
	}
}

// withContext gives the user a context.
func withContext(t *testing.T) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(file, []byte("contexts:\n  - {name: lab, url: https://lab.example, username: audit}\n"), 0o600))
	t.Setenv("VPERF_CONFIG", file)
}

// writesSchema runs a command, and validates what it writes.
func writesSchema(t *testing.T, name string) {
	t.Helper()
	how := jsonCommands[name]
	for _, args := range how.runs {
		command := append(append(strings.Fields(name), args...), "-o", "json")
		t.Run(strings.Join(command, " "), func(t *testing.T) {
			if strings.HasPrefix(name, "context ") {
				withContext(t)
			}
			code, stdout, stderr := vperf(t, command...)
			require.Contains(t, append(how.codes, exitClean), code, stderr)
			validJSON(t, how.schema, []byte(stdout))
		})
	}
}

// validJSON validates a document by the schema that it names, or by the one of a name.
func validJSON(t *testing.T, name string, text []byte) {
	t.Helper()
	var document any
	require.NoError(t, json.Unmarshal(text, &document), "%s", text)
	if members, ok := document.(map[string]any); ok && name == "" {
		named, _ := members["schema"].(string)
		name = strings.ReplaceAll(named, "/", "-")
		require.Regexp(t, `^vperf\..*-v\d$`, name, "the document names no schema: %.200s", text)
	} else {
		name = "vperf." + name + "-v1"
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	schema, err := c.Compile("../../docs/schema/" + name + ".schema.json")
	require.NoError(t, err)
	require.NoError(t, schema.Validate(document))
}
