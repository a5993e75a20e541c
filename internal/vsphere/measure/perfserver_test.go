package measure

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/soap"

	"github.com/vperf/vperf/internal/vsphere/vspheretest"

	soapwire "github.com/vperf/vperf/internal/vsphere/wire"
)

// perfServer answers QueryPerf in front of a simulator, with configurable behaviour.
type perfServer struct {
	*vspheretest.Sim
	clock *perfClock

	mu       sync.Mutex
	lag      time.Duration            // until a sample is available
	behind   map[string]bool          // objects whose newest sample is missing as yet
	shift    int64                    // seconds after the full twenty at which samples are taken
	most     int                      // maximum entities per call; 0: no limit
	noCSV    bool                     // it refuses the CSV form
	since    time.Time                // there are no older samples
	again    bool                     // answers include the sample at the start of a query
	ids      bool                     // it does not know the counter ids
	newest   bool                     // samples are ordered newest first
	lists    bool                     // it always answers in the other form
	hangs    map[string]bool          // hosts whose samples never come
	gone     map[string]bool          // objects that it does not have
	sick     map[string]bool          // objects that make calls fail
	denied   map[string]bool          // objects that the user may not see
	nowHere  map[string]string        // the hosts of VMs that moved
	off      map[string]time.Duration // how far the clocks of hosts are ahead
	floor    map[string]time.Time     // hosts have no older samples
	mute     map[string]string        // what objects have instead of values
	broken   bool                     // every call fails
	breaks   bool                     // it closes the connection at every call
	value    func(slot int64) string  // the value of any series
	sizes    []int                    // number of entities of each call
	held     chan struct{}            // ends hung calls
	limits   map[string]func()        // end the time limit of a call, by its query
	requests []string
}

// perfSpec is the query for one entity.
type perfSpec struct {
	kind, moid, start, end string
	newest, csv            bool // only the newest sample; in CSV form
	metrics                string
}

// perfSpecs returns the specs of a request. Regular expressions take ten times as long under the race detector.
func perfSpecs(body string) (specs []perfSpec) {
	for _, text := range strings.Split(body, "<querySpec>")[1:] {
		s := perfSpec{
			moid: textOf(text, "entity"), start: textOf(text, "startTime"), end: textOf(text, "endTime"),
			newest: textOf(text, "maxSample") == "1", csv: textOf(text, "format") == "csv", metrics: text,
		}
		_, s.kind, _ = strings.Cut(text, `<entity type="`)
		s.kind, _, _ = strings.Cut(s.kind, `"`)
		specs = append(specs, s)
	}
	return specs
}

// textOf returns the text of the first element with that name.
func textOf(text, element string) string {
	_, text, _ = strings.Cut(text, "<"+element)
	_, text, _ = strings.Cut(text, ">")
	text, _, _ = strings.Cut(text, "</"+element+">")
	return text
}

// perfMetrics returns the requested counters and instances.
func perfMetrics(text string) (list [][2]string) {
	for _, m := range strings.Split(text, "<metricId>")[1:] {
		list = append(list, [2]string{textOf(m, "counterId"), textOf(m, "instance")})
	}
	return list
}

// servePerf starts a server with hosts, each with VMs that only the roster has.
func servePerf(t *testing.T, hosts int) *perfServer {
	t.Helper()
	s := vspheretest.Start(t, vspheretest.SmallVPX(2), func(m *simulator.Model) { vspheretest.AddHosts(t, m, hosts-2) })
	p := &perfServer{
		Sim: s, clock: newPerfClock(), hangs: map[string]bool{}, gone: map[string]bool{}, off: map[string]time.Duration{}, floor: map[string]time.Time{}, mute: map[string]string{}, sick: map[string]bool{}, denied: map[string]bool{}, held: make(chan struct{}), limits: map[string]func(){},
		value: func(slot int64) string { return strconv.FormatInt(slot%100, 10) },
	}
	s.Tamper(p.answer)
	t.Cleanup(func() { close(p.held) })
	return p
}

// open returns a source of all hosts, each with the given number of VMs.
func (p *perfServer) open(t *testing.T, vms int, o PerformanceOptions) *performance {
	t.Helper()
	e := p.Endpoint()
	source := performanceOf(t, vspheretest.Dial(t, e), p.clock, o)
	source.ahead = 0 // the simulator has another clock
	source.within = endless
	source.session.SetTransport(ending{source.session.Transport(), p})
	if o.History > 0 {
		source.began = p.clock.now()
	}
	r := source.roster
	r.vms = map[string][]RosterVM{}
	for h := range r.hosts {
		for i := range vms {
			r.vms[h.Value] = append(r.vms[h.Value], RosterVM{
				MoID: fmt.Sprintf("%s-vm-%02d", h.Value, i), Name: fmt.Sprintf("vm%02d", i), Host: h.Value, Power: "poweredOn", VCPUs: 2,
			})
		}
	}
	for _, h := range source.hosts {
		if o.History > 0 {
			h.last = source.began.Add(-min(o.History, KeptSamples))
		}
	}
	source.rostered = p.clock.now().Add(24 * time.Hour)
	return source
}

// limitKey is the context key of the function that ends a call's time limit.
type limitKey struct{}

// endless returns a context whose time limit ends only on request, so that slow machines do not affect the tests.
func endless(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	end := func() { cancel(&slowError{limit}) }
	return context.WithValue(ctx, limitKey{}, end), func() { cancel(nil) }
}

// ending wraps a session's calls and gives the server the function that ends their time limit.
type ending struct {
	next soap.RoundTripper
	p    *perfServer
}

func (l ending) RoundTrip(ctx context.Context, req, res soap.HasFault) error {
	query, is := req.(*soapwire.QueryPerfBody)
	end, has := ctx.Value(limitKey{}).(func())
	if is && has {
		text := strings.Join(query.Req.Text, "")
		l.p.set(func() { l.p.limits[text] = end })
		defer l.p.set(func() { delete(l.p.limits, text) })
	}
	return l.next.RoundTrip(ctx, req, res)
}

// runOut ends the time limit of the call with this body.
func (p *perfServer) runOut(body string) {
	for text, end := range p.limits {
		if strings.Contains(body, text) {
			end()
		}
	}
}

func (p *perfServer) set(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

// calls returns the sizes of the calls and resets them.
func (p *perfServer) calls() (sizes []int) {
	p.set(func() { sizes, p.sizes = p.sizes, nil })
	return sizes
}

func (p *perfServer) answer(w http.ResponseWriter, r *http.Request, body []byte, next http.Handler) {
	if !strings.Contains(string(body), "<QueryPerf ") {
		next.ServeHTTP(w, r)
		return
	}
	specs := perfSpecs(string(body))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sizes = append(p.sizes, len(specs))
	p.requests = append(p.requests, string(body))
	for _, s := range specs {
		host, _, _ := strings.Cut(s.moid, "-vm-")
		host = cmp.Or(p.nowHere[s.moid], host)
		switch {
		case p.strikes(w, s.kind, s.moid):
			return
		case p.hangs[host], p.hangs[s.moid]:
			p.runOut(string(body))
			p.mu.Unlock()
			select {
			case <-r.Context().Done():
			case <-p.held:
			}
			p.mu.Lock()
			return
		case p.gone[s.moid]:
			vspheretest.Fault(w, "gone", "ManagedObjectNotFound", `<obj type="`+s.kind+`">`+s.moid+`</obj>`)
			return
		case p.noCSV && s.csv:
			vspheretest.Fault(w, "no", "InvalidArgument", `<invalidProperty>querySpec.format</invalidProperty>`)
			return
		}
	}
	switch {
	case p.breaks:
		panic(http.ErrAbortHandler)
	case p.broken:
		vspheretest.Fault(w, "something is wrong", "SystemError", `<reason>sick</reason>`)
		return
	case p.ids:
		p.ids = false
		vspheretest.Fault(w, "who?", "InvalidArgument", `<invalidProperty>querySpec.metricId</invalidProperty>`)
		return
	case p.most != 0 && len(specs) > p.most:
		vspheretest.Fault(w, "too much", "InvalidArgument", `<invalidProperty>querySpec.size</invalidProperty>`)
		return
	}
	var b strings.Builder
	for _, s := range specs {
		p.write(&b, s)
	}
	w.Header().Set("Content-Type", "text/xml; charset=utf-8")
	fmt.Fprint(w, `<?xml version="1.0" encoding="UTF-8"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" `+
		`xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soapenv:Body><QueryPerfResponse xmlns="urn:vim25">`+b.String()+
		`</QueryPerfResponse></soapenv:Body></soapenv:Envelope>`)
}

// slots returns the available samples after the start and up to the end of a query.
func (p *perfServer) slots(s perfSpec) (slots []int64) {
	host, _, _ := strings.Cut(s.moid, "-vm-")
	last := (p.clock.now().Add(p.off[host]-p.lag).Unix() - p.shift) / 20
	if p.behind[s.moid] {
		last--
	}
	if s.newest {
		return []int64{last}
	}
	start, _ := time.Parse(time.RFC3339Nano, s.start)
	end, err := time.Parse(time.RFC3339Nano, s.end)
	for slot := max((start.Unix()-p.shift)/20+1, last-180); slot <= last; slot++ {
		if (err != nil || slot*20+p.shift <= end.Unix()) && slot*20 >= p.since.Unix() && slot*20 >= p.floor[host].Unix() {
			slots = append(slots, slot)
		}
	}
	if p.again {
		slots = append([]int64{start.Unix() / 20}, slots...)
	}
	if p.newest {
		slices.Reverse(slots)
	}
	return slots
}

func (p *perfServer) write(b *strings.Builder, s perfSpec) {
	slots := p.slots(s)
	kind := "PerfEntityMetricCSV"
	if !s.csv || p.lists {
		kind = "PerfEntityMetric"
	}
	fmt.Fprintf(b, `<returnval xsi:type="%s"><entity type="%s">%s</entity>`, kind, s.kind, s.moid)
	var stamps []string
	for _, slot := range slots {
		at := time.Unix(slot*20+p.shift, 0).UTC().Format(time.RFC3339)
		stamps = append(stamps, "20,"+at)
		if kind == "PerfEntityMetric" {
			fmt.Fprintf(b, `<sampleInfo><timestamp>%s</timestamp><interval>20</interval></sampleInfo>`, at)
		}
	}
	if kind == "PerfEntityMetricCSV" {
		fmt.Fprintf(b, `<sampleInfoCSV>%s</sampleInfoCSV>`, strings.Join(stamps, ","))
	}
	for _, m := range perfMetrics(s.metrics) {
		instances := []string{""}
		if m[1] == "*" {
			instances = []string{"0", "1"}
		}
		for _, instance := range instances {
			p.writeSeries(b, kind, m[0], instance, s.moid, slots)
		}
	}
	b.WriteString(`</returnval>`)
}

func (p *perfServer) writeSeries(b *strings.Builder, kind, counter, instance, moid string, slots []int64) {
	id := `<id><counterId>` + counter + `</counterId><instance>` + instance + `</instance></id>`
	var values []string
	for _, slot := range slots {
		v, muted := p.mute[moid]
		if !muted {
			v = p.value(slot)
		}
		values = append(values, v)
	}
	if kind == "PerfEntityMetricCSV" {
		fmt.Fprintf(b, `<value>%s<value>%s</value></value>`, id, strings.Join(values, ","))
		return
	}
	fmt.Fprintf(b, `<value xsi:type="PerfMetricIntSeries">%s<value>%s</value></value>`, id, strings.Join(values, "</value><value>"))
}

// requestsOf returns all requests of a plan.
func (p *perfServer) requestsOf(t *testing.T) []string {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	require.NotEmpty(t, p.requests)
	return slices.Clone(p.requests)
}
