package doctor

import "github.com/vperf/vperf/internal/iostreams"

// quoted returns a name from a server as one word of a shell, safe for a terminal.
func quoted(s string) string { return iostreams.Shown(s) }
