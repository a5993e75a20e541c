package tuning

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

// fleet is an Estate in memory that behaves like real hosts: it refuses changes that a running VM cannot take, ignores
// and alters written values, loses answers, and crashes where a test asks for it.
type fleet struct {
	things map[string]*thing
	health map[string]*Health // by host id
	clock  func() time.Time
	// tick is called before and after every call that changes something; it panics to simulate a crash.
	tick func()
	// fault returns how a call fails.
	fault func(call string) fault
	// unfit returns the reasons why a host cannot be taken out of service.
	unfit func(host string) []string
	// blind returns the error of reading from the server.
	blind func() error
	// after is called after every write.
	after func(t Target)
	calls []string // all calls that changed something, or tried to
	posts []string
	later []event
}

// event is something that happens at a certain time. It is visible in reads after that time.
type event struct {
	at time.Time
	do func()
}

// in schedules do to happen after d.
func (f *fleet) in(d time.Duration, do func()) {
	f.later = append(f.later, event{time.Now().Add(d), do})
}

type fault int

const (
	fine        fault = iota
	refuses           // returns an error, without effect
	breaksAfter       // returns an error, but has its effect
	losesBefore       // loses the answer, without effect
	losesAfter        // loses the answer, but has its effect
)

type thing struct {
	Condition
	settings map[string]*setting
	// stubborn means that a VM's guest does not shut down, or a host does not come back.
	stubborn bool
	unread   string // why nothing can be read
}

type setting struct {
	value      value
	activation inventory.Activation // while the target runs
	inverse    inventory.Inverse
	swallows   bool           // reports success and does nothing
	bends      func() value   // stores another value than the written one
	refused    string         // the refusal that Preview returns
	drags      func(t *thing) // changes other settings when it is written
}

func newFleet() *fleet {
	return &fleet{things: map[string]*thing{}, health: map[string]*Health{}, clock: time.Now, tick: func() {}, fault: func(string) fault { return fine }, blind: func() error { return nil }}
}

func (f *fleet) estate() Estate {
	return Estate{Server: Server{Name: "vc", UUID: "vc-uuid"}, Settings: f, Power: f, Events: f}
}

func (f *fleet) host(name string) *thing {
	t := f.add(Target{Kind: inventory.ScopeHost, ID: name, UUID: "uuid-" + name, Name: name})
	t.Host, t.Cluster = name, "c1"
	f.health[name] = &Health{Host: t.Target, LivePaths: 4}
	return t
}

func (f *fleet) vm(name, host string) *thing {
	t := f.add(Target{Kind: inventory.ScopeVM, ID: name, UUID: "uuid-" + name, Name: name})
	t.Host = host
	return t
}

func (f *fleet) add(target Target) *thing {
	t := &thing{Condition: Condition{Target: target, Running: true, Booted: f.clock().Add(-time.Hour)}, settings: map[string]*setting{}}
	f.things[target.Key()] = t
	return t
}

func (t *thing) has(name string, v value, a inventory.Activation) *setting {
	s := &setting{value: v, activation: a, inverse: inventory.InverseExact}
	t.settings[name] = s
	return s
}

func (t *thing) get(name string) value { return t.settings[name].value }

// change returns a plan's change of a setting.
func (t *thing) change(name string, to value) Change {
	s := t.settings[name]
	a := Address{Setting: name}
	c := Change{Address: a, Before: s.value, After: to, Activation: t.needs(s), Causes: []Cause{{Rule: "rule-" + name}}}
	c.Inverse = Inverse{Kind: s.inverse, About: "as the writer says"}
	if s.inverse != inventory.InverseNone {
		c.Inverse.Write = []Assignment{{Address: a, Value: s.value}}
	}
	return c
}

func (t *thing) needs(s *setting) inventory.Activation {
	if isVM(t.Target) && !t.Running && s.activation != inventory.ActivationLive {
		return inventory.ActivationNextPowerOn
	}
	return s.activation
}

func planOf(steps ...Step) *Plan {
	for i := range steps {
		steps[i].ID = i + 1
	}
	return &Plan{Schema: PlanSchema, Server: Server{Name: "vc", UUID: "vc-uuid"}, Steps: steps, Digest: "d"}
}

func (t *thing) step(changes ...Change) Step {
	return Step{Target: t.Target, Changes: changes, Host: t.Host, Cluster: t.Cluster}
}

// do makes one call that changes something.
func (f *fleet) do(ctx context.Context, call string, effect func() error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	f.tick()
	f.calls = append(f.calls, call)
	how := f.fault(call)
	if how == refuses {
		return errors.New(call + ": refused")
	}
	if how == losesBefore {
		return fmt.Errorf("%s: %w", call, ErrUnsure)
	}
	err := effect()
	f.tick()
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", call, err)
	case how == breaksAfter:
		return errors.New(call + ": it broke")
	case how == losesAfter:
		return fmt.Errorf("%s: %w", call, ErrUnsure)
	}
	return nil
}

// sees returns the error of reading from the server.
func (f *fleet) sees(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	f.later = slices.DeleteFunc(f.later, func(e event) bool {
		due := !time.Now().Before(e.at)
		if due {
			e.do()
		}
		return due
	})
	return f.blind()
}

func (f *fleet) Survey(ctx context.Context, targets []Target) ([]Condition, error) {
	if err := f.sees(ctx); err != nil {
		return nil, err
	}
	var all []Condition
	for _, want := range targets {
		t, applied := f.things[want.Key()]
		if !applied {
			all = append(all, Condition{Target: want, Gone: "it is not there any more"})
			continue
		}
		c := t.Condition
		if !t.Running {
			c.Booted = time.Time{}
		}
		all = append(all, c)
	}
	return all, nil
}

func (f *fleet) Preview(_ context.Context, requests []Request) ([][]Preview, error) {
	all := make([][]Preview, len(requests))
	for i, w := range requests {
		all[i] = f.prospects(w.Condition, w.Assignments)
	}
	return all, nil
}

func (f *fleet) prospects(c Condition, want []Assignment) []Preview {
	t := f.things[c.Target.Key()]
	var all []Preview
	for _, w := range want {
		s := t.settings[w.Setting]
		if s == nil {
			all = append(all, Preview{Refused: "there is no such setting"})
			continue
		}
		p := Preview{Before: s.value, After: w.Value, Refused: s.refused, Activation: t.needs(s), Privileges: []string{"Change." + string(t.Target.Kind)}}
		if t.unread != "" {
			p.Before = inventory.Unread[inventory.Value](t.unread)
		}
		all = append(all, p)
	}
	return all
}

func (f *fleet) Read(ctx context.Context, target Target, addresses []Address) ([]value, error) {
	if err := f.sees(ctx); err != nil {
		return nil, err
	}
	t := f.things[target.Key()]
	if t == nil {
		return nil, errors.New("no such object")
	}
	var all []value
	for _, a := range addresses {
		switch s := t.settings[a.Setting]; {
		case t.unread != "":
			all = append(all, inventory.Unread[inventory.Value](t.unread))
		case s == nil:
			all = append(all, inventory.Absent[inventory.Value]())
		default:
			all = append(all, s.value)
		}
	}
	return all, nil
}

func (f *fleet) Write(ctx context.Context, target Target, assigned []Assignment) error {
	var names []string
	for _, a := range assigned {
		names = append(names, a.Setting+"="+formatFact(a.Value))
	}
	return f.do(ctx, "write "+target.Name+" "+strings.Join(names, " "), func() error {
		t := f.things[target.Key()]
		for _, a := range assigned {
			if t.settings[a.Setting] == nil {
				return errors.New("there is no such setting")
			}
			if isVM(target) && t.Running && t.settings[a.Setting].activation == inventory.ActivationPowerOff {
				return errors.New("it must be off")
			}
		}
		for _, a := range assigned {
			s := t.settings[a.Setting]
			switch {
			case s.swallows:
			case s.bends != nil:
				s.value = s.bends()
			default:
				s.value = a.Value
			}
		}
		for _, a := range assigned {
			if drags := t.settings[a.Setting].drags; drags != nil {
				drags(t)
			}
		}
		if f.after != nil {
			f.after(target)
		}
		return nil
	})
}

func (f *fleet) Health(ctx context.Context, hosts []Target) ([]Health, error) {
	if err := f.sees(ctx); err != nil {
		return nil, err
	}
	var all []Health
	for _, h := range hosts {
		health := *f.health[h.ID]
		health.Host = h
		all = append(all, health)
	}
	return all, nil
}

func (f *fleet) ShutDown(ctx context.Context, vm Target) error {
	return f.do(ctx, "shut-down "+vm.Name, func() error {
		if f.things[vm.Key()].stubborn {
			return errors.New("the guest does not shut down")
		}
		f.things[vm.Key()].Running = false
		return nil
	})
}

func (f *fleet) PowerOn(ctx context.Context, vm Target) error {
	return f.do(ctx, "power-on "+vm.Name, func() error {
		f.started(vm)
		return nil
	})
}

func (f *fleet) started(target Target) {
	time.Sleep(time.Second) // in a test's bubble
	t := f.things[target.Key()]
	t.Running, t.Booted = true, f.clock()
}

func (f *fleet) Evacuable(_ context.Context, host Target) ([]string, error) {
	if f.unfit == nil {
		return nil, nil
	}
	return f.unfit(host.ID), nil
}

func (f *fleet) EnterMaintenance(ctx context.Context, host Target) error {
	return f.do(ctx, "enter-maintenance "+host.Name, func() error {
		f.things[host.Key()].Maintenance = true
		return nil
	})
}

func (f *fleet) ExitMaintenance(ctx context.Context, host Target) error {
	return f.do(ctx, "exit-maintenance "+host.Name, func() error {
		f.things[host.Key()].Maintenance = false
		return nil
	})
}

func (f *fleet) Reboot(ctx context.Context, host Target, _ time.Time) (time.Time, error) {
	t := f.things[host.Key()]
	err := f.do(ctx, "reboot "+host.Name, func() error {
		if t.stubborn {
			t.Running = false
			return errors.New("it did not come back")
		}
		f.started(host)
		return nil
	})
	return t.Booted, err
}

func (f *fleet) Save(ctx context.Context, host Target) error {
	return f.do(ctx, "save "+host.Name, func() error { return nil })
}

func (f *fleet) Post(ctx context.Context, target Target, text string) error {
	return f.do(ctx, "post "+target.Name, func() error {
		f.posts = append(f.posts, text)
		return nil
	})
}

// did returns the calls that changed something, without events and saves.
func (f *fleet) did() []string {
	return slices.DeleteFunc(slices.Clone(f.calls), func(c string) bool { return strings.HasPrefix(c, "post") || strings.HasPrefix(c, "save") })
}

func text(s string) value { return inventory.Known(inventory.StringValue(s)) }
func long(n int64) value  { return inventory.Known(inventory.LongValue(n)) }
func absent() value       { return inventory.Absent[inventory.Value]() }
