package mcp_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/mcp"
)

const (
	hello    = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	lastPing = `{"jsonrpc":"2.0","id":"last","method":"ping"}`
)

type nothingToClose struct{ io.Writer }

func (nothingToClose) Close() error { return nil }

// answersTo serves lines, and returns the answers. A ping is the last line: the server must answer it, and with what is wanted.
func answersTo(t *testing.T, lines, want string) []byte {
	t.Helper()
	in, feed := io.Pipe()
	back, out := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- mcp.Serve(t.Context(), in, nothingToClose{out}, mcp.Options{Reading: mcp.Reading{Guide: func(string) (string, error) { return "a section", nil }}})
		_ = out.Close()
	}()
	go func() { _, _ = io.WriteString(feed, hello+"\n"+lines+"\n"+lastPing+"\n") }()
	var all bytes.Buffer
	answers := json.NewDecoder(io.TeeReader(back, &all))
	deadline := time.AfterFunc(time.Minute, func() { _ = back.CloseWithError(io.ErrNoProgress) })
	defer deadline.Stop()
	for last := false; ; {
		var one json.RawMessage
		require.NoError(t, answers.Decode(&one), "the server ended, or does not answer: %s", &all)
		if last = last || bytes.Contains(one, []byte(`"id":"last"`)); last && bytes.Contains(all.Bytes(), []byte(want)) {
			break // answers come in any order
		}
	}
	go func() { _, _ = io.Copy(io.Discard, back) }()
	require.NoError(t, feed.Close())
	require.NoError(t, <-served)
	return all.Bytes()
}

func TestNoLineEndsTheServer(t *testing.T) {
	read := func(uri string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"` + uri + `"}}`
	}
	for name, c := range map[string]struct{ line, want string }{
		"text":                   {"hello", `"id":null,"error":{"code":-32700,`},
		"half a message":         {`{"jsonrpc":"2.0","id":1,`, `"code":-32700`},
		"two messages":           {lastPing + lastPing, `"code":-32700`},
		"a byte that is no text": {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\xff\"}", `"code":-326`},
		"too deep":               {strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), `"code":-32700`},
		"too long":               {`"` + strings.Repeat("x", 2<<20) + `"`, `a line has more than 1048576 bytes`},
		"no message":             {`null`, `"id":null,"error":{"code":-32600,`},
		"a number":               {`7`, `"code":-32600`},
		"another version":        {`{"jsonrpc":"1.0","id":1,"method":"ping"}`, `"code":-32600`},
		"an id of another kind":  {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, `"code":-32600`},
		"an empty batch":         {`[]`, `"code":-32600`},
		"a batch of nothing":     {`[null]`, `"code":-32600`},
		"a doubled batch":        {`[` + lastPing + `,` + lastPing + `]`, `"code":-32600`},
		"a control character":    {read(`vperf://other/\u0007`), `"id":1,"error":{"code":-32602,`},
		"every character":        {read(`vperf://other/\u0000\u001b\u007f\u0085\u200b\u2028\ud800\udfff\ufeff"[`), `"code":-32`},
		"a large character":      {read(`vperf://other/` + "\U000e0049"), `"code":-32602`},
		"an unknown method":      {`{"jsonrpc":"2.0","id":1,"method":"\u0007"}`, `"code":-32`},
		"an unknown tool":        {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\u0007"}}`, `"code":-32602`},
		"a blank line":           {" \r", `"id":"last"`},
		"an answer to nothing":   {`{"jsonrpc":"2.0","id":5,"result":{}}`, `"id":"last"`},
		"a mark":                 {"\ufeff" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, string(answersTo(t, c.line, c.want)), c.want)
		})
	}
}

// FuzzLines checks that no input ends the server, and that every answer is JSON.
func FuzzLines(f *testing.F) {
	f.Add([]byte("hello\n[]\nnull"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"vperf://rule/\u0007"}}`))
	f.Add([]byte(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}]`))
	f.Fuzz(func(t *testing.T, lines []byte) {
		if bytes.Contains(lines, []byte("last")) {
			t.Skip("it has the id of the last message")
		}
		answersTo(t, string(lines), "")
	})
}
