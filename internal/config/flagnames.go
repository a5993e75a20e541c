package config

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// FlagNames maps a command to its flags. The flags of command "" are common to all.
type FlagNames map[string]map[string]*pflag.Flag

// Add adds the flags of a command.
func (n FlagNames) Add(command string, flags *pflag.FlagSet) {
	if n[command] == nil {
		n[command] = map[string]*pflag.Flag{}
	}
	flags.VisitAll(func(flag *pflag.Flag) {
		if !unsettable(flag) || is(flag, ofConnection) {
			n[command][flag.Name] = flag
		}
	})
}

func (n FlagNames) all() map[string]bool {
	all := map[string]bool{}
	for _, flags := range n {
		for name := range flags {
			all[name] = true
		}
	}
	return all
}

// ownVariables are VPERF_* variables without a flag.
var ownVariables = []string{
	"VPERF_CONFIG", "VPERF_TABLES", "VPERF_PERSIST_SESSION", "VPERF_URL", "VPERF_USERNAME", "VPERF_INSECURE", "VPERF_TLS_CA_CERTS", "VPERF_TLS_KNOWN_HOSTS",
	"VPERF_TLS_THUMBPRINT", "VPERF_THUMBPRINT", "VPERF_PASSWORD", "VPERF_PASSWORD_FILE", "VPERF_PASSWORD_COMMAND", "VPERF_CONTEXT",
}

// Unread returns the VPERF_* variables of an environment that are not used, usually because they are misspelt.
func (n FlagNames) Unread(environ []string) (names []string) {
	read := slices.Clone(ownVariables)
	for command, flags := range n {
		for _, flag := range flags {
			read = append(read, VariablesOf(command, flag)...)
		}
	}
	for _, line := range environ {
		name, value, _ := strings.Cut(line, "=")
		if strings.HasPrefix(name, ownPrefix) && value != "" && !slices.Contains(read, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Annotations on a flag about how it can be set.
const (
	onlyTyped    = "vperf:typed"      // on the command line only
	ownName      = "vperf:own"        // elsewhere only by its command's name, because it has another meaning in other commands
	ofConnection = "vperf:connection" // elsewhere as in Resolve
	repeatable   = "vperf:repeatable" // takes a list, although its type is not a list
	setElsewhere = "vperf:set"        // by a variable or the file
)

// OnlyTyped restricts flags to the command line.
func OnlyTyped(flags *pflag.FlagSet, names ...string) { markAll(flags, onlyTyped, names) }

// OwnName restricts flags to the name of their command, since their own name has another meaning in other commands.
func OwnName(flags *pflag.FlagSet, names ...string) { markAll(flags, ownName, names) }

// OfConnection marks flags that Resolve handles.
func OfConnection(flags *pflag.FlagSet, names ...string) { markAll(flags, ofConnection, names) }

// Repeatable marks flags that take lists.
func Repeatable(flags *pflag.FlagSet, names ...string) { markAll(flags, repeatable, names) }

func markAll(flags *pflag.FlagSet, note string, names []string) {
	for _, name := range names {
		mark(flags.Lookup(name), note) // Lookup returns nil for a misspelt flag, which any test finds
	}
}

func mark(flag *pflag.Flag, note string) {
	if flag.Annotations == nil {
		flag.Annotations = map[string][]string{}
	}
	flag.Annotations[note] = nil
}

func is(flag *pflag.Flag, note string) bool {
	_, marked := flag.Annotations[note]
	return marked
}

// unsettable are flags that Bind ignores.
func unsettable(flag *pflag.Flag) bool {
	return flag.Name == "help" || is(flag, ofConnection)
}

// Names returns the names of flags.
func Names(flags *pflag.FlagSet) (names []string) {
	flags.VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
	return names
}

// VariablesOf returns the variables that set a flag of a command, strongest first.
func VariablesOf(command string, flag *pflag.Flag) []string {
	general := variable(ownPrefix, flag.Name)
	if command == "" {
		return []string{general}
	}
	own := variable(ownPrefix, strings.ReplaceAll(command, " ", "-")+"-"+flag.Name)
	if is(flag, ownName) {
		return []string{own}
	}
	return []string{own, general}
}
