package inforce

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
)

// Setting is a value in force, as `vperf config show` prints it.
type Setting struct {
	Name string `json:"name"`
	config.Value
	Commands  []string `json:"commands,omitempty"` // none: all
	Variables []string `json:"variables,omitempty"`
}

// Config is everything that `vperf config show` prints.
type Config struct {
	File     string               `json:"file"`
	Settings []Setting            `json:"settings"`
	Password config.PasswordState `json:"password"`
	Notes    []string             `json:"notes,omitempty"`
}

// Find finds all values, of all commands or of the one that is named.
func Find(ctx context.Context, root *cobra.Command, only string) (*Config, error) {
	file, err := config.Load()
	if err != nil {
		return nil, err
	}
	shown := &Config{File: file.Path}
	if err := shown.addConnection(ctx, file); err != nil {
		return nil, err
	}
	shown.addSections(file)
	before := len(shown.Settings)
	flags, err := config.LoadFlags(FlagNames(root))
	if err != nil {
		return nil, err
	}
	var names []string
	var wrong []error
	for _, c := range Settable(root) {
		name := CommandName(c)
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
		return nil, &UnknownCommandError{only, names}
	}
	settings, err := flags.Bind("", root.PersistentFlags())
	if settings != nil {
		shown.add("", settings)
	}
	slices.SortStableFunc(shown.Settings[before:], func(a, b Setting) int { return strings.Compare(a.Name, b.Name) })
	for _, name := range FlagNames(root).Unread(os.Environ()) {
		shown.Notes = append(shown.Notes, name+" is set, but there is no setting of that name")
	}
	return shown, errors.Join(append(wrong, err)...)
}

// add takes the flags of a command in. Commands in which a flag has one value from one place share a line.
func (s *Config) add(command string, settings *config.FlagSettings) {
	if settings.Refused != nil {
		s.Notes = append(s.Notes, strings.Split(settings.Refused.Error(), "\n")...)
	}
	for _, flag := range settings.Flags {
		if flag.Name == "color" && command != "" {
			continue // which all have
		}
		i := slices.IndexFunc(s.Settings, func(other Setting) bool {
			return other.Name == flag.Name && other.Value == flag.Value && other.Commands != nil
		})
		switch {
		case i < 0 && command == "":
			s.Settings = append(s.Settings, Setting{flag.Name, flag.Value, nil, flag.Variables})
		case i < 0:
			s.Settings = append(s.Settings, Setting{flag.Name, flag.Value, []string{command}, flag.Variables})
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
func (s *Config) addConnection(ctx context.Context, file *config.File) error {
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
	order, values := Connection(settings)
	for _, key := range order {
		s.addValue(key, values[key].Text, values[key].From)
	}
	return nil
}

// addSections adds the sections of the file other than contexts and flags.
func (s *Config) addSections(file *config.File) {
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
			s.addValue(section.name, strings.Join(section.list, ", "), file.Path)
		}
	}
}

func (s *Config) addValue(name, text, from string) {
	s.Settings = append(s.Settings, Setting{Name: name, Value: config.Value{Text: text, From: from}})
}

// UnknownCommandError says that there is no command of a name with flags that can be set elsewhere.
type UnknownCommandError struct {
	Name string
	All  []string
}

func (e *UnknownCommandError) Error() string { return "no command " + e.Name }

// Connection names the values as the config file does, and the order to show them in.
func Connection(s *config.Settings) (order []string, values map[string]config.Value) {
	values = map[string]config.Value{
		"url": s.URL, "username": s.Username, "insecure": s.Insecure,
		"tls-ca-certs": s.CAFiles, "tls-known-hosts": s.KnownHosts, "tls-thumbprint": s.Thumbprint,
	}
	return []string{"url", "username", "insecure", "tls-ca-certs", "tls-known-hosts", "tls-thumbprint"}, values
}
