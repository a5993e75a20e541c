package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/doc"
)

// format is one output format of a command.
type format struct {
	name  string
	known bool // of an audit: shows, and marks, what the baseline has without being asked
	flows bool // of an audit: reads passes and not-applicables rule by rule
	open  bool // others read its files
}

// auditFormats are the forms of an audit, the default first.
func auditFormats() []format {
	return []format{
		{name: "table"},
		{name: "json", known: true, flows: true},
		{name: "yaml", known: true, flows: true},
		{name: "csv", known: true, flows: true},
		{name: "junit", known: true, flows: true},
		{name: "sarif", known: true},
		{name: "md"},
		{name: "prometheus", known: true, open: true}, // node_exporter is somebody else
	}
}

// render writes the result of a command in one format.
type render func(f format, w io.Writer, t report.Terminal) error

// auditView says how much of an audit a format shows.
type auditView struct {
	all      bool // everything, passes and not-applicables too
	overview bool // on a terminal, the first screen instead of the whole table
	details  bool // in a pipe, the whole table instead of a line for each finding
}

// auditIn returns a render for an audit. Unless the view asks for all findings, each format applies its own default.
func auditIn(a report.Audit, v auditView) render {
	return func(f format, w io.Writer, t report.Terminal) error {
		shown := a
		if !v.all {
			shown = shown.Actionable()
		}
		if !v.all && !f.known {
			shown = shown.New()
		}
		if !f.flows {
			shown = shown.Complete()
		}
		switch {
		case f.name == "table" && v.overview && t.TTY:
			return t.Show(w, report.Overview(shown, t.Typed))
		case f.name == "table" && (v.details || t.TTY):
			return t.Show(w, report.Details(shown))
		case f.name == "table":
			return t.Show(w, report.Lines(shown))
		case f.name == "md":
			return report.Details(shown).Markdown(w)
		}
		return map[string]func(io.Writer, report.Audit) error{
			"json": report.JSON, "csv": report.CSV, "junit": report.JUnit, "sarif": report.SARIF, "prometheus": report.Prometheus,
		}[f.name](w, shown)
	}
}

func namesOf(formats []format) []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

// output is one output format and its destination file.
type output struct {
	format format
	file   string // "-" is standard output
}

// String is the output as it is typed.
func (o output) String() string {
	if o.file == iostreams.Stdout {
		return o.format.name
	}
	return o.format.name + "=" + o.file
}

// place is the same for two names of one file.
func (o output) place() string {
	if o.file == iostreams.Stdout {
		return iostreams.Stdout
	}
	if abs, err := filepath.Abs(o.file); err == nil {
		return abs
	}
	return filepath.Clean(o.file)
}

func (o output) failed(err error) error {
	return fmt.Errorf("writing %s to %s: %w", o.format.name, o.file, err)
}

// formatAliases are the names that other tools have for our formats.
var formatAliases = map[string]string{"markdown": "md", "yml": "yaml", "text": "table"}

// parse reads an output as it is typed.
func (o *outputs) parse(s string) (output, error) {
	name, file, found := strings.Cut(s, "=")
	name = cmp.Or(formatAliases[name], name)
	i := slices.IndexFunc(o.offered, func(f format) bool { return f.name == name })
	switch {
	case i < 0:
		return output{}, oneOf("format", name, namesOf(o.offered))
	case !found:
		file = iostreams.Stdout
	case file == "":
		return output{}, fmt.Errorf("%s names no file: write %sFILE, or %s for standard output", s, s, name)
	}
	return output{o.offered[i], file}, nil
}

// outputs is the value of -o, which may be given several times.
type outputs struct {
	offered []format // the default first
	list    []output
}

// Set takes one more output.
func (o *outputs) Set(s string) error {
	added, err := o.parse(s)
	if err != nil {
		return err
	}
	for _, other := range o.list {
		if other.place() != added.place() {
			continue
		}
		if added.file == iostreams.Stdout {
			return fmt.Errorf("%s and %s would both go to standard output: write one to a file, as in -o %s=FILE",
				other.format.name, added.format.name, added.format.name)
		}
		return fmt.Errorf("%s and %s would both go to %s", other.format.name, added.format.name, added.file)
	}
	o.list = append(o.list, added)
	return nil
}

// Type returns the placeholder of the value in help.
func (*outputs) Type() string { return "FORMAT" }

// String is the outputs as they are typed; help shows the default with it.
func (o *outputs) String() string {
	var all []string
	for _, out := range o.chosen() {
		all = append(all, out.String())
	}
	return join(all)
}

// addFlag adds -o, with words for the shell.
func (o *outputs) addFlag(c *cobra.Command) {
	c.Flags().VarP(o, "output", "o", "`FORMAT` ("+join(namesOf(o.offered))+"), or FORMAT=FILE; may be repeated")
	config.Repeatable(c.Flags(), "output")
	completeWords(c, map[string][]string{"output": namesOf(o.offered)})
}

// chosen are the outputs asked for, or the default.
func (o *outputs) chosen() []output {
	if len(o.list) == 0 {
		return []output{{o.offered[0], iostreams.Stdout}}
	}
	return o.list
}

// sink is an output that is known to be writable.
type sink struct {
	output
	to *iostreams.Destination
}

// sinks are the outputs of a command, opened.
type sinks []sink

// open makes the files of all outputs, or none.
func (o *outputs) open(stdout io.Writer) (sinks, error) {
	var all sinks
	for _, out := range o.filesFirst() {
		to, err := iostreams.OpenDestination(out.file, stdout)
		if err != nil {
			all.discard()
			return nil, out.failed(err)
		}
		to.Open = out.format.open
		all = append(all, sink{out, to})
	}
	return all, nil
}

// filesFirst orders outputs for writing: a reader of standard output that leaves (| head) ends the process.
func (o *outputs) filesFirst() []output {
	var files, last []output
	for _, out := range o.chosen() {
		if out.file == iostreams.Stdout {
			last = append(last, out)
		} else {
			files = append(files, out)
		}
	}
	return append(files, last...)
}

// discard removes what was not written.
func (s sinks) discard() {
	for _, k := range s {
		k.to.Discard()
	}
}

// write renders every output, even if one of them fails: a full disk does not affect the others.
func (s sinks) write(f *Factory, say render) error {
	var failed, stdout error
	for _, k := range s {
		err := k.to.Save(func(w io.Writer) error { return k.render(w, say, k.terminal(f)) })
		switch {
		case k.file == iostreams.Stdout:
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

// render writes the output in its format; YAML is the JSON form in other clothes.
func (k sink) render(w io.Writer, say render, t report.Terminal) error {
	switch k.format.name {
	case "json", "sarif":
		return say(k.format, iostreams.JSONWriter(w), t)
	case "yaml":
	default:
		return say(k.format, w, t)
	}
	asJSON := k.format
	asJSON.name = "json"
	document, to := io.Pipe()
	go func() { to.CloseWithError(say(asJSON, to, t)) }()
	err := report.YAML(w, document)
	document.CloseWithError(err) // the writer stops, too
	return err
}

// terminal describes the terminal of the output; a file has none.
func (k sink) terminal(f *Factory) report.Terminal {
	if k.file != iostreams.Stdout {
		return report.Terminal{Typed: f.typed}
	}
	t := terminal(f)
	t.TTY = f.IO.OutTTY()
	return t
}

// textOrData adds -o to a command that prints text, JSON or YAML; text is the name of the text format. The command's RunE must be
// set and needs to handle only text and json.
func textOrData(f *Factory, c *cobra.Command, output *string, text string) {
	formats := []string{text, "json", "yaml"}
	c.Flags().StringVarP(output, "output", "o", text, "`FORMAT`: "+text+", json or yaml")
	completeWords(c, map[string][]string{"output": formats})
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := oneOf("format", *output, formats); err != nil {
			return usage(fmt.Errorf("--output: %w", err), c)
		}
		switch *output {
		case "json":
			return f.inJSON(func() error { return run(c, args) })
		case "yaml":
			*output = "json"
			return f.inYAML(func() error { return run(c, args) })
		}
		return run(c, args)
	}
}

// inJSON runs a command that prints JSON and escapes what a terminal acts upon: names and texts in it come from others.
func (f *Factory) inJSON(run func() error) error {
	out := f.IO.Out
	defer func() { f.IO.Out = out }()
	f.IO.Out = iostreams.JSONWriter(out)
	return run()
}

// inYAML runs a command that prints JSON and converts its output to YAML, including the output before a failure.
func (f *Factory) inYAML(run func() error) error {
	var document bytes.Buffer
	out := f.IO.Out
	f.IO.Out = &document
	failed := run()
	f.IO.Out = out
	if document.Len() == 0 {
		return failed
	}
	return errors.Join(failed, report.YAML(out, &document))
}

// terminal describes standard output: its width, in columns, and its colours.
func terminal(f *Factory) report.Terminal {
	return report.Terminal{Width: f.IO.Width(), Style: f.IO.StyleOut(), Typed: f.typed}
}

// writeJSON writes v as indented JSON.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(iostreams.JSONWriter(w))
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// writeRows writes rows in aligned columns. Cells may hold untrusted text.
func writeRows(w io.Writer, fill func(row func(...string))) error {
	var t doc.Table
	fill(func(cells ...string) { t.Add(collect.Map(cells, func(c string) any { return c })...) })
	return doc.Of(t.Block()).Terminal(w, 0, iostreams.Style{})
}

// onErr is the terminal that messages go to.
func onErr(f *Factory) report.Terminal {
	if !f.IO.ErrTTY() {
		return report.Terminal{Typed: f.typed}
	}
	return terminal(f)
}
