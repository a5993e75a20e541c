package simfleet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vmware/govmomi/simulator"

	"github.com/vperf/vperf/internal/simfleet/esxi"
	"github.com/vperf/vperf/internal/simfleet/overrides"
)

// Incident happens on a host of the vCenter at a time of the fleet's clock: at the first call from then on.
type Incident struct {
	After time.Duration // since the start of the fleet
	Kind  IncidentKind
	Host  string // its short or full name
}

// IncidentKind is what happens.
type IncidentKind string

// The kinds of incidents. Each logs the event that a vCenter logs.
const (
	DRSMove  IncidentKind = "drs-move"  // DRS moves a VM from the host to another one
	HostLost IncidentKind = "host-lost" // the host does not respond
	HostBack IncidentKind = "host-back" // it responds again
	AlarmRed IncidentKind = "alarm-red"
	LinkDown IncidentKind = "link-down" // of a NIC
	PathDead IncidentKind = "path-dead" // of a disk
	VMReset  IncidentKind = "vm-reset"  // only the event
)

var incidentKinds = []IncidentKind{DRSMove, HostLost, HostBack, AlarmRed, LinkDown, PathDead, VMReset}

// ParseIncident reads an incident such as host-lost@90m@host01.
func ParseIncident(text string) (in Incident, err error) {
	parts := strings.Split(text, "@")
	if len(parts) != 3 || !slices.Contains(incidentKinds, IncidentKind(parts[0])) {
		return in, fmt.Errorf("no incident %q: write KIND@DURATION@HOST with one of the kinds %q", text, incidentKinds)
	}
	in.Kind, in.Host = IncidentKind(parts[0]), parts[2]
	if in.After, err = time.ParseDuration(parts[1]); err != nil {
		return in, fmt.Errorf("reading the time of incident %q: %w", text, err)
	}
	return in, nil
}

// String is the inverse of ParseIncident.
func (i Incident) String() string { return fmt.Sprintf("%s@%s@%s", i.Kind, i.After, i.Host) }

// movesEvery is the mean time between two moves of VMs in scenario drs-moves.
const movesEvery = 25 * time.Minute

// timetable makes incidents happen when they are due.
type timetable struct {
	b    *builder
	ours *overrides.Service

	mu    sync.Mutex
	began time.Time
	due   []Incident // sorted
	coins *rand.Rand // of scenario drs-moves; nil: it is off
	next  time.Duration
}

func newTimetable(b *builder, ours *overrides.Service) *timetable {
	t := &timetable{b: b, ours: ours, began: b.cfg.Now()}
	if b.site.standalone() {
		return t
	}
	t.due = slices.Clone(b.cfg.Incidents)
	slices.SortStableFunc(t.due, func(a, b Incident) int { return int(a.After - b.After) })
	if b.scene[sceneDRSMoves] {
		t.coins = rand.New(rand.NewPCG(b.cfg.Noise.Seed, 1))
		t.next = t.pause()
	}
	return t
}

func (t *timetable) pause() time.Duration {
	return time.Duration(t.coins.ExpFloat64() * float64(movesEvery))
}

// run makes happen what is due. It is called before each call to the server is executed, without any lock.
func (t *timetable) run() {
	if len(t.b.cfg.Incidents) == 0 && t.coins == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	past := t.b.cfg.Now().Sub(t.began)
	ctx := &simulator.Context{Context: context.Background(), Map: t.b.ctx.Map}
	for len(t.due) > 0 && t.due[0].After <= past {
		in := t.due[0]
		t.due = t.due[1:]
		if e := t.b.hostNamed(in.Host); e != nil {
			t.happen(ctx, in.Kind, e)
		}
	}
	for t.coins != nil && t.next <= past {
		t.next += t.pause()
		var hosts []*esxi.Host
		for _, e := range t.b.hostOrder {
			if e.Row.Cluster == movesCluster {
				hosts = append(hosts, e)
			}
		}
		t.ours.DRSMove(ctx, hosts[t.coins.IntN(len(hosts))], t.coins.IntN(1000))
	}
}

func (t *timetable) happen(ctx *simulator.Context, kind IncidentKind, e *esxi.Host) {
	switch kind {
	case DRSMove:
		t.ours.DRSMove(ctx, e, 0)
	case HostLost:
		t.ours.Lose(ctx, e)
	case HostBack:
		t.ours.Regain(ctx, e)
	case AlarmRed:
		t.b.raise(e, incidentAlarm, t.b.cfg.Now())
		t.ours.Alarm(ctx, e, incidentAlarm)
	case LinkDown:
		t.ours.LinkDown(ctx, e)
	case PathDead:
		t.ours.PathDead(ctx, e)
	case VMReset:
		t.ours.Reset(ctx, e)
	}
}

// incidentAlarm is the name of the alarm that turns red.
const incidentAlarm = "Host hardware temperature status"

// hostNamed returns a host by its short or full name, or nil.
func (b *builder) hostNamed(name string) *esxi.Host {
	for _, e := range b.hostOrder {
		if e.Row.Name == name || e.Row.Short() == name {
			return e
		}
	}
	return nil
}
