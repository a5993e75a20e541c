package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
)

func newConfig(f *Factory) *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "Show the settings in force and where they come from",
		Long: `Every flag can be set in four places. The first of these wins:

  the flag          --fail-on high
  a variable        VPERF_FAIL_ON=high; audit only: VPERF_AUDIT_FAIL_ON=high
  the config file   fail-on: high; audit only: audit: {fail-on: high}
  the default

Flags that select or approve a change (--rule, --set, --yes, --allow and others
of apply, rollback and plan) are accepted on the command line only. Flags with
different meanings in different commands need the name of the command:
VPERF_TOP_BATCH. Servers are set by contexts, or VPERF_URL and related
variables: vperf context --help.

The file is $VPERF_CONFIG, or vperf/config.yaml below $XDG_CONFIG_HOME
(~/.config).`,
		Example: `  vperf config path
  vperf config show audit
  vperf config show -o json`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newConfigShow(f), newConfigPath(f))
	return c
}

func newConfigPath(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "path",
		Short: "Print the path of the config file",
		Long: `Prints the path of the config file, also if the file does not exist yet.

Exit status: 0 done, 1 there is no home directory, 2 wrong usage.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			path, err := config.Path()
			if err == nil {
				fmt.Fprintln(f.IO.Out, path)
			}
			return err
		},
	}
}

// shownSetting is a value in force, as `vperf config show` prints it.
type shownSetting struct {
	Name string `json:"name"`
	config.Value
	Commands  []string `json:"commands,omitempty"` // none: all
	Variables []string `json:"variables,omitempty"`
}

// shownConfig is everything that `vperf config show` prints.
type shownConfig struct {
	File     string               `json:"file"`
	Settings []shownSetting       `json:"settings"`
	Password config.PasswordState `json:"password"`
	Notes    []string             `json:"notes,omitempty"`
}

func newConfigShow(f *Factory) *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "show [COMMAND]",
		Short: "Show each value in force and where it comes from",
		Long: `Shows each value in force and its origin: a variable, a line of the config file,
or the default; for all commands or one. For the password it shows only whether
one is set. Flags that are accepted on the command line only are not listed. It
warns about VPERF_ variables that vperf does not know.

Exit status: 0 done, 2 wrong usage or config.`,
		Example: `  vperf config show
  vperf config show audit
  vperf config show rules list -o json`,
		ValidArgsFunction: completeCommands,
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		shown, err := configInForce(c.Context(), c.Root(), strings.Join(args, " "))
		if err != nil {
			return usage(err, c)
		}
		for _, n := range shown.Notes {
			fmt.Fprintf(f.IO.Err, "vperf: warning: %s\n", iostreams.Sanitize(n))
		}
		if output == "json" {
			return writeJSON(f.IO.Out, shown)
		}
		return writeRows(f.IO.Out, func(row func(...string)) {
			row("SETTING", "VALUE", "FROM", "COMMANDS")
			for _, s := range shown.Settings {
				row(s.Name, orDash(s.Text), s.From, orDash(strings.Join(s.Commands, ", ")))
			}
			set, from := "not set", cmp.Or(shown.Password.From, "default")
			if shown.Password.Set {
				set = "set"
			} else if shown.Password.Problem != "" {
				from += ": " + shown.Password.Problem
			}
			row("password", set, from, "-")
		})
	}
	textOrData(f, c, &output, "table")
	return c
}

// completeCommands offers the commands whose flags can be set elsewhere.
func completeCommands(c *cobra.Command, args []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
	before := strings.Join(args, " ")
	for _, sub := range settableCommands(c.Root()) {
		if rest, ok := strings.CutPrefix(" "+commandName(sub), cmp.Or(" "+before, " ")); ok && (before == "" || strings.HasPrefix(rest, " ")) {
			word, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
			if !slices.Contains(names, word) {
				names = append(names, word)
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// configInForce finds all values, of all commands or of the one that is named.
func configInForce(ctx context.Context, root *cobra.Command, only string) (*shownConfig, error) {
	file, err := config.Load()
	if err != nil {
		return nil, err
	}
	shown := &shownConfig{File: file.Path}
	if err := shown.addConnection(ctx, file); err != nil {
		return nil, err
	}
	shown.addSections(file)
	before := len(shown.Settings)
	flags, err := config.LoadFlags(flagNames(root))
	if err != nil {
		return nil, err
	}
	var names []string
	var wrong []error
	for _, c := range settableCommands(root) {
		name := commandName(c)
		names = append(names, name)
		if only != "" && name != only {
			continue
		}
		settings, err := flags.Bind(name, c.LocalNonPersistentFlags())
		wrong = append(wrong, err)
		if settings != nil {
			shown.add(name, settings)
		}
	}
	if only != "" && !slices.Contains(names, only) {
		return nil, oneOf("command", only, names)
	}
	settings, err := flags.Bind("", root.PersistentFlags())
	if settings != nil {
		shown.add("", settings)
	}
	slices.SortStableFunc(shown.Settings[before:], func(a, b shownSetting) int { return strings.Compare(a.Name, b.Name) })
	for _, name := range flagNames(root).Unread(os.Environ()) {
		shown.Notes = append(shown.Notes, name+" is set, but there is no setting of that name")
	}
	return shown, errors.Join(append(wrong, err)...)
}

// add takes the flags of a command in. Commands in which a flag has one value from one place share a line.
func (s *shownConfig) add(command string, settings *config.FlagSettings) {
	if settings.Refused != nil {
		s.Notes = append(s.Notes, strings.Split(settings.Refused.Error(), "\n")...)
	}
	for _, flag := range settings.Flags {
		if flag.Name == "color" && command != "" {
			continue // which all have
		}
		i := slices.IndexFunc(s.Settings, func(other shownSetting) bool {
			return other.Name == flag.Name && other.Value == flag.Value && other.Commands != nil
		})
		switch {
		case i < 0 && command == "":
			s.Settings = append(s.Settings, shownSetting{flag.Name, flag.Value, nil, flag.Variables})
		case i < 0:
			s.Settings = append(s.Settings, shownSetting{flag.Name, flag.Value, []string{command}, flag.Variables})
		default:
			s.Settings[i].Commands = append(s.Settings[i].Commands, command)
			s.Settings[i].Variables = shared(s.Settings[i].Variables, flag.Variables)
		}
	}
}

// shared are the variables that set a flag of all commands of a line.
func shared(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(name string) bool { return !slices.Contains(b, name) })
}

// addConnection takes in which server commands talk to.
func (s *shownConfig) addConnection(ctx context.Context, file *config.File) error {
	chosen, err := file.Choose(nil, false)
	if err != nil {
		return err
	}
	settings, err := config.Resolve(config.Flags{}, chosen[0])
	if err != nil {
		return err
	}
	s.Password = settings.PasswordState(ctx)
	s.Notes = append(s.Notes, settings.Notes...)
	from := "default"
	switch {
	case os.Getenv("VPERF_CONTEXT") != "":
		from = "VPERF_CONTEXT"
	case file.Current != "":
		from = file.Path
	}
	s.addValue("context", settings.Context, from)
	order, values := effective(settings)
	for _, key := range order {
		s.addValue(key, values[key].Text, values[key].From)
	}
	return nil
}

// addSections adds the sections of the file other than contexts and flags.
func (s *shownConfig) addSections(file *config.File) {
	var profiles, targets []string
	for _, a := range file.Profiles {
		profiles = append(profiles, fmt.Sprintf("%s=%s", cmp.Or(a.Match, a.Tag), a.Profile))
	}
	for _, t := range file.Exporter.Targets {
		targets = append(targets, t.Name)
	}
	for _, section := range []struct {
		name string
		list []string
	}{{"profiles", profiles}, {"protect", file.Protect}, {"exporter.targets", targets}} {
		if len(section.list) > 0 {
			s.addValue(section.name, join(section.list), file.Path)
		}
	}
}

func (s *shownConfig) addValue(name, text, from string) {
	s.Settings = append(s.Settings, shownSetting{Name: name, Value: config.Value{Text: text, From: from}})
}
