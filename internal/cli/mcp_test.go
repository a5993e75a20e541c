package cli

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/mcp"
	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/simfleet"
)

// assistant is the protocol's own client, connected to a vperf mcp of its own as assistants start it.
type assistant struct {
	*sdk.ClientSession

	log *bytes.Buffer // standard error
}

func newAssistant(t *testing.T, v *program, args ...string) *assistant {
	t.Helper()
	cmd := v.command(append([]string{"mcp"}, args...)...)
	a := &assistant{log: new(bytes.Buffer)}
	cmd.Stderr = a.log
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	require.NoError(t, err, a.log)
	a.ClientSession = session
	return a
}

// end ends the session, and with it vperf, which has to exit with 0.
func (a *assistant) end(t *testing.T) {
	t.Helper()
	require.NoError(t, a.Close(), a.log)
}

func (a *assistant) text(t *testing.T, tool string, arguments map[string]any) string {
	t.Helper()
	r, err := a.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	require.NoError(t, err, tool)
	text := r.Content[0].(*sdk.TextContent).Text
	require.False(t, r.IsError, "%s %v: %s", tool, arguments, text)
	require.Less(t, len(text), mcp.AnswerLimit)
	return text
}

func (a *assistant) fields(t *testing.T, tool string, arguments map[string]any) (d map[string]any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(a.text(t, tool, arguments)), &d))
	return d
}

// driveEveryTool calls every tool, as assistants do: with the ids of earlier answers.
func (a *assistant) driveEveryTool(t *testing.T) {
	t.Helper()
	found := a.fields(t, "audit", nil)
	require.Len(t, found["findings"], 10)
	worst := found["findings"].([]any)[0].(map[string]any)
	require.Equal(t, worst["rule"], a.fields(t, "audit", map[string]any{"finding": worst["id"]})["rule"])
	require.Contains(t, a.text(t, "explain", map[string]any{"rule": worst["rule"]}), worst["title"])
	advised := a.fields(t, "advise", nil)
	require.NotEmpty(t, advised["sections"])
	require.EqualValues(t, 1, a.fields(t, "advise", map[string]any{"rank": 1})["rank"])
	top := a.fields(t, "top", map[string]any{"hosts": []string{"host01"}})
	require.NotEmpty(t, top["rows"])
	require.Equal(t, "host01.demo.local", top["hosts"].([]any)[0].(map[string]any)["name"])
	require.Contains(t, a.fields(t, "diff", nil), "snapshots")
	require.Contains(t, a.fields(t, "history", nil), "runs")
	require.Contains(t, []any{"ok", "warning"}, a.fields(t, "doctor", nil)["status"])
	plan := a.text(t, "trial_plan", map[string]any{"rule": "power-policy", "hosts": []string{"host01"}})
	require.Contains(t, plan, "# Plan of a trial of power-policy")
	require.Contains(t, plan, "switchback")
}

// ownProgram is vperf under its own name, by which it finds itself when it starts the demo fleet.
func ownProgram(t *testing.T) *program {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	v := &program{
		state: dir, path: filepath.Join(dir, "bin", "vperf"),
		env: append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_CACHE_HOME="+dir, "GORACE=atexit_sleep_ms=0"),
	}
	require.NoError(t, os.Mkdir(filepath.Dir(v.path), 0o700))
	require.NoError(t, os.Link(self, v.path))
	return v
}

// TestMCPOnTheDemo: TestMCPOnlyReads calls the same tools under the race detector.
func TestMCPOnTheDemo(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	v := ownProgram(t)
	a := newAssistant(t, v, "--demo")
	a.driveEveryTool(t)
	list, err := a.ListResources(t.Context(), nil)
	require.NoError(t, err)
	for _, r := range list.Resources {
		_, err := a.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: r.URI})
		require.NoError(t, err, r.URI)
	}
	rule, err := a.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "vperf://rule/numa-io"})
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(rule.Contents[0].Text, "# numa-io\n"))
	require.Contains(t, rule.Contents[0].Text, "**Sources:**")
	_, err = a.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "vperf://rule/numa-oi"})
	require.ErrorContains(t, err, "numa-io")
	a.end(t)
}

// TestMCPWithAServerThatHangs: it accepts connections and never answers. Each call ends within its limit and says so, and so does vperf
// when the assistant closes its input.
func TestMCPWithAServerThatHangs(t *testing.T) {
	t.Parallel()
	hung, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = hung.Close() })
	v := newProgram(t, simfleet.Endpoint{URL: &url.URL{Scheme: "https", Host: hung.Addr().String(), Path: "/sdk"}, User: "u", Password: "p", Thumbprint: "00"})
	a := newAssistant(t, v, "--timeout", "200ms")
	for tool, arguments := range map[string]map[string]any{
		"audit": nil, "advise": nil, "top": nil, "diff": nil, "trial_plan": {"rule": "power-policy"},
	} {
		r, err := a.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
		require.NoError(t, err, tool)
		require.True(t, r.IsError, tool)
		require.Contains(t, r.Content[0].(*sdk.TextContent).Text, "the call took longer than 200ms: ask again, or start vperf mcp with a longer --timeout", tool)
	}
	a.end(t)
}

// readingCalls are the calls that the tools of an assistant make. None of them changes an object of the inventory: those that make or end
// something concern the session alone, such as views, collectors of events and the session itself. ExecuteSimpleCommand asks a host's
// Esxtop service for counters.
var readingCalls = []string{
	"Login", "Logout", "RetrieveServiceContent", "CurrentTime", "FindExtension", "QueryServiceList",
	"CreateContainerView", "DestroyView", "RetrievePropertiesEx", "ContinueRetrievePropertiesEx",
	"QueryOptions", "QueryConfiguredModuleOptionString", "QueryPerf", "QueryPerfProviderSummary", "ExecuteSimpleCommand",
	"CreateCollectorForEvents", "RewindCollector", "ReadNextEvents", "DestroyCollector",
	"FetchUserPrivilegeOnEntities", "HasPrivilegeOnEntities", "RetrieveManagedMethodExecuter", "RetrieveDynamicTypeManager",
	"esxcli vim.CLIInfo.FetchCLIInfo", "esxcli network nic get", "esxcli network nic coalesce get", "esxcli network nic ring current get",
	"esxcli network nic ring preset get", "esxcli storage core device list", "esxcli storage nmp device list", "esxcli system settings kernel list", "esxcli storage san fc list", "esxcli storage san sas list",
}

// callRecorder records the calls to a fleet.
type callRecorder struct {
	mu    sync.Mutex
	calls map[string]int
}

func (r *callRecorder) before(method string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls[method]++
	return false
}

// take returns the methods so far, and begins anew.
func (r *callRecorder) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	methods := slices.Sorted(maps.Keys(r.calls))
	r.calls = map[string]int{}
	return methods
}

// TestMCPOnlyReads: on a server, after a change and with a kept snapshot, no tool makes a call that writes, or changes a file.
func TestMCPOnlyReads(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	recorder := &callRecorder{calls: map[string]int{}}
	fleet, err := simfleet.Start(simfleet.Config{Before: recorder.before, Zone: simfleet.MidMorning(time.Now())})
	require.NoError(t, err)
	t.Cleanup(fleet.Close)
	v := newProgram(t, fleet.Endpoints()[0])
	v.must(t, 0, "audit", "--keep", "-o", "json="+filepath.Join(v.state, "audit.json"))
	v.must(t, 0, "apply", "host01", "--rule", "numa-io", "--yes")
	require.Contains(t, recorder.take(), "UpdateOptions", "the recorder sees writes")
	before := contentsBelow(t, v.state)

	a := newAssistant(t, v, "--snapshot", filepath.Join(v.state, "audit.json"))
	require.Empty(t, recorder.take(), "nobody logs in before a tool needs it")
	a.driveEveryTool(t)
	a.driveTheRest(t)
	a.end(t)
	calls := recorder.take()
	for _, method := range calls {
		require.Contains(t, readingCalls, method, "a tool made a call that is not known to read")
	}
	require.Contains(t, calls, "QueryPerf")
	require.Equal(t, before, contentsBelow(t, v.state), "no tool changes a file")
}

// driveTheRest calls what the first drive did not: comparisons, runs, other panels and trials, hosts that do not exist.
func (a *assistant) driveTheRest(t *testing.T) {
	t.Helper()
	all := a.fields(t, "diff", nil)["snapshots"].([]any)
	require.Len(t, all, 2, "the file, and the kept one")
	file, kept := all[0].(map[string]any)["id"], all[1].(map[string]any)["id"]
	require.Equal(t, "audit.json", file)
	since := a.fields(t, "diff", map[string]any{"from": kept})
	changes := since["changes"].([]any)
	require.Len(t, changes, 1)
	require.NotEmpty(t, changes[0].(map[string]any)["run"], "the run of vperf that made it")
	a.fields(t, "diff", map[string]any{"from": file, "to": kept})
	a.fields(t, "diff", map[string]any{"from": file})
	runs := a.fields(t, "history", nil)["runs"].([]any)
	require.Len(t, runs, 1)
	run := a.fields(t, "history", map[string]any{"run": runs[0].(map[string]any)["id"]})
	require.Contains(t, run["run"].(map[string]any)["results"].([]any)[0].(map[string]any)["setting"], "Numa")
	a.fields(t, "top", map[string]any{"panel": "u"})
	a.text(t, "trial_plan", map[string]any{"rule": "rss", "hosts": []string{"host01"}})
	for tool, arguments := range map[string]map[string]any{
		"trial_plan": {"rule": "numa-io", "hosts": []string{"host01"}}, // it is fixed: there is nothing to switch
		"top":        {"hosts": []string{"nowhere"}},
		"diff":       {"from": "/etc/passwd"},
	} {
		r, err := a.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
		require.NoError(t, err)
		require.True(t, r.IsError, "%s: %s", tool, r.Content[0].(*sdk.TextContent).Text)
	}
}

// contentsBelow returns the files below a folder with their contents, without those of sessions and locks.
func contentsBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, "sessions") {
			return err
		}
		text, err := os.ReadFile(filepath.Clean(path))
		all[path] = string(text)
		return err
	}))
	require.NotEmpty(t, all)
	return all
}

// TestMCPOfAFile: a snapshot has no counters and no connection, and the tools for these are not offered.
func TestMCPOfAFile(t *testing.T) {
	t.Parallel()
	v := ownProgram(t)
	file := filepath.Join(v.state, "fleet.json")
	v.must(t, 0, "snapshot", "--demo", "--out", file)
	a := newAssistant(t, v, "--from", file, "--snapshot", file)
	list, err := a.ListTools(t.Context(), nil)
	require.NoError(t, err)
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	require.Equal(t, []string{"advise", "audit", "diff", "explain", "history"}, names)
	require.NotZero(t, a.fields(t, "audit", nil)["matching"])
	require.NotEmpty(t, a.fields(t, "advise", nil)["sections"])
	d := a.fields(t, "diff", map[string]any{"from": "fleet.json"})
	require.Empty(t, d["changes"])
	require.Equal(t, "snapshot", d["new"].(map[string]any)["kind"])
	a.end(t)
}

// TestMCPReportsMistakesAtTheStart: an assistant shows the last lines of a server that does not start.
func TestMCPReportsMistakesAtTheStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	v := &program{state: dir, env: []string{"HOME=" + dir, "XDG_CONFIG_HOME=" + dir, "GORACE=atexit_sleep_ms=0"}}
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "no server"},
		{[]string{"host01"}, "takes no arguments"},
		{[]string{"--from", "-"}, "standard input carries the protocol"},
		{[]string{"--demo", "--password-file", "-"}, "standard input carries the protocol"},
		{[]string{"--demo", "--snapshot", "-"}, "standard input carries the protocol"},
		{[]string{"--demo", "--snapshot", "a/x.json", "--snapshot", "b/x.json"}, "the same name"},
		{[]string{"--demo", "--snapshot", "nothing.json"}, "nothing.json"},
		{[]string{"--from", "nothing.json"}, "nothing.json"},
		{[]string{"--demo", "--timeout", "0s"}, "not above 0"},
		{[]string{"--demo", "--rules", "nothing.yaml"}, "nothing.yaml"},
		{[]string{"--demo", "--profile", "fast"}, "fast"},
	} {
		text := v.must(t, 2, append([]string{"mcp"}, c.args...)...)
		require.Contains(t, text, c.want, "%v", c.args)
	}
}
