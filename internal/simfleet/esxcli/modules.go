package esxcli

import (
	"strings"

	cli "github.com/vmware/govmomi/cli/esx"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
)

// cliParameters lists the parameters of the module that -m names, each with its configured value.
func (e cliHost) cliParameters(args map[string]string) ([]cli.Values, bool) {
	options, ok := e.Modules[args["module"]]
	if !ok {
		return nil, false
	}
	configured := OptionsIn(options.Configured)
	rows := []cli.Values{}
	for _, name := range fleetdata.Demo().ModuleParameters[args["module"]] {
		rows = append(rows, values("Name", name, "Type", "array of int", "Value", configured[name], "Description", name))
	}
	return rows, true
}

// OptionsIn parses a module's option string.
func OptionsIn(text string) map[string]string {
	all := map[string]string{}
	for option := range strings.FieldsSeq(text) {
		name, value, _ := strings.Cut(option, "=")
		all[name] = value
	}
	return all
}
