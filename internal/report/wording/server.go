package wording

import (
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/pkg/tuning"
)

// Server returns a server's name, address and product, and "sandbox" for a simulator.
func Server(s tuning.Server) string {
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

// Marked returns the name of a server, with a mark if it is simulated.
func Marked(name string, simulated bool) string {
	if simulated {
		return name + " (simulated)"
	}
	return name
}

// On names the server in a question about changes.
func On(s tuning.Server) string {
	text := " on " + iostreams.Sanitize(s.Name)
	if s.Sandbox {
		text += " (sandbox)"
	}
	return text
}
