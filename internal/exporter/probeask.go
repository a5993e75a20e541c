package exporter

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/expfmt"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/internal/iostreams"
)

// ask is the content of a probe request.
type ask struct {
	target  sampled
	name    string
	modules []module.Name // in the order of pages, each once; none: the target's default
	format  exposition.Format
	gzip    bool
	debug   bool
	timeout time.Duration
}

// refusal is why a request is refused, and what to request instead.
type refusal struct {
	code int
	why  string
}

func refuse(code int, format string, args ...any) *refusal {
	return &refusal{code, fmt.Sprintf(format, args...)}
}

// parseProbe parses a probe request. For a refused one, it returns the parts that were understood.
func (s *server) parseProbe(r *http.Request) (a ask, refused *refusal) {
	query := r.URL.Query()
	if names := query["target"]; len(names) > 0 {
		a.name = shortened(names[0])
	}
	if a.target, refused = s.one(query["target"]); refused != nil {
		return a, refused
	}
	if a.modules, refused = parseModules(query["module"]); refused != nil {
		return a, refused
	}
	if a.timeout, refused = s.timeout(r.Header.Get("X-Prometheus-Scrape-Timeout-Seconds")); refused != nil {
		return a, refused
	}
	if a.debug, refused = parseDebug(query.Get("debug")); refused != nil {
		return a, refused
	}
	a.format = negotiate(r.Header)
	a.gzip = !a.debug && takesGzip(r.Header)
	return a, nil
}

// one finds the target that is asked for. A target is always named, even where there is one only: a scrape that goes on to
// work by luck when a second target is added would mix up two servers.
func (s *server) one(names []string) (sampled, *refusal) {
	switch {
	case len(names) == 0 || names[0] == "":
		return nil, refuse(http.StatusBadRequest, "the target is missing: use /probe?target=NAME; %s", s.known())
	case len(names) > 1:
		return nil, refuse(http.StatusBadRequest, "%d targets in one request: request one at a time", len(names))
	}
	t, found := s.fleet.target(names[0])
	if !found {
		return nil, refuse(http.StatusNotFound, "there is no target %q in the configuration, and the exporter contacts no other address; %s", shortened(names[0]), s.known())
	}
	return t, nil
}

// known says which targets there are.
func (s *server) known() string {
	var names []string
	for _, t := range s.fleet.targets() {
		names = append(names, t.Config().Name)
	}
	if len(names) == 0 {
		return "there are no targets yet"
	}
	return "the targets are " + quoted(names)
}

// parseModules reads module=basic&module=disk,net. The order in which they come and repetitions do not matter, so that the same
// page serves all who mean the same.
func parseModules(values []string) ([]module.Name, *refusal) {
	wanted := map[module.Name]bool{}
	for _, value := range values {
		for word := range strings.SplitSeq(value, ",") {
			m := module.Name(strings.TrimSpace(word))
			if m == "" {
				continue
			}
			if !slices.Contains(module.All, m) {
				return nil, refuse(http.StatusBadRequest, "there is no module %q; the modules are %s", shortened(string(m)), strings.Join(module.Words(module.All), ", "))
			}
			wanted[m] = true
		}
	}
	var modules []module.Name
	for _, m := range module.All {
		if wanted[m] {
			modules = append(modules, m)
		}
	}
	return modules, nil
}

// timeout returns how long a probe may take: the scraper's timeout, less the offset.
func (s *server) timeout(header string) (time.Duration, *refusal) {
	if header == "" {
		return noTimeout, nil
	}
	given, err := strconv.ParseFloat(header, 64)
	if err != nil || math.IsNaN(given) || given <= 0 {
		return 0, refuse(http.StatusBadRequest, "X-Prometheus-Scrape-Timeout-Seconds: %q is not a number of seconds", shortened(header))
	}
	if given >= maxTimeout.Seconds() {
		return maxTimeout, nil
	}
	limit := time.Duration(given * float64(time.Second))
	if s.TimeoutOffset < limit {
		return limit - s.TimeoutOffset, nil
	}
	return limit / 2, nil // a timeout shorter than the offset still gets an answer
}

func parseDebug(value string) (bool, *refusal) {
	if value == "" {
		return false, nil
	}
	debug, err := strconv.ParseBool(value)
	if err != nil {
		return false, refuse(http.StatusBadRequest, "debug=%q: write debug=true", shortened(value))
	}
	return debug, nil
}

// negotiate selects the format: OpenMetrics for scrapers that request it with its version, text for all others.
func negotiate(h http.Header) exposition.Format {
	f := expfmt.NegotiateAccept(h, expfmt.FmtOpenMetrics_1_0_0, expfmt.FmtText)
	if f.FormatType() == expfmt.TypeOpenMetrics {
		return exposition.OpenMetrics
	}
	return exposition.Text
}

// takesGzip reports whether the answer may be compressed. A word of its own beats *, and q=0 is a no.
func takesGzip(h http.Header) bool {
	others := false
	for _, line := range h.Values("Accept-Encoding") {
		for part := range strings.SplitSeq(line, ",") {
			name, params, _ := strings.Cut(part, ";")
			switch strings.ToLower(strings.TrimSpace(name)) {
			case "gzip":
				return wanted(params)
			case "*":
				others = wanted(params)
			}
		}
	}
	return others
}

// wanted reads the weight of an encoding; one that cannot be read is no wish.
func wanted(params string) bool {
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(param, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "q") {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		return err == nil && q > 0
	}
	return true
}

// who returns the address that a request came from, without its port.
func who(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr // a socket of systemd may be none of the network
	}
	return host
}

// failure is how a probe without a page is answered.
func failure(a ask, err error) (code int, why string) {
	var not *ModuleError
	switch {
	case errors.As(err, &not):
		return http.StatusBadRequest, iostreams.Sanitize(not.Error())
	case errors.Is(err, errBusy):
		return http.StatusServiceUnavailable, err.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusGatewayTimeout, fmt.Sprintf("the page of target %q was not ready within %s", a.name, a.timeout)
	case errors.Is(err, context.Canceled):
		return http.StatusServiceUnavailable, "the probe was cancelled"
	}
	return http.StatusInternalServerError, fmt.Sprintf("rendering the page of target %q: %s", a.name, iostreams.Sanitize(err.Error()))
}

// errBusy is for probes beyond [maxProbes].
var errBusy = errors.New("too many probes at once: try again")
