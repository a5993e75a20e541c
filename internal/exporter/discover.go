package exporter

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/pkg/inventory"
)

// discover answers /sd/hosts for Prometheus's HTTP service discovery: always the whole list, of one target or of all, and [] when
// there is nothing.
func (s *server) discover(w http.ResponseWriter, r *http.Request) {
	all := s.fleet.targets()
	if names := r.URL.Query()["target"]; len(names) > 0 {
		t, refused := s.one(names)
		if refused != nil {
			sayText(w, refused.code, refused.why)
			return
		}
		all = []sampled{t}
	}
	groups := []Group{}
	for _, t := range all {
		groups = append(groups, t.Discover()...)
	}
	body, err := json.Marshal(groups)
	if err != nil {
		s.Log.Error("listing hosts", "err", err)
		sayText(w, http.StatusInternalServerError, "cannot write the list of hosts; see the log")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = http.NewResponseController(w).SetWriteDeadline(s.writeBefore()) // where there are no deadlines the server's own holds
	_, _ = w.Write(body)                                                // the client may have disconnected
}

// Discover are the target's hosts for service discovery, with __meta_vsphere_* labels. A tag's label is __meta_vsphere_tag_CATEGORY, of
// the categories that the target is configured with.
func (t *Target) Discover() []Group {
	s := t.snapshot()
	groups := make([]Group, 0, len(s.here.hosts))
	for i := range s.here.hosts {
		h := &s.here.hosts[i]
		g := Group{Targets: []string{h.Name}, Labels: t.meta(h)}
		if s.survey != nil {
			for label, value := range s.survey.labels[h.MoID] {
				g.Labels[metaPrefix+label] = value
			}
		}
		groups = append(groups, g)
	}
	return groups
}

const metaPrefix = "__meta_vsphere_"

// meta returns a host's labels. Unknown ones are omitted.
func (t *Target) meta(h *source.Host) map[string]string {
	connection := "connected"
	if h.Down != "" {
		connection = "disconnected"
	}
	labels := map[string]string{}
	word := func(f inventory.Fact[bool]) string {
		yes, known := f.Value()
		if !known {
			return ""
		}
		return strconv.FormatBool(yes)
	}
	for name, value := range map[string]string{
		"target": t.config.Name, "host": h.Name, "moid": h.MoID, "cluster": h.Cluster, "datacenter": h.Datacenter, "path": h.Path,
		"version": versionOf(h), "build": h.Build, "model": h.Model, "power_state": h.Power, "connection": connection,
		"maintenance": word(h.Maintenance), "standby": word(h.Standby),
	} {
		if value != "" {
			labels[metaPrefix+name] = strings.ToValidUTF8(value, "\uFFFD")
		}
	}
	return labels
}

func versionOf(h *source.Host) string {
	if v, ok := h.Version.Value(); ok {
		return v.String()
	}
	return ""
}
