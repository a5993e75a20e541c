package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/pkg/tuning"
)

// connectToWrite is connect for commands that write. They refuse to guess which of two servers is meant, and say which one
// it is before anything else happens there.
func (o *sourceOptions) connectToWrite(ctx context.Context, f *Factory) (*changeable, error) {
	o.writes = true
	c, err := o.connect(ctx, f)
	if err == nil {
		fmt.Fprintf(f.IO.Err, "server: %s\n", iostreams.Sanitize(describe(c.server)))
	}
	return c, err
}

// describe is a server with its address and product, and whether it is a sandbox.
func describe(s tuning.Server) string {
	text := s.Name
	if s.Address != "" && s.Address != s.Name {
		text += " (" + s.Address + ")"
	}
	if s.Product != "" {
		text += ", " + s.Product
	}
	if s.Sandbox {
		text += ", sandbox"
	}
	return text
}

// on ends a question about changes with the server they go to.
func on(s tuning.Server) string {
	text := " on " + iostreams.Sanitize(s.Name)
	if s.Sandbox {
		text += " (sandbox)"
	}
	return text
}

// announceReading names the servers that are read. It goes to stderr: stdout holds the answer alone, in every format.
func announceReading(streams *iostreams.IO, all []*member) {
	names := make([]string, len(all))
	for i, m := range all {
		names[i] = fmt.Sprintf("%s (%s)", m.endpoint.URL.Host, m.settings.Origin())
	}
	fmt.Fprintf(streams.Err, "reading %s\n", iostreams.Sanitize(strings.Join(names, ", ")))
}

// warn prints which values of a server's settings do not count.
func (m *member) warn(streams *iostreams.IO) {
	for _, n := range m.settings.Notes {
		fmt.Fprintf(streams.Err, "vperf: warning: %s\n", iostreams.Sanitize(n))
	}
}
