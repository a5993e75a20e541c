package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/vperf/vperf/internal/iostreams"
)

// The methods of the protocol that do work.
const (
	methodCall = "tools/call"
	methodRead = "resources/read"
)

// guard wraps every request: a panic becomes an error of this one call, a call has a place and a limit, and errors are cleaned.
func (s *server) guard(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, request sdk.Request) (result sdk.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				fmt.Fprintf(s.Log, "vperf: %s: panic: %s\n%s", method, iostreams.Sanitize(fmt.Sprint(p)), debug.Stack())
				result, err = failure(method, errInternal)
			}
		}()
		if method != methodCall && method != methodRead {
			return next(ctx, method, request)
		}
		if call, ok := request.GetParams().(*sdk.CallToolParamsRaw); ok && len(call.Arguments) > longestArguments {
			return failure(method, fmt.Errorf("the arguments have %d bytes: use at most %d", len(call.Arguments), longestArguments))
		}
		limited, cancel := context.WithTimeout(ctx, s.CallLimit)
		defer cancel()
		select {
		case s.calls <- struct{}{}:
			defer func() { <-s.calls }()
		case <-limited.Done():
			return failure(method, s.ended(limited, limited.Err()))
		}
		result, err = next(limited, method, request)
		return cleaned(s.timed(limited, result, err))
	}
}

var errInternal = errors.New("vperf failed: this is a fault of vperf; the log of the MCP server has the details")

// timed says of a call of a tool that failed after its limit that this is the cause.
func (s *server) timed(ctx context.Context, result sdk.Result, err error) (sdk.Result, error) {
	if err != nil || ctx.Err() == nil {
		return result, err
	}
	if call, ok := result.(*sdk.CallToolResult); ok && call.IsError {
		return failure(methodCall, s.ended(ctx, cmp.Or(call.GetError(), ctx.Err())))
	}
	return result, nil
}

// ended adds to the failure of a call that its time is over, and what can be done about it.
func (s *server) ended(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("the call took longer than %s: ask again, or start vperf mcp with a longer --timeout: %w", iostreams.Brief(s.CallLimit), err)
	}
	return err
}

// failure is an error of a tool, which the assistant reads, or of another request.
func failure(method string, err error) (sdk.Result, error) {
	if method != methodCall {
		return nil, err
	}
	var r sdk.CallToolResult
	r.SetError(errors.New(cleanError(err.Error())))
	return &r, nil
}

// cleaned cleans the text of an error: it may quote names, arguments and what a server said.
func cleaned(result sdk.Result, err error) (sdk.Result, error) {
	if err != nil {
		return nil, err // of the protocol, such as an unknown tool
	}
	if call, ok := result.(*sdk.CallToolResult); ok && call.IsError {
		for _, c := range call.Content {
			if t, ok := c.(*sdk.TextContent); ok {
				t.Text = cleanError(t.Text)
			}
		}
	}
	return result, nil
}
