// Package flaghint says what to type instead of a flag that a command does not have, or of a value that a flag does not take.
package flaghint

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// Of adds a hint for users who type -json, as for Go's own flags and govc.
func Of(c *cobra.Command, err error) error {
	if name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --"); unknown {
		return suggestCommands(c, name, err)
	}
	_, typed, found := strings.Cut(err.Error(), " in -")
	if !found || !strings.HasPrefix(err.Error(), "unknown shorthand flag") {
		return valueHint(c, err)
	}
	name, _, _ := strings.Cut(typed, "=")
	switch {
	case name == "json":
		return errors.New("unknown flag -json: write -o json")
	case c.Flags().Lookup(name) != nil:
		return fmt.Errorf("unknown flag -%s: long flags take two dashes, --%s", name, typed)
	}
	return err
}

// suggestCommands adds to err the commands that have a flag that c does not have.
func suggestCommands(c *cobra.Command, name string, err error) error {
	var others []string
	for _, other := range c.Root().Commands() {
		if other.IsAvailableCommand() && other.Flags().Lookup(name) != nil {
			others = append(others, other.Name())
		}
	}
	if instead := flagsOfOthers[name]; instead != "" && len(others) == 0 {
		return fmt.Errorf("%w: %s", err, instead)
	}
	if len(others) == 0 {
		return err
	}
	return fmt.Errorf("%w; there is one of %s", err, strings.Join(others, ", "))
}

// flagsOfOthers are flags that govc, kubectl and other tools have, and what to type instead.
var flagsOfOthers = map[string]string{
	"json": "write -o json", "yaml": "write -o yaml", "format": "write -o FORMAT", "csv": "write -o csv", "markdown": "write -o md", "html": "the command report writes HTML",
	"user": "write --username", "login": "write --username",
	"password": "other users of this machine could read it; use --password-file, VPERF_PASSWORD or vperf context add",
	"server":   "write --url", "vcenter": "write --url", "host": "write the host as an argument", "hosts": "write the hosts as arguments",
	"insecure-skip-tls-verify": "write --insecure", "no-color": "write --color never", "no-colour": "write --color never", "colour": "write --color",
	"debug": "write --verbose", "trace": "write --verbose", "dry-run": "the command plan shows the changes", "check": "the command plan shows the changes",
	"file": "write --from FILE for a snapshot", "input": "write --from FILE for a snapshot", "output-file": "write -o FORMAT=FILE", "out-file": "write -o FORMAT=FILE",
	"vms": "write --vm", "clusters": "write --cluster", "id": "write --rule", "tags": "write --category", "min-severity": "write --severity",
	"duration": "write --for", "timeout": "write --for for the time to measure", "samples": "write --for", "force": "vperf never skips its checks; --yes answers its question",
}

// valueHint distinguishes -demo, which parses as -d emo, from a wrong value, and adds the format of numbers and times.
func valueHint(c *cobra.Command, err error) error {
	var value, names string
	if n, _ := fmt.Sscanf(err.Error(), "invalid argument %q for %q flag:", &value, &names); n < 2 {
		return err
	}
	short, long, _ := strings.Cut(names, ", ")
	flag := c.Flags().Lookup(strings.TrimLeft(names[max(0, strings.Index(names, "--")):], "-"))
	meant, _, _ := strings.Cut(strings.TrimPrefix(short, "-")+value, "=")
	switch {
	case flag == nil:
	case long != "" && c.Flags().Lookup(meant) != nil:
		return fmt.Errorf("unknown flag -%s: long flags take two dashes, --%s", meant, strings.TrimPrefix(short, "-")+value)
	case flag.Value.Type() == "int", flag.Value.Type() == "float64":
		return fmt.Errorf("--%s: %q is not a number", flag.Name, value)
	case flag.Value.Type() == "duration":
		return fmt.Errorf("--%s: %q is not a duration: write for example 5m or 90s", flag.Name, value)
	}
	if _, why, _ := strings.Cut(err.Error(), " flag: "); flag != nil && why != "" && !strings.HasPrefix(why, "strconv.") {
		return fmt.Errorf("--%s: %s", flag.Name, why)
	}
	return err
}
