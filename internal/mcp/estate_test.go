package mcp_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/diff"
	"github.com/vperf/vperf/internal/doctor"
	"github.com/vperf/vperf/internal/mcp"
	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/vsphere/read"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/rules"
)

// demo is the demo fleet's vCenter as a source of facts.
type demo struct{ *session.Session }

func (d demo) Read(ctx context.Context, t inventory.Targets, needs inventory.Needs) (*inventory.Snapshot, error) {
	return source.Facts(ctx, d.Session, t, needs, nil)
}

func (d demo) Fill(ctx context.Context, _ *inventory.Snapshot, hosts []*inventory.Host, needs inventory.Needs) error {
	return read.Fill(ctx, d.Session, hosts, needs, nil)
}

// facts are all facts of the demo fleet, read once.
var facts struct {
	once     sync.Once
	snapshot *inventory.Snapshot
	err      error
}

func demoFacts(t testing.TB) *inventory.Snapshot {
	t.Helper()
	facts.once.Do(func() {
		facts.snapshot, facts.err = audit.Everything(t.Context(), demo{vspheretest.Demo(t)}, inventory.Targets{})
	})
	require.NoError(t, facts.err)
	return facts.snapshot
}

// library are the built-in rules.
var library = sync.OnceValue(func() *advice.Library {
	l, err := advice.Load(advice.Source{FS: rules.FS, Lean: true})
	if err != nil {
		panic(err)
	}
	return l
})

// copied returns the demo fleet's hosts and VMs, again and again up to these numbers, with names of their own. Copies share what they do
// not change.
func copied(t testing.TB, hosts, vms int, name func(kind string, i int, old string) string) *inventory.Snapshot {
	t.Helper()
	from := demoFacts(t)
	v := *from.VCenters[0]
	v.Hosts, v.VMs = nil, nil
	old := from.VCenters[0]
	ids := map[string]string{}
	for i := range hosts {
		h := *old.Hosts[i%len(old.Hosts)]
		id := h.ID
		if i >= len(old.Hosts) {
			h.ID = fmt.Sprintf("host-9%d", i)
		}
		ids[fmt.Sprint(id, i/len(old.Hosts))] = h.ID
		h.Name = name("host", i, h.Name)
		h.Path = "/dc/host/" + h.Name
		v.Hosts = append(v.Hosts, &h)
	}
	for i := range vms {
		m := *old.VMs[i%len(old.VMs)]
		if i >= len(old.VMs) {
			m.ID = fmt.Sprintf("vm-9%d", i)
		}
		on, _ := m.HostID.Value()
		if id, ok := ids[fmt.Sprint(on, i/len(old.VMs)%max(1, hosts/len(old.Hosts)))]; ok {
			m.HostID = inventory.Known(id)
		}
		m.Name = name("vm", i, m.Name)
		m.Path = "/dc/vm/" + m.Name
		v.VMs = append(v.VMs, &m)
	}
	s := &inventory.Snapshot{Schema: from.Schema, Source: from.Source, VCenters: []*inventory.VCenter{&v}}
	s.Link()
	return s
}

// plainNames are names as administrators give them.
func plainNames(kind string, i int, old string) string {
	if i < 16 {
		return old
	}
	return fmt.Sprintf("%s-%05d.example.com", kind, i)
}

// judged evaluates the rules on a snapshot.
func judged(t testing.TB, s *inventory.Snapshot) *audit.Audit {
	t.Helper()
	set, err := library().Select(advice.Selection{Diagnoses: true})
	require.NoError(t, err)
	a, err := audit.Run(t.Context(), source.SavedOf(s), audit.Request{Rules: set})
	require.NoError(t, err)
	return a
}

// readingOf serves a snapshot: what the commands would read, without commands. name is in everything that others write.
func readingOf(t testing.TB, s *inventory.Snapshot, name string) mcp.Reading {
	t.Helper()
	a, older := judged(t, s), copied(t, 4, 40, plainNames)
	old := judged(t, older)
	return mcp.Reading{
		Library: func() (*advice.Library, error) { return library(), nil },
		Explain: func(rule string) (string, error) { return strings.Repeat("about "+rule+" "+name+"\n", 2000), nil },
		Guide:   func(rule string) (string, error) { return "# " + rule, nil },
		Runs:    func() ([]mcp.Run, error) { return runs(name), nil },
		Run: func(id string) (*mcp.Run, error) {
			if id != "20261120-2215" {
				return nil, fmt.Errorf("there is no run %q", id)
			}
			return &runs(name)[0], nil
		},
		Snapshots: func(context.Context) ([]mcp.Snapshot, error) {
			return []mcp.Snapshot{{ID: "monday.json", Server: name, TakenAt: time.Unix(0, 0)}}, nil
		},
		Audit: func(context.Context) (*audit.Audit, error) { return a, nil },
		Advise: func(context.Context) (*view.View, error) {
			return view.New(view.Advice{
				Source: s.Source, TakenAt: s.TakenAt(), Snapshot: s, Result: a.Result, Advice: advice.Advise(s, a.Result), Notes: []string{name},
			}), nil
		},
		Sample: func(_ context.Context, _ []string, objects esxtop.Objects) (*mcp.Sample, error) {
			return sample(s, objects), nil
		},
		Diff: func(_ context.Context, from, _ string) (*diff.Diff, error) {
			if from != "monday.json" {
				return nil, fmt.Errorf("there is no snapshot %q", from)
			}
			d, err := diff.Facts(older, s)
			if err == nil {
				set, _ := library().Select(advice.Selection{})
				d.Compare(diff.Judge(old.Result, older, set), diff.Judge(a.Result, s, set))
			}
			return d, err
		},
		Doctor: func(context.Context) (*doctor.Report, error) { return checkedServers(name), nil },
		PlanTrial: func(context.Context, mcp.TrialAsk) (string, error) {
			return strings.Repeat("# plan\n"+name+`"<>`, 5000), nil
		},
	}
}

// demoOnce is the reading of the demo fleet, whose audits are made once.
var demoOnce struct {
	once    sync.Once
	reading mcp.Reading
}

func demoReading(t testing.TB) mcp.Reading {
	t.Helper()
	demoOnce.once.Do(func() { demoOnce.reading = readingOf(t, demoFacts(t), "esx") })
	return demoOnce.reading
}

func runs(name string) []mcp.Run {
	all := make([]mcp.Run, 60)
	for i := range all {
		all[i] = mcp.Run{ID: "20261120-2215", User: name, Reason: strings.Repeat(name, 50), Server: mcp.RunServer{Name: name}, Rules: []string{"numa-io"}, States: map[string]int{"done": 3}}
		for range 60 {
			all[i].Results = append(all[i].Results, mcp.RunChange{Target: mcp.RunTarget{Kind: "host", Name: name, ID: "host-1"}, Setting: "x", Before: name, After: 1, State: "done"})
		}
	}
	return all
}

// sample has a row of each object for every VM.
func sample(s *inventory.Snapshot, objects esxtop.Objects) *mcp.Sample {
	out := &mcp.Sample{Origin: "Esxtop service"}
	for _, h := range s.VCenters[0].Hosts {
		f := &esxtop.Frame{Host: h.Name, MoID: h.ID, Interval: 5 * time.Second, Time: time.Unix(0, 0)}
		for o := range esxtop.NumObjects {
			if !objects.Has(o) {
				continue
			}
			rows := esxtop.NewRows(o, len(s.VCenters[0].VMs)/len(s.VCenters[0].Hosts))
			for i := range rows {
				vm := s.VCenters[0].VMs[i]
				rows[i].Name, rows[i].MoID, rows[i].ID, rows[i].VM = vm.Name, vm.ID, strconv.Itoa(i), true
				for _, m := range esxtop.MetricsOf(o) {
					rows[i].Set(m, 12345.678+float64(i))
				}
			}
			f.Put(o, rows)
		}
		out.Frames = append(out.Frames, f)
		out.Troubles = append(out.Troubles, h.Name+": no answer")
	}
	return out
}

func checkedServers(name string) *doctor.Report {
	bad := doctor.Result{ID: "x", Status: doctor.Fail, Text: strings.Repeat(name, 9), Cause: name, Try: []string{name, name}}
	s := doctor.Server{Name: name, Status: doctor.Fail}
	for range 20 {
		s.Checks = append(s.Checks, bad)
		s.Commands = append(s.Commands, doctor.Command{Result: bad, Missing: []doctor.Missing{{Privilege: "Host.Config.Settings"}}})
	}
	r := doctor.NewReport(time.Unix(0, 0), []doctor.Result{bad}, []doctor.Server{s, s, s, s, s})
	return &r
}
