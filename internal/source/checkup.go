package source

import (
	"context"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/doctor"
	"github.com/vperf/vperf/internal/vsphere/account"
	"github.com/vperf/vperf/internal/vsphere/measure"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/read"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

// Checkup makes the measurements of [doctor.Run] at an endpoint. It uses a session of its own, so that the password is checked, and
// ends it.
type Checkup struct{ Endpoint session.Endpoint }

// Open implements doctor.Target.
func (c Checkup) Open(ctx context.Context) (doctor.Session, session.Route, error) {
	watched, route := session.WatchRoute(ctx, c.Endpoint.URL)
	e := c.Endpoint
	e.SessionDir = ""
	s, err := session.Dial(watched, e)
	if err != nil {
		return nil, route(), err
	}
	return &checkup{Session: s, close: context.WithoutCancel(ctx)}, route(), nil
}

// Trusted implements doctor.Target.
func (c Checkup) Trusted(r session.Route) (why string, verified bool) {
	return c.Endpoint.Trusted(r.Certificate)
}

// checkup implements doctor.Session.
type checkup struct {
	*session.Session
	close context.Context //nolint:containedctx // of logging out, which outlives the checks
}

// Product implements doctor.Session.
func (c *checkup) Product() doctor.Product {
	p := account.ReadProduct(c.Session)
	return doctor.Product{Name: p.Name, Version: p.Version, IsVCenter: p.IsVCenter}
}

// Clock implements doctor.Session.
func (c *checkup) Clock(ctx context.Context) (doctor.Clock, error) {
	sent := time.Now()
	now, err := c.Now(ctx)
	took := time.Since(sent)
	return doctor.Clock{Server: now, Local: sent.Add(took / 2), Took: took}, err
}

// Inventory implements doctor.Session.
func (c *checkup) Inventory(ctx context.Context) (*doctor.Inventory, error) {
	list, err := account.Objects(ctx, c.Session)
	if err != nil {
		return nil, err
	}
	v := new(doctor.Inventory)
	for _, o := range list {
		v.Objects = append(v.Objects, doctor.Object{
			ID: o.ID, Parent: o.Parent, Scope: o.Scope, Name: o.Name, Path: o.Path, Version: o.Version, Down: o.Down,
		})
	}
	return v, nil
}

// Granted implements doctor.Session.
func (c *checkup) Granted(ctx context.Context, objects, privileges []string) (doctor.Granted, error) {
	user, err := account.ReadUser(ctx, c.Session)
	if err != nil {
		return doctor.Granted{}, err
	}
	granted, err := account.Granted(ctx, c.Session, user, objects, privileges)
	return doctor.Granted{Account: user.Name, By: granted}, err
}

// Statistics implements doctor.Session.
func (c *checkup) Statistics(ctx context.Context, host string) (doctor.Statistics, error) {
	o, err := measure.ReadOffer(ctx, c.Session, strings.TrimPrefix(host, property.TypeHost+":"))
	s := doctor.Statistics{RealTime: o.RealTime}
	for _, r := range o.Rollups {
		s.Rollups = append(s.Rollups, doctor.Rollup{Every: r.Interval, Kept: r.Kept, Level: r.Level})
	}
	return s, err
}

// Esxtop implements doctor.Session.
func (c *checkup) Esxtop(ctx context.Context, host string) error {
	return measure.OffersEsxtop(ctx, c.Session, host)
}

// REST implements doctor.Session.
func (c *checkup) REST(ctx context.Context) error { return account.CheckREST(ctx, c.Session) }

// Damaged implements doctor.Session.
func (c *checkup) Damaged(ctx context.Context) (values, lost []string) {
	_, _ = read.Inventory(ctx, c.Session, tree.Scope{}, inventory.Everything(), nil) // other checks report other errors
	return c.Damage()
}

// Close implements doctor.Session.
func (c *checkup) Close() { _ = c.Session.Close(c.close) } // a failed logout leaves a session that times out
