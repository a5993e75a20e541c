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

// contentPolicy allows our own style and nothing else: no script, no pictures, nothing from elsewhere.
var contentPolicy = "default-src 'none'; style-src '" + styleHash(landingCSS) + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func styleHash(css string) string {
	sum := sha256.Sum256([]byte(css))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// landing shows people how the targets are.
func (s *server) landing(w http.ResponseWriter, _ *http.Request) {
	var page bytes.Buffer
	if err := landingTemplate.Execute(&page, s.landingView()); err != nil {
		s.Log.Error("making the landing page", "err", err)
		sayText(w, http.StatusInternalServerError, "the landing page could not be made; the log has more")
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store") // it shows this moment
	_ = http.NewResponseController(w).SetWriteDeadline(s.writeBefore())
	_, _ = w.Write(page.Bytes()) // who went away needs no answer
}

// landingView is the landing page in words. Names that others chose are plain text here; the template escapes them.
type landingView struct {
	Style       template.CSS
	Now         string
	Version     string
	Metrics     string // a link: all links are relative, so that a proxy may put the page anywhere
	ReloadError string
	Targets     []targetView
	Visits      []visitView
}

// marked is a text and how good it is: good, warn, bad, faint or nothing.
type marked struct{ Text, Class string }

type targetView struct {
	ID, Name, Raw, Address, Trouble string
	State, Age, Hosts, VMs, Series  marked
	Samples, Missed, MissedTotal    string
	Logins                          string
	Modules                         []Module
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

// none is shown where there is nothing to show, which is not 0.
const none = "–"

func (s *server) landingView() landingView {
	now := s.now()
	v := landingView{
		Style:   template.CSS(landingCSS), //nolint:gosec // our own, from the binary
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
	if !asked(st) { // nobody knows yet who is there
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

// probable are the modules that a probe may ask for: who judges can tell of each finding, too.
func probable(modules []Module) []Module {
	if slices.Contains(modules, Audit) && !slices.Contains(modules, Findings) {
		return append(slices.Clone(modules), Findings)
	}
	return modules
}

func viewState(st Status) marked {
	switch {
	case !asked(st):
		return marked{"not asked yet", "faint"}
	case !st.Up:
		return marked{"down", "bad"}
	case st.Trouble != "":
		return marked{"up, in part", "warn"}
	}
	return marked{"up", "good"}
}

// viewAge says how old a sample is, as far as our clock and the server's agree.
func viewAge(newest, now time.Time) marked {
	if newest.IsZero() {
		return marked{"none yet", "faint"}
	}
	age := now.Sub(newest)
	switch {
	case age < -5*time.Second:
		return marked{"ahead of our clock by " + span(-age), "warn"}
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
	return marked{fmt.Sprintf("%s, and %s over the limit that are left out", grouped(st.Series), grouped(st.Over)), "bad"}
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

// viewCosts are the costs by method, those that took the server longest first, and what a collection costs in the mean.
func viewCosts(costs map[string]session.Cost, rounds int) (rows []costView, total *costView, mean string) {
	if len(costs) == 0 {
		return nil, nil, "Nothing yet."
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
	return rows, &all, fmt.Sprintf("A collection: %s calls, %s sent, %s received, %s in calls; the mean of %s, with all that was read besides.",
		strconv.FormatFloat(float64(sum.Calls)/float64(rounds), 'f', 1, 64), bytesText(sum.Sent/n), bytesText(sum.Received/n), span(sum.Took/time.Duration(n)), grouped(rounds))
}

func viewCost(method string, c session.Cost) costView {
	return costView{method, grouped(c.Calls), grouped(c.Failures), bytesText(c.Sent), bytesText(c.Received), span(c.Took)}
}

// viewFindings are the rules that fail, worst first, each with the number of its objects.
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

// viewSeverities says how many findings there are of each severity, worst first.
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

// viewJudged says when the configuration was judged, and all outcomes.
func viewJudged(c TargetConfig, st Status, now time.Time) string {
	switch {
	case st.Findings == nil && !slices.Contains(c.Modules, Audit):
		return "The module audit is not among those of this target."
	case st.Findings == nil:
		return "Not judged yet."
	}
	var parts []string
	for _, o := range advice.Outcomes() {
		if n := st.Outcomes[o]; n > 0 {
			parts = append(parts, grouped(n)+" "+string(o))
		}
	}
	said := "nothing to judge"
	if len(parts) > 0 {
		said = strings.Join(parts, ", ")
	}
	if st.Judged.IsZero() {
		return "Judged: " + said + "."
	}
	return fmt.Sprintf("Judged %s: %s.", ago(now.Sub(st.Judged)), said)
}

func viewVisit(v visit, now time.Time) visitView {
	modules := "none named"
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

// ago says how long ago something was.
func ago(d time.Duration) string {
	if d < time.Second {
		return "just now"
	}
	return span(d) + " ago"
}

// span is a time as people say it: two figures are enough.
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

// bytesText is a number of bytes as people say it.
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

// grouped is a number with its thousands apart.
func grouped[N int | uint64](n N) string {
	s := strconv.FormatUint(uint64(n), 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
