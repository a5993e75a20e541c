package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/pkg/tuning"
)

// connectToWrite is connect for commands that write. It refuses to guess which of two servers is meant, and prints the server
// before any request changes it.
func (o *sourceOptions) connectToWrite(ctx context.Context, f *Factory) (*changeable, error) {
	o.writes = true
	c, err := o.connect(ctx, f)
	if err == nil {
		fmt.Fprintf(f.IO.Err, "server: %s\n", iostreams.Sanitize(describe(c.server)))
	}
	return c, err
}

// describe returns a server's name, address and product, and "sandbox" for a simulator.
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

// on names the server in a question about changes.
func on(s tuning.Server) string {
	text := " on " + iostreams.Sanitize(s.Name)
	if s.Sandbox {
		text += " (sandbox)"
	}
	return text
}

// announceReading prints the servers that are read. It writes to stderr, so that stdout holds the answer alone in every format.
func announceReading(streams *iostreams.IO, all []*member) {
	names := make([]string, len(all))
	for i, m := range all {
		names[i] = fmt.Sprintf("%s (%s)", m.endpoint.URL.Host, m.settings.Origin())
	}
	fmt.Fprintf(streams.Err, "reading %s\n", iostreams.Sanitize(strings.Join(names, ", ")))
}

// warn prints the notes about values that are set and not used.
func (m *member) warn(streams *iostreams.IO) {
	for _, n := range m.settings.Notes {
		fmt.Fprintf(streams.Err, "vperf: warning: %s\n", iostreams.Sanitize(n))
	}
}
