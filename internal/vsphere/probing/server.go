package probing

import (
	"context"
	"strings"
	"time"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/probe"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// ref names a managed object.
type ref = types.ManagedObjectReference

// Target is a host to probe.
type Target struct {
	ID   string // managed object id
	Name string // in the inventory
}

// Options of a probe.
type Options struct {
	Version string        // of vperf
	Day     string        // of the probe, as 2006-01-02
	AllRows bool          // keep all lines of the Esxtop service's answer
	Notify  func(string)  // gets progress messages
	Limit   time.Duration // for each host
}

// Probe probes a server and some of its hosts. It fails only if ctx ends.
func Probe(ctx context.Context, s *session.Session, hosts []Target, o Options) (*probe.File, error) {
	about := s.Client().ServiceContent.About
	p := &prober{session: s, redactor: probe.NewRedactor(), options: o}
	p.knowServer()
	f := &probe.File{
		Schema: probe.Schema, Version: o.Version, Day: o.Day, Simulated: s.Simulated(),
		Server: probe.Server{Kind: "esxi"}, Counters: []probe.Counter{}, Hosts: []probe.Host{},
	}
	if s.Client().IsVC() {
		f.Server.Kind = "vcenter"
	}
	calls := new(recorder)
	o.Notify("asking the server")
	calls.call(ctx, "CurrentTime", func(ctx context.Context) error {
		_, err := s.Now(ctx)
		return err
	})
	// Names come first: everything that is written afterwards is compared with them.
	known := make([]*hostProber, len(hosts))
	for i, target := range hosts {
		known[i] = p.host(target)
		o.Notify("reading names of host " + position(i, len(hosts)))
		known[i].learnNames(ctx)
	}
	f.Counters = p.counters(ctx, calls)
	for i, h := range known {
		o.Notify("asking host " + position(i, len(hosts)))
		f.Hosts = append(f.Hosts, h.probe(ctx))
	}
	f.Server.Version, f.Server.Build, f.Server.API = p.redactor.Version(about.Version), p.redactor.Version(about.Build), p.redactor.Version(about.ApiVersion)
	f.Server.Calls = calls.calls
	return f, ctx.Err()
}

// prober probes one server.
type prober struct {
	session  *session.Session
	redactor *probe.Redactor
	options  Options
}

// knowServer lets the redactor replace the names of the server and of the user.
func (p *prober) knowServer() {
	r := p.redactor
	r.Same(r.Alias("server", p.session.Host()), p.session.Hostname())
	user, domain, _ := strings.Cut(p.session.User(), "@")
	r.Same(r.Alias("user", p.session.User()), user)
	r.Alias("domain", domain)
	r.Alias("id", p.session.Client().ServiceContent.About.InstanceUuid)
}

const pathCounters = "perfCounter"

// counters reads the counters of the PerformanceManager.
func (p *prober) counters(ctx context.Context, calls *recorder) []probe.Counter {
	all := []probe.Counter{}
	calls.call(ctx, "PerformanceManager.perfCounter", func(ctx context.Context) error {
		manager := p.session.Client().ServiceContent.PerfManager
		if manager == nil {
			return errNotOffered
		}
		found, err := p.properties(ctx, "counters", *manager, pathCounters)
		if err != nil {
			return err
		}
		list, _ := property.Read(found, pathCounters, property.As[types.ArrayOfPerfCounterInfo], property.Required).Value()
		for i := range list.PerfCounterInfo {
			if c, ok := p.counter(&list.PerfCounterInfo[i]); ok {
				all = append(all, c)
			}
		}
		return nil
	})
	return all
}

func (p *prober) counter(c *types.PerfCounterInfo) (probe.Counter, bool) {
	if c.GroupInfo == nil || c.NameInfo == nil || c.UnitInfo == nil {
		return probe.Counter{}, false
	}
	name := strings.Join([]string{c.GroupInfo.GetElementDescription().Key, c.NameInfo.GetElementDescription().Key, string(c.RollupType)}, ".")
	name, ok1 := p.redactor.Word(name)
	unit, ok2 := p.redactor.Word(c.UnitInfo.GetElementDescription().Key)
	stats, ok3 := p.redactor.Word(string(c.StatsType))
	return probe.Counter{Name: name, Unit: unit, Stats: stats, Level: c.Level, DeviceLevel: c.PerDeviceLevel}, ok1 && ok2 && ok3
}

// properties reads properties of one object.
func (p *prober) properties(ctx context.Context, what string, of ref, paths ...string) (*property.Props, error) {
	found := property.NewProps(types.ObjectContent{Obj: of}, &property.Query{}, &p.session.Unknown)
	q := &property.Query{
		What: what, Paths: []types.PropertySpec{{Type: of.Type, PathSet: paths}}, From: []types.ObjectSpec{{Obj: of}}, Page: property.PageOfIndex,
	}
	err := property.NewReader(p.session).Collect(ctx, q, func(answer *property.Props) { found = answer })
	return found, err
}
