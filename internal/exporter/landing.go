package exporter

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed" // the page and its style
	"encoding/base64"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/ledger"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/advice"
)

var (
	//go:embed landing.html
	landingHTML string
	//go:embed landing.css
	landingCSS string

	landingTemplate = template.Must(template.New("landing").Parse(landingHTML))
)

// contentPolicy allows only the embedded style sheet: no scripts, no images, no other origins.
var contentPolicy = "default-src 'none'; style-src '" + styleHash(landingCSS) + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func styleHash(css string) string {
	sum := sha256.Sum256([]byte(css))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// landing serves the landing page, which shows the state of all targets.
func (s *server) landing(w http.ResponseWriter, _ *http.Request) {
	var page bytes.Buffer
	if err := landingTemplate.Execute(&page, s.landingView()); err != nil {
		s.Log.Error("rendering the landing page", "err", err)
		sayText(w, http.StatusInternalServerError, "cannot render the landing page; see the log")
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store") // the page shows the current state
	_ = http.NewResponseController(w).SetWriteDeadline(s.writeBefore())
	_, _ = w.Write(page.Bytes()) // a client that disconnected needs no answer
}

// landingView is the data of the landing page. Names from vCenter are plain text; the template escapes them.
type landingView struct {
	Style       template.CSS
	Now         string
	Version     string
	Metrics     string // a link; all links are relative, so that a proxy can serve the page below any path
	ReloadError string
	Targets     []targetView
	Visits      []visitView
}

// marked is a text with a CSS class: good, warn, bad, faint or none.
type marked struct{ Text, Class string }

type targetView struct {
	ID, Name, Raw, Address, Trouble string
	State, Age, Hosts, VMs, Series  marked
	Samples, Missed, MissedTotal    string
	Logins                          string
	Modules                         []module.Name
	Collectors                      []collectorView
	CostMean                        string
	Costs                           []costView
	CostTotal                       *costView
	Judged                          string
	FindingsTotal, Severities       string
	Findings                        []findingView
}

type collectorView struct {
	Name, Ran, Took, Err string
	State, Coverage      marked
}

type costView struct{ Method, Calls, Failures, Sent, Received, Took string }

type findingView struct{ Severity, Class, Rule, Title, Count string }

type visitView struct{ When, Target, Modules, Code, Class, Took, Size, Who string }

// none is the text for a missing value. It is not 0.
const none = "–"

func (s *server) landingView() landingView {
	now := s.now()
	v := landingView{
		Style:   template.CSS(landingCSS), //nolint:gosec // embedded in the binary
		Now:     now.UTC().Format("2006-01-02 15:04:05 UTC"),
		Version: s.Version,
		Metrics: strings.TrimPrefix(s.TelemetryPath, "/"),
	}
	if err := s.reloads.state().err; err != nil {
		v.ReloadError = iostreams.Sanitize(err.Error())
	}
	for i, t := range s.fleet.targets() {
		v.Targets = append(v.Targets, viewTarget(fmt.Sprintf("target-%d", i+1), t.Config(), t.Status(), now))
	}
	for _, visit := range s.history.last() {
		v.Visits = append(v.Visits, viewVisit(visit, now))
	}
	return v
}

func viewTarget(id string, c TargetConfig, st Status, now time.Time) targetView {
	v := targetView{
		ID: id, Name: iostreams.Sanitize(st.Name), Raw: st.Name, Address: iostreams.Sanitize(st.Address), Trouble: iostreams.Sanitize(st.Trouble),
		State: viewState(st), Age: viewAge(st.Ledger.Newest, now),
		Hosts: viewCoverage(st.Ledger.Hosts), VMs: viewCoverage(st.Ledger.VMs), Series: viewSeries(st.Ledger),
		Samples: grouped(st.Ledger.Samples), Logins: grouped(st.Logins),
		Modules: probable(c.Modules),
		Judged:  viewJudged(c, st, now),
	}
	if !asked(st) { // the inventory is not known yet
		v.Hosts, v.VMs, v.Trouble = marked{Text: none}, marked{Text: none}, ""
	}
	v.Missed, v.MissedTotal = viewMissed(st.Ledger.Missed)
	v.Costs, v.CostTotal, v.CostMean = viewCosts(st.Costs, st.Rounds)
	v.Findings, v.FindingsTotal = viewFindings(st)
	v.Severities = viewSeverities(st.Findings)
	for _, collector := range st.Collectors {
		v.Collectors = append(v.Collectors, viewCollector(collector, now))
	}
	return v
}

// probable returns the modules that a probe can request. A target with the module audit can also return findings.
func probable(modules []module.Name) []module.Name {
	if slices.Contains(modules, module.Audit) && !slices.Contains(modules, module.Findings) {
		return append(slices.Clone(modules), module.Findings)
	}
	return modules
}

func viewState(st Status) marked {
	switch {
	case !asked(st):
		return marked{"starting", "faint"}
	case !st.Up:
		return marked{"down", "bad"}
	case st.Trouble != "":
		return marked{"up, partial", "warn"}
	}
	return marked{"up", "good"}
}

// viewAge returns the age of the newest sample. A sample ahead of the exporter's clock is reported as such.
func viewAge(newest, now time.Time) marked {
	if newest.IsZero() {
		return marked{"none yet", "faint"}
	}
	age := now.Sub(newest)
	switch {
	case age < -5*time.Second:
		return marked{span(-age) + " ahead of the exporter's clock", "warn"}
	case age > time.Minute:
		return marked{span(age) + " ago", "warn"}
	}
	return marked{Text: ago(age)}
}

func viewCoverage(c ledger.Coverage) marked {
	m := marked{Text: fmt.Sprintf("%s of %s", grouped(c.Collected), grouped(c.Expected))}
	if c.Collected < c.Expected {
		m.Class = "warn"
	}
	return m
}

func viewSeries(st ledger.Stats) marked {
	if st.Over == 0 {
		return marked{Text: grouped(st.Series)}
	}
	return marked{fmt.Sprintf("%s (%s more over the limit are not exported)", grouped(st.Series), grouped(st.Over)), "bad"}
}

func viewMissed(missed map[string]uint64) (reasons, total string) {
	var parts []string
	var sum uint64
	most := func(a, b string) int { return cmp.Or(cmp.Compare(missed[b], missed[a]), cmp.Compare(a, b)) }
	for _, reason := range slices.SortedFunc(maps.Keys(missed), most) {
		if n := missed[reason]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", grouped(n), strings.ReplaceAll(reason, "_", " ")))
			sum += n
		}
	}
	if sum == 0 {
		return "none", "0"
	}
	return grouped(sum) + ": " + strings.Join(parts, ", "), grouped(sum)
}

func viewCollector(c CollectorStatus, now time.Time) collectorView {
	v := collectorView{Name: c.Name, Ran: none, Took: none, Err: iostreams.Sanitize(c.Err), State: marked{"not run yet", "faint"}, Coverage: marked{Text: none}}
	if c.Ran.IsZero() {
		return v
	}
	v.Ran, v.Took = ago(now.Sub(c.Ran)), span(c.Took)
	v.Coverage = viewCoverage(ledger.Coverage{Expected: c.Expected, Collected: c.Collected})
	v.State = marked{"complete", "good"}
	if !c.Success {
		v.State = marked{"incomplete", "bad"}
	}
	return v
}

// viewCosts returns the API calls by method, longest total duration first, their total, and the average per sampling round.
func viewCosts(costs map[string]session.Cost, rounds int) (rows []costView, total *costView, mean string) {
	if len(costs) == 0 {
		return nil, nil, "No API calls yet."
	}
	var sum session.Cost
	methods := slices.SortedFunc(maps.Keys(costs), func(a, b string) int {
		return cmp.Or(cmp.Compare(costs[b].Took, costs[a].Took), cmp.Compare(a, b))
	})
	for _, method := range methods {
		c := costs[method]
		rows = append(rows, viewCost(method, c))
		sum.Calls += c.Calls
		sum.Failures += c.Failures
		sum.Sent += c.Sent
		sum.Received += c.Received
		sum.Took += c.Took
	}
	all := viewCost("all", sum)
	if rounds == 0 {
		return rows, &all, fmt.Sprintf("So far: %s calls, %s sent, %s received, %s in calls.", all.Calls, all.Sent, all.Received, all.Took)
	}
	n := int64(rounds)
	return rows, &all, fmt.Sprintf("Average per sampling round: %s calls, %s sent, %s received, %s in calls. Rounds: %s; surveys are included.",
		strconv.FormatFloat(float64(sum.Calls)/float64(rounds), 'f', 1, 64), bytesText(sum.Sent/n), bytesText(sum.Received/n), span(sum.Took/time.Duration(n)), grouped(rounds))
}

func viewCost(method string, c session.Cost) costView {
	return costView{method, grouped(c.Calls), grouped(c.Failures), bytesText(c.Sent), bytesText(c.Received), span(c.Took)}
}

// viewFindings returns the failing rules, worst first, each with its number of objects.
func viewFindings(st Status) (rows []findingView, total string) {
	if st.Findings == nil {
		return nil, none
	}
	sum := 0
	for _, f := range st.Findings {
		if f.Outcome != advice.Fail || f.Count == 0 {
			continue
		}
		sum += f.Count
		class := ""
		switch {
		case f.Severity.AtLeast(advice.High):
			class = "bad"
		case f.Severity == advice.Medium:
			class = "warn"
		}
		rows = append(rows, findingView{string(f.Severity), class, f.Rule, iostreams.Sanitize(f.Title), grouped(f.Count)})
	}
	return rows, grouped(sum)
}

// viewSeverities returns the number of findings by severity, worst first.
func viewSeverities(findings []FindingCount) string {
	sums := map[advice.Severity]int{}
	for _, f := range findings {
		if f.Outcome == advice.Fail {
			sums[f.Severity] += f.Count
		}
	}
	var parts []string
	for _, severity := range advice.Severities() {
		if n := sums[severity]; n > 0 {
			parts = append(parts, grouped(n)+" "+string(severity))
		}
	}
	return strings.Join(parts, ", ")
}

// viewJudged returns the time of the last audit and the number of objects by outcome.
func viewJudged(c TargetConfig, st Status, now time.Time) string {
	switch {
	case st.Findings == nil && !slices.Contains(c.Modules, module.Audit):
		return "The module audit is not enabled for this target."
	case st.Findings == nil:
		return "No audit yet."
	}
	var parts []string
	for _, o := range advice.Outcomes() {
		if n := st.Outcomes[o]; n > 0 {
			parts = append(parts, grouped(n)+" "+string(o))
		}
	}
	outcome := "nothing to check"
	if len(parts) > 0 {
		outcome = strings.Join(parts, ", ")
	}
	if st.Judged.IsZero() {
		return "Last audit: " + outcome + "."
	}
	return fmt.Sprintf("Last audit %s: %s.", ago(now.Sub(st.Judged)), outcome)
}

func viewVisit(v visit, now time.Time) visitView {
	modules := "default"
	if len(v.Modules) > 0 {
		modules = strings.Join(v.Modules, ", ")
	}
	target := none
	if v.Target != "" {
		target = iostreams.Sanitize(v.Target)
	}
	class := "good"
	if v.Code >= 400 {
		class = "bad"
	}
	return visitView{
		When: ago(now.Sub(v.When)), Target: target, Modules: modules,
		Code: strconv.Itoa(v.Code), Class: class, Took: span(v.Took), Size: bytesText(v.Bytes), Who: v.Who,
	}
}

// ago formats the time that has passed since an event.
func ago(d time.Duration) string {
	if d < time.Second {
		return "just now"
	}
	return span(d) + " ago"
}

// span formats a duration with about two significant digits.
func span(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

// bytesText formats a number of bytes with a binary unit.
func bytesText(n int64) string {
	v, unit := float64(n), ""
	for _, unit = range []string{"B", "KiB", "MiB", "GiB", "TiB"} {
		if v < 1024 || unit == "TiB" {
			break
		}
		v /= 1024
	}
	if unit == "B" || v >= 100 {
		return fmt.Sprintf("%.0f %s", v, unit)
	}
	return fmt.Sprintf("%.1f %s", v, unit)
}

// grouped formats a number with thousands separators.
func grouped[N int | uint64](n N) string {
	s := strconv.FormatUint(uint64(n), 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
