package mcp_test

import (
	"context"
	"encoding/json"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/mcp"
)

// FuzzArguments throws arguments at every tool: no panic, no hang, no answer above the limit, and the server answers the next call.
func FuzzArguments(f *testing.F) {
	for _, c := range everyCall {
		arguments, err := json.Marshal(c.arguments)
		require.NoError(f, err)
		f.Add(arguments)
	}
	for _, seed := range []string{
		``, `null`, `[]`, `"x"`, `0`, `{"limit":1e99}`, `{"limit":9223372036854775807}`, `{"offset":9223372036854775807}`, `{"offset":-9223372036854775808}`,
		`{"rank":-1}`, `{"rule":"[a-"}`, `{"host":"\u0000\u001b[2J"}`, `{"object":"*"}`, `{"hosts":[null]}`, `{"hosts":["\\"]}`, `{"panel":""}`, `{"panel":"\ud800"}`,
		`{"from":"monday.json","object":"[","offset":3}`, `{"finding":"000000000000"}`, `{"rule":"numa-io","minEffect":"NaN%"}`, `{"run":"","limit":25}`, `{"a":{"a":{"a":[[[[]]]]}}}`,
	} {
		f.Add([]byte(seed))
	}
	var session *sdk.ClientSession
	var w *wire
	tools := []string{"audit", "advise", "explain", "top", "diff", "history", "doctor", "trial_plan"}
	f.Fuzz(func(t *testing.T, arguments []byte) {
		if session == nil {
			var err error
			session, w, _, err = start(context.WithoutCancel(t.Context()), mcp.Options{Reading: demoReading(t)}) // for all inputs
			require.NoError(t, err)
		}
		var sent any = string(arguments)
		if json.Valid(arguments) {
			sent = json.RawMessage(arguments)
		}
		for _, tool := range tools {
			w.take()
			r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: sent})
			require.NoError(t, err, tool)
			require.NotEmpty(t, r.Content)
			require.Less(t, w.take(), mcp.AnswerLimit, tool)
			require.NotContains(t, r.Content[0].(*sdk.TextContent).Text, "this is a fault of vperf", tool)
		}
	})
}
