package config

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// FlagNames are the flags by the command that has them. The flags of command "" are those of all.
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

// ownVariables are VPERF_* variables that no flag has.
var ownVariables = []string{
	"VPERF_CONFIG", "VPERF_PERSIST_SESSION", "VPERF_URL", "VPERF_USERNAME", "VPERF_INSECURE", "VPERF_TLS_CA_CERTS", "VPERF_TLS_KNOWN_HOSTS",
	"VPERF_TLS_THUMBPRINT", "VPERF_THUMBPRINT", "VPERF_PASSWORD", "VPERF_PASSWORD_FILE", "VPERF_PASSWORD_COMMAND", "VPERF_CONTEXT",
}

// Unread are the VPERF_* variables of an environment that nothing reads: misspelt ones, as a rule.
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

// How a flag can be set, as notes on the flag itself.
const (
	onlyTyped    = "vperf:typed"      // on the command line only
	ownName      = "vperf:own"        // elsewhere only by its command's name: it means something else in other commands
	ofConnection = "vperf:connection" // elsewhere as Resolve has it
	repeatable   = "vperf:repeatable" // takes a list, though its type does not say so
	setElsewhere = "vperf:set"        // by a variable or the file
)

// OnlyTyped has flags taken from the command line only.
func OnlyTyped(flags *pflag.FlagSet, names ...string) { markAll(flags, onlyTyped, names) }

// OwnName has flags set by the name of their command only, since their own name means something else in other commands.
func OwnName(flags *pflag.FlagSet, names ...string) { markAll(flags, ownName, names) }

// OfConnection leaves flags to Resolve.
func OfConnection(flags *pflag.FlagSet, names ...string) { markAll(flags, ofConnection, names) }

// Repeatable has flags take lists.
func Repeatable(flags *pflag.FlagSet, names ...string) { markAll(flags, repeatable, names) }

func markAll(flags *pflag.FlagSet, note string, names []string) {
	for _, name := range names {
		mark(flags.Lookup(name), note) // a misspelt flag is nil, which any test finds
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

// unsettable are flags that Bind leaves alone.
func unsettable(flag *pflag.Flag) bool {
	return flag.Name == "help" || is(flag, ofConnection)
}

// Names are the names of flags.
func Names(flags *pflag.FlagSet) (names []string) {
	flags.VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
	return names
}

// VariablesOf are the variables that set a flag of a command, the strongest first.
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
