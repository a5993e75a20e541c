package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/typed"
	"github.com/vperf/vperf/internal/userfile"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
)

// sourceOptions says where facts come from; every reading command has them.
type sourceOptions struct {
	Demo        bool
	Scenarios   []string
	Realtime    bool
	From        []string
	Contexts    []string
	AllContexts bool
	Connection  config.Flags

	command *cobra.Command // whose --help says more
	typed   typed.Source   // names the server for readers in any shell, once it is open
	replay  time.Duration  // how much of the demo fleet's past is replayed; 0: its clock runs by itself
	noise   uint64         // the seed of the demo fleet's noise; 0: it has none
	one     bool           // several servers are too many
	writes  bool           // the command changes the server
	live    bool           // the command watches counters while they happen
}

// addFlags adds the flags that choose a source; --from is one of them if fromFile is true.
func (o *sourceOptions) addFlags(c *cobra.Command, fromFile bool) {
	o.command = c
	f := c.Flags()
	f.BoolVar(&o.Demo, "demo", false, "read the built-in demo fleet")
	f.StringSliceVar(&o.Scenarios, "scenario", nil, "inject this fault scenario into the demo fleet, by `NAME` (see vperf sim --help)")
	if fromFile {
		f.StringArrayVar(&o.From, "from", nil, "read a snapshot or an RVTools export from this `FILE` or folder; may be repeated (- is standard input)")
	}
	f.StringSliceVar(&o.Contexts, "context", nil, "read the server of this `CONTEXT`; may name several (VPERF_CONTEXT)")
	f.BoolVar(&o.AllContexts, "all-contexts", false, "read the servers of all contexts")
	f.StringVarP(&o.Connection.URL, "url", "u", "", "vCenter or ESXi `URL` (VPERF_URL, GOVC_URL), without a password")
	f.StringVar(&o.Connection.Username, "username", "", "log in as this `USER` (VPERF_USERNAME, GOVC_USERNAME)")
	f.StringVar(&o.Connection.PasswordFile, "password-file", "", "the password is the first line of this `FILE` (- is standard input)")
	f.BoolVarP(&o.Connection.Insecure, "insecure", "k", false, "accept any certificate (GOVC_INSECURE)")
	f.StringVar(&o.Connection.Thumbprint, "thumbprint", "", "accept only the certificate with this `DIGEST` (SHA-1 or SHA-256)")
	config.OfConnection(f, "url", "username", "context", "password-file", "insecure", "thumbprint")
	completeFlag(c, "context", completeContexts)
	completeWords(c, map[string][]string{"scenario": stringsOf(scenarioNames())})
}

// addRealtimeFlag is for commands that replay the demo fleet's counters.
func (o *sourceOptions) addRealtimeFlag(c *cobra.Command) {
	c.Flags().BoolVar(&o.Realtime, "realtime", false, "with --demo: watch the demo fleet live instead of replaying its past")
	config.OnlyTyped(c.Flags(), "realtime")
}

// replayLast has the demo fleet's counters of the given time replayed, unless the user wants to watch them live.
func (o *sourceOptions) replayLast(long time.Duration) {
	if o.Demo && !o.Realtime {
		o.replay = long
	}
}

// slowBy returns the delay of scenario slow-host: a short one, unless the user watches the demo fleet live.
func (o *sourceOptions) slowBy() time.Duration {
	if o.live || o.Realtime {
		return 0
	}
	return briefSlowBy
}

// nearby reports whether the Esxtop service of all hosts is read, as their server is the demo fleet on this machine. A long replay would
// make and parse hundreds of megabytes, so it reads the samples that hosts keep, as on a server of that size.
func (o *sourceOptions) nearby() bool { return o.Demo && o.replay <= longestEsxtopReplay }

// longestEsxtopReplay is the longest replay that reads the Esxtop service of all hosts.
const longestEsxtopReplay = 10 * time.Minute

// sourceOf returns the source that the flags of a command name, for the commands that vperf prints.
func sourceOf(c *cobra.Command) (s typed.Source) {
	for _, name := range sourceFlags {
		flag := c.Flags().Lookup(name)
		if flag == nil || !flag.Changed {
			continue
		}
		value := flag.Value.String()
		list, isList := flag.Value.(interface{ GetSlice() []string })
		switch {
		case name == "from", name == "capture":
			for _, path := range list.GetSlice() {
				if path == source.Stdin {
					path = "FILE" // it can be read once
				}
				s.Files = append(s.Files, [2]string{name, path})
			}
			continue
		case flag.NoOptDefVal == value:
			s.Server = append(s.Server, "--"+name)
			continue
		case flag.NoOptDefVal != "":
			s.Server = append(s.Server, "--"+name+"="+value)
			continue
		case isList:
			value = strings.Join(list.GetSlice(), ",")
		case name == "url":
			value = config.WithoutPassword(value)
		}
		s.Server = append(s.Server, "--"+name, value)
	}
	return s
}

// printed returns a command with the source that the command line names.
func (o *sourceOptions) printed(words ...string) string {
	return sourceOf(o.command).Command(words...)
}

// sourceFlags are the flags that name a source, and the account at a server.
var sourceFlags = []string{"demo", "scenario", "context", "all-contexts", "url", "username", "password-file", "insecure", "thumbprint", "from", "capture"}

// addWritingFlags is addFlags for commands that change a server or show what would change: the user names the server, or it is that
// of the connection.
func (o *sourceOptions) addWritingFlags(c *cobra.Command, fromFile bool) {
	o.addFlags(c, fromFile)
	config.OnlyTyped(c.Flags(), "demo", "scenario", "all-contexts")
}

// check refuses combinations that cannot be meant.
func (o *sourceOptions) check() error {
	given := 0
	for _, yes := range []bool{o.Demo, len(o.From) > 0, o.Connection.URL != "", len(o.Contexts) > 0, o.AllContexts} {
		if yes {
			given++
		}
	}
	if given > 1 {
		return errors.New("--demo, --from, --url, --context and --all-contexts cannot be used together: choose one source")
	}
	if err := oneReader(o.files()...); err != nil {
		return err
	}
	if o.Realtime && !o.Demo {
		return errors.New("--realtime needs --demo")
	}
	if len(o.Scenarios) > 0 && !o.Demo {
		return errors.New("--scenario needs --demo or vperf sim")
	}
	for _, s := range o.Scenarios {
		if err := oneOf("scenario", s, scenarioNames()); err != nil {
			return fmt.Errorf("--scenario: %w", err)
		}
	}
	if o.Connection.Thumbprint != "" && (o.AllContexts || len(o.Contexts) > 1) {
		return errors.New("--thumbprint applies to one server: for several, save one per context with vperf context add --thumbprint")
	}
	if err := config.CheckThumbprint(o.Connection.Thumbprint); err != nil {
		return fmt.Errorf("--thumbprint: %w", err)
	}
	return nil
}

// member is a server that is meant, or why its password cannot be had.
type member struct {
	settings *config.Settings
	endpoint session.Endpoint
	failed   error
}

// open opens the chosen source. The caller closes it.
func (o *sourceOptions) open(ctx context.Context, f *Factory) (source.Source, error) {
	o.typed = f.typed
	switch {
	case len(o.From) > 0:
		return openFiles(ctx, f.IO, o.From)
	case o.Demo:
		return openDemo(ctx, f, demoOptions{Scenarios: o.Scenarios, Replay: o.replay, Noise: o.noise, SlowBy: o.slowBy()})
	}
	all, err := o.servers()
	if err != nil {
		return nil, err
	}
	if o.one && len(all) > 1 {
		return nil, usage(errOneServer, o.command)
	}
	if !o.writes {
		announceReading(f.IO, all)
	}
	for _, m := range all {
		m.warn(f.IO)
	}
	if err := o.passwords(ctx, f, all); err != nil {
		return nil, err
	}
	if len(all) > 1 {
		return openFleet(ctx, f.IO, all)
	}
	o.typed = f.typed.Or("--url", all[0].endpoint.URL.String())
	if all[0].settings.Unambiguous() != nil {
		f.typed = o.typed // a command that writes has to be told
	}
	if all[0].failed != nil {
		return nil, all[0].failed
	}
	return openServer(ctx, f.IO, all[0].endpoint)
}

// openServer keeps a failed server from becoming a source that is not nil.
func openServer(ctx context.Context, streams *iostreams.IO, e session.Endpoint) (source.Source, error) {
	s, err := source.OpenServer(ctx, streams, e)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func openFleet(ctx context.Context, streams *iostreams.IO, all []*member) (source.Source, error) {
	endpoints := make([]source.Endpoint, len(all))
	for i, m := range all {
		endpoints[i] = source.Endpoint{Endpoint: m.endpoint, Failed: m.failed}
	}
	fleet, err := source.OpenFleet(ctx, streams, endpoints, "choose one server with --context")
	if err != nil {
		return nil, err
	}
	return fleet, nil
}

// passwords are got one after the other: a person can answer one question at a time.
func (o *sourceOptions) passwords(ctx context.Context, f *Factory, all []*member) error {
	console := newConsole(f.IO)
	for _, m := range all {
		m.endpoint.Password, m.failed = m.settings.Password(ctx, console)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if m.failed != nil {
			m.failed = fileError("%w", m.failed)
		}
	}
	return nil
}

// newConsole asks for passwords on the terminal, if there is one.
func newConsole(io *iostreams.IO) *config.Console {
	c := &config.Console{In: io.In}
	if io.InTTY() {
		c.Ask = config.AskOn(io.In, io.Err)
	}
	return c
}

// servers returns the selected servers and their accounts. A command that writes must not guess.
func (o *sourceOptions) servers() ([]*member, error) {
	chosen, err := o.choose()
	if err != nil {
		return nil, usage(err, o.command)
	}
	var all []*member
	for _, c := range chosen {
		m, err := resolve(o.Connection, c)
		if o.writes && m.settings != nil && m.settings.Unambiguous() != nil {
			err = m.settings.Unambiguous()
		}
		if errors.Is(err, config.ErrNoServer) {
			return nil, o.noServer(err)
		} else if err != nil {
			return nil, usage(err, o.command)
		}
		all = append(all, m)
	}
	return all, nil
}

// resolve finds out all of a server but its password.
func resolve(flags config.Flags, c config.Choice) (*member, error) {
	m := new(member)
	var err error
	if m.settings, err = config.Resolve(flags, c); err == nil {
		m.endpoint, err = m.settings.Endpoint()
	}
	return m, err
}

func (o *sourceOptions) choose() ([]config.Choice, error) {
	file, err := config.Load()
	if err != nil {
		return nil, err
	}
	return file.Choose(o.Contexts, o.AllContexts)
}

// noServer adds to err the alternatives to a server.
func (o *sourceOptions) noServer(err error) error {
	err = noServer(err)
	for _, file := range []struct{ flag, line string }{
		{"from", "  read a snapshot or export:    --from FILE"},
		{"capture", "  read a capture of esxtop:     --capture FILE"},
		{"replay", "  replay a capture of esxtop:   --replay FILE"},
	} {
		if o.command.Flags().Lookup(file.flag) != nil {
			err = fmt.Errorf("%w\n%s", err, file.line)
		}
	}
	return err
}

// noServer adds to err the ways to name a server.
func noServer(err error) error {
	own := ""
	if file, failed := config.Load(); failed == nil && len(file.Contexts) > 0 {
		own = fmt.Sprintf("\n  use one of your contexts:     --context %[1]s, or vperf context use %[1]s", file.Names()[0])
	}
	return fmt.Errorf(`%w%s
  try it on the demo fleet:     --demo
  save your server:             vperf context add prod --username USER \
                                  --url https://vcenter.example.com
  or set it for this shell:     export GOVC_URL=https://vcenter.example.com
                                export GOVC_USERNAME=… GOVC_PASSWORD=…`, err, own)
}

// openFiles opens saved snapshots and exports.
func openFiles(ctx context.Context, streams *iostreams.IO, paths []string) (source.Source, error) {
	if slices.Contains(paths, source.Stdin) {
		if err := piped(streams, "--from"); err != nil {
			return nil, fileError("%w", err)
		}
	}
	s, err := source.LoadFiles(ctx, paths, streams.In)
	if err != nil {
		if file, ok := errors.AsType[*source.FileError](err); ok && isCapture(file.Name) {
			return nil, fileError("%s is an esxtop capture, not a snapshot: %w", file.Name, errTakesCaptures)
		}
		return nil, fileError("%w", err)
	}
	return s, nil
}

var errTakesCaptures = errors.New("the command advise reads captures, with --capture")

// isCapture reports a file that begins as esxtop's batch CSV does.
func isCapture(path string) bool {
	f, err := userfile.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // it was only read
	head := make([]byte, 16)
	n, _ := io.ReadFull(f, head)
	return bytes.Contains(head[:n], []byte("(PDH-CSV"))
}

// file is the first file of --from, or "".
func (o *sourceOptions) file() string {
	if len(o.From) == 0 {
		return ""
	}
	return o.From[0]
}

// files are the uses of --from, for oneReader.
func (o *sourceOptions) files() (uses [][2]string) {
	for _, path := range o.From {
		uses = append(uses, [2]string{"--from", path})
	}
	return uses
}

// oneReader rejects two uses of standard input: it can be read only once. uses are flags and their values.
func oneReader(uses ...[2]string) error {
	var all []string
	for _, u := range uses {
		if u[1] == source.Stdin {
			all = append(all, u[0]+" "+source.Stdin)
		}
	}
	if len(all) > 1 {
		return fmt.Errorf("%s: standard input can be read once; give the others as files", strings.Join(all, " and "))
	}
	return nil
}

// openCaptures are the files that a flag of the command names.
func openCaptures(ctx context.Context, streams *iostreams.IO, paths []string, flag string, c *cobra.Command) (*source.Captures, error) {
	if slices.Contains(paths, source.Stdin) {
		if err := piped(streams, flag); err != nil {
			return nil, usage(err, c)
		}
	}
	return source.OpenCaptures(ctx, streams.In, paths)
}

// piped rejects a terminal as input file: no user types a capture, and a program that waits silently seems to hang.
func piped(streams *iostreams.IO, flag string) error {
	if !streams.InTTY() {
		return nil
	}
	return fmt.Errorf("%s %s: standard input is a terminal; pipe a file into vperf, or name it: %s FILE", flag, source.Stdin, flag)
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

// errOneServer says that changes are made to one server at a time.
var errOneServer = errors.New("a plan is for one server: choose it with --context NAME")

// completeTargets offers the hosts and clusters of a saved snapshot. Those of a server would take a call to it, and perhaps a
// password: whoever types them knows them.
func completeTargets(c *cobra.Command, from *sourceOptions) {
	c.ValidArgsFunction = from.completing(func(v *inventory.VCenter, add func(inventory.Entity)) {
		for _, h := range v.Hosts {
			add(h.Entity)
		}
	})
	completeFlag(c, "cluster", from.completing(func(v *inventory.VCenter, add func(inventory.Entity)) {
		for _, x := range v.Clusters {
			add(x.Entity)
		}
	}))
	if c.Flags().Lookup("vm") == nil {
		return
	}
	completeFlag(c, "vm", from.completing(func(v *inventory.VCenter, add func(inventory.Entity)) {
		for _, vm := range v.VMs {
			add(vm.Entity)
		}
	}))
}

func (o *sourceOptions) completing(list func(v *inventory.VCenter, add func(inventory.Entity))) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
		if len(o.From) == 0 || slices.Contains(o.From, source.Stdin) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		files := slices.Compact(slices.Sorted(slices.Values(o.From))) // completion parses flags twice
		saved, err := source.LoadFiles(c.Context(), files, nil)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		s, err := saved.Read(context.Background(), inventory.Targets{}, inventory.Needs{})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		for _, v := range s.VCenters {
			list(v, func(e inventory.Entity) {
				if !slices.Contains(args, e.Name) {
					names = append(names, iostreams.Sanitize(e.Name))
				}
			})
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
