package deploy

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// kubePages are pages in the format of kube-state-metrics, by the name of their Kubernetes cluster. VMs of the demo fleet are the nodes. In
// cluster shop, a cloud provider knows the UUIDs of the VMs; in cluster desk, there is none, and the nodes report their UUIDs in all forms.
var kubePages = map[string]string{
	"shop": "testdata/kube-state-metrics-shop.prom",
	"desk": "testdata/kube-state-metrics-desk.prom",
}

// kubeTargets serves each page, and returns the targets of the job kube-state-metrics.
func kubeTargets(t *testing.T) string {
	t.Helper()
	var targets []string
	for _, cluster := range slices.Sorted(maps.Keys(kubePages)) {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
			http.ServeFile(w, r, kubePages[cluster])
		}))
		t.Cleanup(server.Close)
		targets = append(targets, fmt.Sprintf("- {targets: [%q], labels: {cluster: %s}}", server.Listener.Addr(), cluster))
	}
	return strings.Join(targets, "\n      ")
}

// nodeVMs maps each node of the pages to its VM and the host of the VM in the demo fleet.
var nodeVMs = map[string][2]string{
	"shop-cp-1":     {"app-cache-01", "host04.demo.local"},
	"shop-cp-2":     {"app-cache-02", "host04.demo.local"},
	"shop-cp-3":     {"app-clean-01", "host08.demo.local"},
	"shop-worker-1": {"spark-01", "host07.demo.local"},
	"shop-worker-2": {"spark-02", "host08.demo.local"},
	"desk-cp-1":     {"app-disc-01", "host06.demo.local"}, // capital letters
	"desk-linux-1":  {"app-disc-02", "host06.demo.local"}, // the UUID as in vCenter
	"desk-linux-2":  {"app-grow-01", "host06.demo.local"}, // the other byte order
	"desk-win-1":    {"desk-01", "host16.demo.local"},     // the other byte order, in capital letters
	"desk-win-2":    {"desk-02", "host16.demo.local"},     // capital letters
}

// liveKubernetes checks that the rules find the VM of each node in every form of its UUID, and the nodes that share a host.
func liveKubernetes(t *testing.T, a api) {
	waitFor(t, "nodes", func() error {
		list, err := a.query("kube_node:esxi_vm:info")
		if err == nil && len(list) < len(nodeVMs) {
			err = fmt.Errorf("%d of %d nodes", len(list), len(nodeVMs))
		}
		return err
	})
	list, err := a.query("kube_node:esxi_vm:info")
	require.NoError(t, err)
	found := map[string][2]string{}
	for _, labels := range list {
		found[labels["node"]] = [2]string{labels["vm"], labels["host"]}
		require.True(t, strings.HasPrefix(labels["node"], labels["cluster"]+"-"), labels["node"])
		require.Equal(t, "demo", labels["instance"])
	}
	require.Equal(t, nodeVMs, found)

	a.only(t, "kube_node:without_vm:info", "node", "desk-metal-1")
	a.only(t, `host:kube_nodes:count == 3`, "host", "host06.demo.local")
	a.only(t, `host:kube_control_plane:ratio > 0.6`, "host", "host04.demo.local")
	// The rates rise during the first five minutes, so the test compares nodes.
	a.only(t, `topk(1, kube_node:esxi_cpu_costop_per_vcpu:ratio_rate5m{cluster="shop"})`, "node", "shop-worker-2")
	a.only(t, `topk(1, kube_node:esxi_cpu_contention_per_vcpu:ratio_rate5m{cluster="desk"})`, "host", "host16.demo.local")
}

// only waits until a query has one series, with a value of a label.
func (a api) only(t *testing.T, expr, label, value string) {
	t.Helper()
	waitFor(t, expr, func() error {
		list, err := a.query(expr)
		if err == nil && (len(list) != 1 || list[0][label] != value) {
			err = fmt.Errorf("want one series with %s %s, have %v", label, value, list)
		}
		return err
	})
}
