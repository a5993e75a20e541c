package exporter

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/internal/iostreams"
)

// Limits of the output of debug=true.
const (
	traceLast  = 10 * time.Minute
	traceLines = 500
	pageLines  = 40
)

// debug handles debug=true: it shows the request, its result, the recent activity of the target, and the beginning of
// the page. The status is 200 even if the probe failed, since the log was requested.
func (s *server) debug(w http.ResponseWriter, a ask, p *Page, err error, took time.Duration) {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	modules := "the default modules of the target"
	if len(a.modules) > 0 {
		modules = strings.Join(module.Words(a.modules), ", ")
	}
	say("Probe of target %q at %s", a.name, s.now().UTC().Format(time.RFC3339))
	say("modules: %s", modules)
	say("format:  %s", map[exposition.Format]string{exposition.Text: "text", exposition.OpenMetrics: "OpenMetrics"}[a.format])
	say("timeout: %s", a.timeout)
	if err != nil {
		code, why := failure(a, err)
		say("failed after %s with %d %s: %s", took, code, http.StatusText(code), why)
	}
	head, lines, bytes, readErr := "", 0, int64(0), error(nil)
	if err == nil {
		head, lines, bytes, readErr = firstLines(p.Body, pageLines)
		say("answered after %s: %d lines, %d bytes before compression", took, lines, bytes)
	}
	if readErr != nil {
		say("reading the page: %s", iostreams.Sanitize(readErr.Error()))
	}
	status := a.target.Status()
	say("up: %t", status.Up)
	if status.Trouble != "" {
		say("problem: %s", iostreams.Sanitize(status.Trouble))
	}

	trace := a.target.Trace(traceLast)
	say("\nActivity of the target in the last %s:", traceLast)
	if len(trace) > traceLines {
		say("(%d earlier lines are not shown)", len(trace)-traceLines)
		trace = trace[len(trace)-traceLines:]
	}
	if len(trace) == 0 {
		say("(nothing)")
	}
	for _, line := range trace {
		say("%s", iostreams.Sanitize(line))
	}
	if err == nil {
		say("\nThe page begins:")
		b.WriteString(head)
		if lines > pageLines {
			say("(%d more lines)", lines-pageLines)
		}
	}

	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_ = http.NewResponseController(w).SetWriteDeadline(s.writeBefore()) // where there are no deadlines the server's own holds
	_, _ = io.WriteString(w, b.String())                                // the client may have disconnected
}

// firstLines reads a page to its end and keeps its first lines.
func firstLines(r io.Reader, keep int) (head string, lines int, bytes int64, err error) {
	var b strings.Builder
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadString('\n')
		if line != "" {
			lines++
			bytes += int64(len(line))
		}
		if line != "" && lines <= keep {
			b.WriteString(iostreams.Sanitize(strings.TrimSuffix(line, "\n")) + "\n")
		}
		if errors.Is(err, io.EOF) {
			return b.String(), lines, bytes, nil
		}
		if err != nil {
			return b.String(), lines, bytes, err
		}
	}
}
