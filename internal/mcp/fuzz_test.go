package mcp_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/mcp"
)

// FuzzArguments throws arguments at the tools: no panic, no hang, no answer above the limit, and the server answers the next call. The first
// value chooses the tool, so that what is new is new for this tool.
func FuzzArguments(f *testing.F) {
	tools := []string{"audit", "advise", "explain", "top", "diff", "history", "doctor", "trial_plan"}
	for _, c := range everyCall {
		arguments, err := json.Marshal(c.arguments)
		require.NoError(f, err)
		f.Add(uint8(max(0, slices.Index(tools, c.tool))), arguments)
	}
	for _, seed := range []string{
		``, `null`, `[]`, `"x"`, `0`, `{"limit":1e99}`, `{"limit":9223372036854775807}`, `{"offset":9223372036854775807}`, `{"offset":-9223372036854775808}`,
		`{"rank":-1}`, `{"rule":"[a-"}`, `{"host":"\u0000\u001b[2J"}`, `{"object":"*"}`, `{"hosts":[null]}`, `{"hosts":["\\"]}`, `{"panel":""}`, `{"panel":"\ud800"}`,
		`{"from":"monday.json","object":"[","offset":3}`, `{"finding":"000000000000"}`, `{"rule":"numa-io","minEffect":"NaN%"}`, `{"run":"","limit":25}`, `{"a":{"a":{"a":[[[[]]]]}}}`,
	} {
		for tool := range tools {
			f.Add(uint8(tool), []byte(seed))
		}
	}
	session, w, _, err := start(context.WithoutCancel(f.Context()), mcp.Options{Reading: demoReading(f)}) // for all inputs
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, choice uint8, arguments []byte) {
		tool := tools[int(choice)%len(tools)]
		var sent any = string(arguments)
		if json.Valid(arguments) {
			sent = json.RawMessage(arguments)
		}
		w.take()
		r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: sent})
		require.NoError(t, err, tool)
		require.NotEmpty(t, r.Content)
		require.Less(t, w.take(), mcp.AnswerLimit, tool)
		require.NotContains(t, r.Content[0].(*sdk.TextContent).Text, "this is a fault of vperf", tool)
	})
}
