package audit_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/live"
	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/vsphere/measure"
	"github.com/vperf/vperf/internal/vsphere/read"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/rules"
)

// demo is the demo fleet's vCenter as a source of audits. Its counters are those that its hosts have kept.
type demo struct{ *session.Session }

func newDemo(tb testing.TB) demo {
	tb.Helper()
	f, err := simfleet.Start(simfleet.Config{Zone: simfleet.MidMorning(time.Now())})
	require.NoError(tb, err)
	tb.Cleanup(f.Close)
	u := *f.URL()
	u.User = nil
	session, err := session.Dial(tb.Context(), session.Endpoint{
		URL: &u, User: f.User(), Password: session.Secret(f.Password()), CertificatePEM: f.CertificatePEM(), CallTimeout: time.Minute,
	})
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = session.Close(context.Background()) })
	return demo{session}
}

func (d demo) Read(ctx context.Context, _ inventory.Targets, needs inventory.Needs) (*inventory.Snapshot, error) {
	vc, err := read.Inventory(ctx, d.Session, tree.Scope{}, needs, nil)
	if err != nil {
		return nil, err
	}
	s := &inventory.Snapshot{Schema: inventory.SnapshotSchema, VCenters: []*inventory.VCenter{vc}}
	s.Link()
	return s, nil
}

func (d demo) Fill(ctx context.Context, _ *inventory.Snapshot, hosts []*inventory.Host, needs inventory.Needs) error {
	return read.Fill(ctx, d.Session, hosts, needs, nil)
}

func (d demo) Measure(ctx context.Context, s *inventory.Snapshot, long time.Duration, counters []string) error {
	w := live.For(counters)
	frames, err := d.frames(ctx, w.Needs(), long)
	for _, f := range frames {
		w.Add(f)
	}
	w.Put(s.VCenters[0])
	return err
}

// frames are those that hosts have kept.
func (d demo) frames(ctx context.Context, of esxtop.Objects, long time.Duration) (all []*esxtop.Frame, err error) {
	roster, err := measure.ReadRoster(ctx, d.Session)
	if err != nil {
		return nil, err
	}
	source, err := roster.OpenCounters(ctx, roster.Hosts(), measure.CounterOptions{
		Source: measure.CountersPerformance, Request: esxtop.Request{Objects: of}, History: long,
	})
	if err != nil {
		return nil, err
	}
	defer func() { _ = source.Close(ctx) }()
	for came := time.Duration(0); came < long-20*time.Second; came += 20 * time.Second { // the last may not be there yet
		round, err := source.Next(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, round.Frames...)
	}
	return all, nil
}

// copies is n copies of a snapshot, each of its own.
func copies(tb testing.TB, s *inventory.Snapshot, n int) []*inventory.VCenter {
	tb.Helper()
	var b bytes.Buffer
	require.NoError(tb, inventory.Save(&b, s))
	all := make([]*inventory.VCenter, n)
	for i := range all {
		c, err := inventory.Load(bytes.NewReader(b.Bytes()))
		require.NoError(tb, err)
		all[i] = c.VCenters[0]
	}
	return all
}

// grow makes the demo fleet larger: its hosts, VMs, clusters and all that hangs off them, over and over under other ids.
func grow(tb testing.TB, s *inventory.Snapshot, hosts, vms int) *inventory.Snapshot {
	tb.Helper()
	one := s.VCenters[0]
	big := *one
	n := max((hosts+len(one.Hosts)-1)/len(one.Hosts), (vms+len(one.VMs)-1)/len(one.VMs))
	for i, c := range copies(tb, s, n) {
		if i == 0 {
			big = *c
			continue
		}
		id := func(s string) string { return fmt.Sprintf("%s-%d", s, i) }
		perHost := len(big.Hosts) < hosts
		for _, v := range c.VMs {
			v.ID, v.Name, v.Path = id(v.ID), id(v.Name), id(v.Path)
			if host, ok := v.HostID.Value(); ok && perHost {
				v.HostID = inventory.Known(id(host))
			}
		}
		big.VMs = append(big.VMs, c.VMs...)
		if !perHost {
			continue
		}
		for _, h := range c.Hosts {
			h.ID, h.Name, h.Path = id(h.ID), id(h.Name), id(h.Path)
		}
		big.Hosts = append(big.Hosts, c.Hosts...)
	}
	big.Hosts, big.VMs = big.Hosts[:min(hosts, len(big.Hosts))], big.VMs[:min(vms, len(big.VMs))]
	for _, c := range big.Clusters { // all hosts of a copy are in the cluster of the first
		var ids []string
		for _, h := range big.Hosts {
			if in, _ := h.ClusterID.Value(); in == c.ID {
				ids = append(ids, h.ID)
			}
		}
		c.HostIDs = inventory.Known(ids)
	}
	out := &inventory.Snapshot{Schema: s.Schema, VCenters: []*inventory.VCenter{&big}}
	out.Link()
	return out
}

// BenchmarkEvaluate evaluates the whole library against an enlarged demo fleet with the same proportion of faults.
func BenchmarkEvaluate(b *testing.B) {
	l, err := advice.Load(advice.Source{FS: rules.FS, Lean: true})
	require.NoError(b, err)
	set, err := l.Select(advice.Selection{})
	require.NoError(b, err)
	demo, err := audit.Everything(b.Context(), newDemo(b), inventory.Targets{})
	require.NoError(b, err)
	for _, vms := range []int{1000, 8000} {
		s := grow(b, demo, 64, vms)
		b.Run(fmt.Sprintf("hosts=64/vms=%d", vms), func(b *testing.B) {
			b.ReportAllocs()
			var r *advice.Result
			for b.Loop() {
				r, err = advice.Evaluate(b.Context(), s, set, advice.Options{})
				require.NoError(b, err)
			}
			b.ReportMetric(float64(r.Checks), "checks")
			b.ReportMetric(float64(len(r.Findings)), "findings")
		})
	}
}
