package doctor

import (
	"context"
	"time"

	"github.com/vperf/vperf/internal/typed"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
)

// fake is a server that answers as the test wants.
type fake struct {
	route    session.Route
	opens    error
	insecure bool

	product   Product
	ahead     time.Duration
	took      time.Duration
	clockErr  error
	objects   []Object
	listErr   error
	lacks     func(object, privilege string) bool // nil: everything is granted
	silent    map[string]bool                     // objects without an answer
	grantErr  error
	offers    Statistics
	offersErr error
	esxtopErr error
	restErr   error
	damaged   []string
	lost      []string
	hang      bool // no call after the login is answered
	closed    bool
}

// aVCenter returns a vCenter on which everything is all right.
func aVCenter() *fake {
	return &fake{
		route:   session.Route{Addresses: []string{"192.0.2.10"}, Dialled: true, Address: "192.0.2.10:443", Connect: 2 * time.Millisecond, TLSBegun: true, Secure: true},
		product: Product{Name: "VMware vCenter Server 8.0.3 build-24022515", Version: version("8.0.3"), IsVCenter: true},
		took:    3 * time.Millisecond,
		offers:  Statistics{RealTime: 20 * time.Second, Rollups: []Rollup{{5 * time.Minute, 24 * time.Hour, 1}, {30 * time.Minute, 7 * 24 * time.Hour, 1}}},
		objects: []Object{
			{ID: "Folder:root", Name: "the root folder", Path: "/"},
			{ID: "Datacenter:dc", Parent: "Folder:root", Name: "dc", Path: "/dc"},
			{ID: "Folder:vm", Parent: "Datacenter:dc", Scope: inventory.ScopeVM, Name: "vm", Path: "/dc/vm"},
			{ID: "Folder:db", Parent: "Folder:vm", Scope: inventory.ScopeVM, Name: "db", Path: "/dc/vm/db"},
			{ID: "ClusterComputeResource:c", Parent: "Datacenter:dc", Scope: inventory.ScopeCluster, Name: "c", Path: "/dc/host/c"},
			{ID: "ResourcePool:p", Parent: "ClusterComputeResource:c", Scope: inventory.ScopePool, Name: "Resources", Path: "/dc/host/c/Resources"},
			{ID: "HostSystem:1", Parent: "ClusterComputeResource:c", Scope: inventory.ScopeHost, Name: "esx1", Path: "/dc/host/c/esx1", Version: version("8.0.3")},
			{ID: "HostSystem:2", Parent: "ClusterComputeResource:c", Scope: inventory.ScopeHost, Name: "esx2", Path: "/dc/host/c/esx2", Version: version("7.0.3")},
			{ID: "VmwareDistributedVirtualSwitch:s", Parent: "Datacenter:dc", Scope: inventory.ScopeSwitch, Name: "s", Path: "/dc/network/s"},
			{ID: "Datastore:d", Parent: "Datacenter:dc", Scope: inventory.ScopeDatastore, Name: "d", Path: "/dc/datastore/d"},
		},
	}
}

func version(s string) inventory.Fact[inventory.Version] {
	v, err := inventory.ParseVersion(s)
	if err != nil {
		panic(err)
	}
	return inventory.Known(v)
}

// run checks the server.
func (f *fake) run(ctx context.Context, change ...func(*Input)) Server {
	in := Input{Name: "vc.example:443", Host: "vc.example", User: "tuner@vsphere.local", Typed: typed.Source{Server: []string{"--context", "prod"}}, Target: f, Limit: time.Hour}
	for _, c := range change {
		c(&in)
	}
	return Run(ctx, in)
}

func (f *fake) Open(context.Context) (Session, session.Route, error) {
	if f.opens != nil {
		return nil, f.route, f.opens
	}
	return f, f.route, nil
}

func (f *fake) Trusted(session.Route) (why string, verified bool) {
	return "its thumbprint is pinned", !f.insecure
}
func (f *fake) Product() Product { return f.product }
func (f *fake) Close()           { f.closed = true }

// wait returns the error of a call that is not answered.
func (f *fake) wait(ctx context.Context, err error) error {
	if !f.hang {
		return err
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

func (f *fake) Clock(ctx context.Context) (Clock, error) {
	at := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	return Clock{Server: at.Add(f.ahead), Local: at, Took: f.took}, f.wait(ctx, f.clockErr)
}

func (f *fake) Inventory(ctx context.Context) (*Inventory, error) {
	if err := f.wait(ctx, f.listErr); err != nil {
		return nil, err
	}
	return &Inventory{Objects: f.objects}, nil
}

func (f *fake) Granted(_ context.Context, objects, privileges []string) (Granted, error) {
	g := Granted{Account: `VSPHERE.LOCAL\tuner`, By: map[string]map[string]bool{}}
	for _, o := range objects {
		if f.silent[o] {
			continue
		}
		g.By[o] = map[string]bool{}
		for _, p := range privileges {
			g.By[o][p] = f.lacks == nil || !f.lacks(o, p)
		}
	}
	return g, f.grantErr
}

func (f *fake) Statistics(context.Context, string) (Statistics, error) { return f.offers, f.offersErr }
func (f *fake) Esxtop(context.Context, string) error                   { return f.esxtopErr }
func (f *fake) Damaged(context.Context) (values, lost []string)        { return f.damaged, f.lost }

func (f *fake) REST(ctx context.Context) error { return f.wait(ctx, f.restErr) }
