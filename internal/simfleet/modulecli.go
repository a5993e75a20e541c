package simfleet

import (
	"strings"

	cli "github.com/vmware/govmomi/cli/esx"
)

// moduleParameters are options that drivers take, by the name of the module.
var moduleParameters = map[string][]string{
	"i40en":      {"DRSS", "EEE", "LLDP", "RSS", "RxITR", "TxITR", "VMDQ", "max_vfs", "trust_all_vfs"},
	"icen":       {"DRSS", "LLDP", "NumQPsPerVF", "RSS", "RxDesc", "TxDesc", "max_vfs", "trust_all_vfs"},
	"ixgben":     {"DRSS", "FdirMode", "RSS", "RxITR", "TxITR", "VMDQ", "max_vfs"},
	"nmlx4_en":   {"netq_num_rings_per_rss", "num_rings_per_rss_queue", "pfcrx", "pfctx"},
	"nmlx5_core": {"DRSS", "GEN_RSS", "RSS", "dropless_rq", "max_vfs", "netq_rss_ens", "pfcrx", "pfctx", "supported_num_ports"},
}

// cliParameters lists what the module that -m names can be told, each with the value that it is configured with.
func (e *esxi) cliParameters(args map[string]string) ([]cli.Values, bool) {
	options, ok := e.modules.modules[args["module"]]
	if !ok {
		return nil, false
	}
	configured := optionsIn(options.configured)
	rows := []cli.Values{}
	for _, name := range moduleParameters[args["module"]] {
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
