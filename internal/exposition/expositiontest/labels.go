package expositiontest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
)

// Labels that series may have. Labels of targets, such as cluster or datacenter, are excluded because they would clash.
var (
	onData = []string{
		"host", "vm", "moid", "cpu", "node", "adapter", "path", "device", "nfs", "gpu", "pci_id", "resource_pool", "pnic", "port", "vnic", "disk", "vcpu", "datastore", "sensor", "kind", "module",
		"world", "partition", "vector", "state", "role", // only from the Esxtop service
	}
	onOurs = []string{
		"collector", "reason", "rule", "severity", "outcome", "object", "kind", "moid", "vcenter", "target", "method", "code", "le", "quantile",
	}
	onInfo = []string{
		"host_moid", "vsphere_cluster", "vsphere_datacenter", "version", "build", "model", "guest", "uuid", "bios_uuid", "driver", "driver_version", "firmware", "evc_mode", "drs_automation",
		"vendor", "type", "profile", "parent", "parent_moid", "branch", "revision", "goversion", "goos", "goarch", "tags",
	}
	onClusters = []string{"vsphere_cluster", "vsphere_datacenter", "moid"}
)

// allowed reports whether series of a name may have a label.
func allowed(name, label string) bool {
	info := strings.HasSuffix(name, "_info")
	switch {
	case info && (slices.Contains(onInfo, label) || strings.HasPrefix(label, "tag_") || strings.HasPrefix(label, "attribute_")):
		return true
	case strings.HasPrefix(name, "esxi_cluster_"):
		return slices.Contains(onClusters, label)
	case strings.HasPrefix(name, "vperf_"):
		return slices.Contains(onOurs, label)
	}
	return slices.Contains(onData, label)
}

// labels checks that a series has only these labels, and an id with each name, because names are not unique.
func labels(f *dto.MetricFamily) (all []error) {
	wrong := map[string]bool{}
	for _, m := range f.Metric {
		has := map[string]bool{}
		for _, l := range m.Label {
			has[l.GetName()] = true
			if !allowed(f.GetName(), l.GetName()) {
				wrong["it may not have the label "+l.GetName()] = true
			}
		}
		if strings.HasPrefix(f.GetName(), "esxi_") && !has["moid"] {
			wrong["a series has no moid"] = true
		}
		if has["vm"] && has["host"] && !strings.HasSuffix(f.GetName(), "_info") {
			wrong["it has both vm and host: a move of the VM would begin another series"] = true
		}
	}
	for what := range wrong {
		all = append(all, errors.New(what))
	}
	slices.SortFunc(all, func(a, b error) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return all
}
