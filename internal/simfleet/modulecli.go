package simfleet

import (
	"strings"

	cli "github.com/vmware/govmomi/cli/esx"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
)

// cliParameters lists what the module that -m names can be told, each with the value that it is configured with.
func (e cliHost) cliParameters(args map[string]string) ([]cli.Values, bool) {
	options, ok := e.modules[args["module"]]
	if !ok {
		return nil, false
	}
	configured := optionsIn(options.Configured)
	rows := []cli.Values{}
	for _, name := range fleetdata.Demo().ModuleParameters[args["module"]] {
		rows = append(rows, values("Name", name, "Type", "array of int", "Value", configured[name], "Description", name))
	}
	return rows, true
}

// optionsIn takes a module's option string apart.
func optionsIn(text string) map[string]string {
	all := map[string]string{}
	for option := range strings.FieldsSeq(text) {
		name, value, _ := strings.Cut(option, "=")
		all[name] = value
	}
	return all
}
