package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report"
)

// format is one form of an audit.
type format struct {
	name  string
	all   bool // shows passes and not-applicables without being asked
	known bool // shows, and marks, what the baseline has without being asked
	write func(io.Writer, report.Audit, report.Terminal) error
}

// formats lists all formats, the default first.
func formats() []format {
	return []format{
		{name: "table", write: report.Table},
		{name: "json", known: true, write: plain(report.JSON)},
		{name: "csv", known: true, write: plain(report.CSV)},
		{name: "junit", all: true, known: true, write: plain(report.JUnit)}, // its readers count what passed
		{name: "sarif", known: true, write: plain(report.SARIF)},
		{name: "md", write: plain(report.Markdown)},
	}
}

// plain is for formats that look the same everywhere.
func plain(write func(io.Writer, report.Audit) error) func(io.Writer, report.Audit, report.Terminal) error {
	return func(w io.Writer, a report.Audit, _ report.Terminal) error { return write(w, a) }
}

func formatNames() []string {
	var names []string
	for _, f := range formats() {
		names = append(names, f.name)
	}
	return names
}

func parseFormat(name string) (format, error) {
	for _, f := range formats() {
		if f.name == name {
			return f, nil
		}
	}
	return format{}, oneOf("format", name, formatNames())
}

// output is one form of the audit and the file it goes to.
type output struct {
	format format
	file   string // "-" is standard output
}

// String is the output as it is typed.
func (o output) String() string {
	if o.file == stdoutName {
		return o.format.name
	}
	return o.format.name + "=" + o.file
}

// place is the same for two names of one file.
func (o output) place() string {
	if o.file == stdoutName {
		return stdoutName
	}
	if abs, err := filepath.Abs(o.file); err == nil {
		return abs
	}
	return filepath.Clean(o.file)
}

func (o output) failed(err error) error {
	return fmt.Errorf("writing %s to %s: %w", o.format.name, o.file, err)
}

func parseOutput(s string) (output, error) {
	name, file, found := strings.Cut(s, "=")
	f, err := parseFormat(name)
	switch {
	case err != nil:
		return output{}, err
	case !found:
		file = stdoutName
	case file == "":
		return output{}, fmt.Errorf("%s names no file: write %sFILE, or %s for standard output", s, s, name)
	}
	return output{f, file}, nil
}

// outputs is the value of -o, which may be given several times.
type outputs struct{ list []output }

// Set takes one more output.
func (o *outputs) Set(s string) error {
	added, err := parseOutput(s)
	if err != nil {
		return err
	}
	for _, other := range o.list {
		if other.place() != added.place() {
			continue
		}
		if added.file == stdoutName {
			return fmt.Errorf("%s and %s would both go to standard output: write one to a file, as in -o %s=FILE",
				other.format.name, added.format.name, added.format.name)
		}
		return fmt.Errorf("%s and %s would both go to %s", other.format.name, added.format.name, added.file)
	}
	o.list = append(o.list, added)
	return nil
}

// Type is what help calls the value.
func (*outputs) Type() string { return "FORMAT" }

// String is the outputs as they are typed; help shows the default with it.
func (o *outputs) String() string {
	var all []string
	for _, out := range o.chosen() {
		all = append(all, out.String())
	}
	return join(all)
}

// chosen are the outputs asked for, or the default.
func (o *outputs) chosen() []output {
	if len(o.list) == 0 {
		return []output{{formats()[0], stdoutName}}
	}
	return o.list
}

// needAll reports whether passes have to be kept for one of the formats.
func (o *outputs) needAll() bool {
	return slices.ContainsFunc(o.chosen(), func(out output) bool { return out.format.all })
}

// sink is an output that is known to be writable.
type sink struct {
	output
	to *destination
}

type sinks []sink

// open makes the files of all outputs, or none.
func (o *outputs) open(stdout io.Writer) (sinks, error) {
	var all sinks
	for _, out := range o.filesFirst() {
		to, err := openDestination(out.file, stdout)
		if err != nil {
			all.discard()
			return nil, out.failed(err)
		}
		all = append(all, sink{out, to})
	}
	return all, nil
}

// filesFirst orders outputs for writing: a reader of standard output that leaves (| head) ends the process.
func (o *outputs) filesFirst() []output {
	var files, last []output
	for _, out := range o.chosen() {
		if out.file == stdoutName {
			last = append(last, out)
		} else {
			files = append(files, out)
		}
	}
	return append(files, last...)
}

func (s sinks) discard() {
	for _, k := range s {
		k.to.discard()
	}
}

// write renders every output, also when one of them fails: a full disk takes nothing from who reads the others.
func (s sinks) write(streams *iostreams.IO, a report.Audit, all bool) error {
	var failed, stdout error
	for _, k := range s {
		err := k.write(a, all, k.terminal(streams))
		switch {
		case k.file == stdoutName:
			stdout = err
		case err != nil && !iostreams.IsBrokenPipe(err): // of -o FORMAT=>(head)
			failed = errors.Join(failed, k.failed(err))
		}
	}
	if failed != nil {
		return failed
	}
	return stdout
}

// terminal is what a reader of the output sees it on; a file is none.
func (k sink) terminal(streams *iostreams.IO) report.Terminal {
	if k.file != stdoutName {
		return report.Terminal{}
	}
	return report.Terminal{Width: streams.Width(), Style: streams.StyleOut()}
}

func (k sink) write(a report.Audit, all bool, t report.Terminal) error {
	if !all && !k.format.all {
		a = a.Actionable()
	}
	if !all && !k.format.known {
		a = a.New()
	}
	return k.to.save(func(w io.Writer) error { return k.format.write(w, a, t) })
}
