package config

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"
)

// FlagSettings are the flags of a command with the effective values.
type FlagSettings struct {
	Flags []FlagSetting
	// Refused is the error about values of the environment and the file for flags that must be typed; nil: there are
	// none.
	Refused error
}

// FlagSetting is the value of a flag with its origin: "flag --fail-on", "VPERF_FAIL_ON", "FILE:LINE:COLUMN", "default".
type FlagSetting struct {
	Name string
	Value
	Variables []string // that can set it, strongest first
}

// Elsewhere reports whether the value is neither typed nor the default.
func (s FlagSetting) Elsewhere() bool { return s.From != fromDefault && s.From != typedAs(s.Name) }

func typedAs(flag string) string { return "flag --" + flag }

// rank orders the places of a value.
type rank int

const (
	rankDefault rank = iota
	rankFile
	rankVariable
	rankTyped
)

// dataSources are the flags that select the source of facts and counters. Of two such flags only the stronger one
// counts: typing --from overrides VPERF_DEMO.
var dataSources = []string{"demo", "from", "url", "context", "all-contexts", "capture", "replay"}

// weakenedBy maps a flag to flags that override its value in a weaker place.
var weakenedBy = map[string][]string{
	"demo": dataSources, "from": dataSources, "all-contexts": dataSources, "capture": dataSources, "replay": dataSources,
	"for": {"from", "capture"}, "source": {"from", "capture", "replay"}, "cluster": {"replay"},
	"waivers": {"no-waivers"}, "no-waivers": {"waivers"}, "batch": {"plain"}, "plain": {"batch"},
}

// Bind sets the flags of a command that were not typed from VPERF_* variables and the file: a flag beats
// VPERF_COMMAND_FLAG, which beats VPERF_FLAG, which beats the command's section of the file, which beats the file's
// root. Resolve handles connection flags.
func (f *FlagFile) Bind(command string, flags *pflag.FlagSet) (*FlagSettings, error) {
	b := &binding{file: f, command: command, values: viper.NewWithOptions(viper.KeyDelimiter("\x00")), ranks: map[string]rank{}}
	if err := b.collect(flags); err != nil {
		return nil, err
	}
	s := new(FlagSettings)
	var wrong, refused []error
	flags.VisitAll(func(flag *pflag.Flag) {
		if unsettable(flag) {
			return
		}
		if is(flag, onlyTyped) {
			refused = append(refused, b.refuse(flag))
			return
		}
		from, err := b.apply(flag)
		if err != nil {
			wrong = append(wrong, err)
		}
		s.Flags = append(s.Flags, FlagSetting{flag.Name, Value{textOf(flag), from}, b.variables(flag)})
	})
	s.Refused = errors.Join(refused...)
	return s, errors.Join(wrong...)
}

// binding is the state of Bind.
type binding struct {
	file    *FlagFile
	command string
	values  *viper.Viper
	ranks   map[string]rank // of all flags of the command
}

// collect passes flags, variables and the file to viper, and finds the strongest place of each flag.
func (b *binding) collect(flags *pflag.FlagSet) error {
	var failed error
	fromFile := map[string]any{}
	flags.VisitAll(func(flag *pflag.Flag) {
		_, at := b.variableOf(flag)
		kept, inFile := b.file.find(b.command, flag)
		switch {
		case flag.Changed:
			b.ranks[flag.Name] = rankTyped
		case at:
			b.ranks[flag.Name] = rankVariable
		case inFile:
			b.ranks[flag.Name] = rankFile
		}
		if inFile {
			fromFile[flag.Name] = kept.value
		}
		failed = errors.Join(failed, b.values.BindPFlag(flag.Name, flag), b.values.BindEnv(append([]string{flag.Name}, b.variables(flag)...)...))
	})
	return errors.Join(failed, b.values.MergeConfigMap(fromFile))
}

// apply sets a flag that was not typed, and records its origin.
func (b *binding) apply(flag *pflag.Flag) (from string, err error) {
	switch at := b.ranks[flag.Name]; {
	case at == rankTyped:
		return typedAs(flag.Name), nil
	case at == rankDefault, slices.ContainsFunc(weakenedBy[flag.Name], func(other string) bool { return b.ranks[other] > at }):
		return fromDefault, nil
	}
	from = b.place(flag)
	if err := set(flag, b.values.Get(flag.Name)); err != nil {
		return from, fmt.Errorf("%s: %s: %w", from, flag.Name, err)
	}
	mark(flag, setElsewhere)
	return from, nil
}

// place returns the origin of the value of a flag that was not typed.
func (b *binding) place(flag *pflag.Flag) string {
	if name, found := b.variableOf(flag); found {
		return name
	}
	kept, _ := b.file.find(b.command, flag)
	return kept.at
}

// refuse returns an error if a flag that must be typed is set elsewhere, unless to its present value.
func (b *binding) refuse(flag *pflag.Flag) error {
	at := b.ranks[flag.Name]
	if at == rankTyped || at == rankDefault || fmt.Sprint(b.values.Get(flag.Name)) == flag.DefValue {
		return nil
	}
	place, remedy := b.place(flag), "unset the variable"
	if at == rankFile {
		place, remedy = place+": "+flag.Name, "put it under the commands that use it, such as audit:"
	}
	return fmt.Errorf("%s is set, but vperf %s accepts --%s on the command line only, to prevent accidental changes: use the flag, or %s",
		place, b.command, flag.Name, remedy)
}

// variables returns the names of a flag in the environment, strongest first.
func (b *binding) variables(flag *pflag.Flag) []string { return VariablesOf(b.command, flag) }

func (b *binding) variableOf(flag *pflag.Flag) (name string, found bool) {
	for _, name := range b.variables(flag) {
		if os.Getenv(name) != "" {
			return name, true
		}
	}
	return "", false
}

// set sets a flag to a value: a text, or a list from the file.
func set(flag *pflag.Flag, value any) error {
	list, ok := value.([]any)
	if !ok {
		return wrongValue(flag, fmt.Sprint(value), flag.Value.Set(fmt.Sprint(value)))
	}
	texts := make([]string, len(list))
	for i, item := range list {
		texts[i] = fmt.Sprint(item)
	}
	if slice, ok := flag.Value.(pflag.SliceValue); ok {
		return slice.Replace(texts)
	}
	if !is(flag, repeatable) {
		return errors.New("write one value here, not a list")
	}
	for _, text := range texts {
		if err := flag.Value.Set(text); err != nil {
			return err
		}
	}
	return nil
}

// wrongValue adds the valid form to errors of Go's own parsers, which do not mention it.
func wrongValue(flag *pflag.Flag, text string, err error) error {
	if err == nil {
		return nil
	}
	switch flag.Value.Type() {
	case "bool":
		return fmt.Errorf("%q is neither true nor false", text)
	case "int", "float64":
		return fmt.Errorf("%q is not a number", text)
	case "duration":
		return fmt.Errorf("%q is not a duration: write for example 5m or 90s", text)
	}
	return err
}

// textOf returns a flag's value as typed text.
func textOf(flag *pflag.Flag) string {
	if slice, ok := flag.Value.(pflag.SliceValue); ok {
		return strings.Join(slice.GetSlice(), ",")
	}
	return flag.Value.String()
}

// Given reports whether a flag's value is not the default.
func Given(flag *pflag.Flag) bool { return flag.Changed || is(flag, setElsewhere) }
