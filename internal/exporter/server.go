package exporter

import (
	"errors"
	"net/http"
	"time"

	"github.com/vperf/vperf/internal/iostreams"
)

// server answers HTTP requests from stored samples. It never calls a target's server.
type server struct {
	ServerOptions
	fleet   fleet
	now     func() time.Time
	history history
	metrics *selfMetrics
	reloads *reloader
	// slots bound how many pages are being made or waited for at once.
	slots chan struct{}
	// writeLimit is how long a client may take to read its answer.
	writeLimit time.Duration
	// shutdownLimit is how long scrapes that have begun may take to finish.
	shutdownLimit time.Duration
}

// healthy says that we answer, whatever the targets do.
func (s *server) healthy(w http.ResponseWriter, _ *http.Request) {
	sayText(w, http.StatusOK, "vperf is healthy.")
}

// ready says that each target has been asked once: it has answered or failed. Until then a scrape could find less than there is.
func (s *server) ready(w http.ResponseWriter, _ *http.Request) {
	var waiting []string
	for _, t := range s.fleet.targets() {
		if st := t.Status(); !asked(st) {
			waiting = append(waiting, st.Name)
		}
	}
	if len(waiting) > 0 {
		sayText(w, http.StatusServiceUnavailable, "vperf is not ready: it is waiting for the first answer of "+quoted(waiting)+".")
		return
	}
	sayText(w, http.StatusOK, "vperf is ready.")
}

// reload handles /-/reload. As with other exporters, it needs no flag: it takes no input.
func (s *server) reload(w http.ResponseWriter, r *http.Request) {
	switch err := s.reloads.reload(r.Context()); {
	case errors.Is(err, errNothingToReload):
		sayText(w, http.StatusNotImplemented, err.Error())
	case err != nil:
		sayText(w, http.StatusInternalServerError, "the new configuration is not used, the old one stays in force: "+iostreams.Sanitize(err.Error()))
	default:
		sayText(w, http.StatusOK, "The configuration was reloaded.")
	}
}

// writeBefore is until when the answer that begins now has to be read.
func (s *server) writeBefore() time.Time { return time.Now().Add(s.writeLimit) }
