package exporter

import (
	"encoding/json"
	"net/http"
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
		s.Log.Error("telling of hosts", "err", err)
		sayText(w, http.StatusInternalServerError, "the list of hosts could not be made")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = http.NewResponseController(w).SetWriteDeadline(s.writeBefore()) // where there are no deadlines the server's own holds
	_, _ = w.Write(body)                                                // who went away needs no answer
}
