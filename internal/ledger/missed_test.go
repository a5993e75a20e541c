package ledger

import (
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
)

// TestMissed: events of vm-1 between two samples, and the samples counted as missed.
func TestMissed(t *testing.T) {
	vm := func(n int) *esxtop.Round { return round(frame("host-1", after(n), ready("vm-1", 10))) }
	elsewhere := func(n int) *esxtop.Round { return round(frame("host-2", after(n), ready("vm-1", 10))) }
	trouble := func(n int, host, name string, err error) *esxtop.Round {
		return &esxtop.Round{Time: after(n), Troubles: []esxtop.Trouble{{MoID: host, Host: name, Err: err}}}
	}
	expect := func(up, on bool) func(*Ledger) {
		return func(l *Ledger) {
			hosts := hostsUp("host-1", "host-2")
			hosts[0].Up = up
			l.Expect(hosts, []VM{{MoID: "vm-1", Host: "host-1", On: on}})
		}
	}
	for name, test := range map[string]struct {
		steps []any // rounds and other events
		want  map[string]uint64
	}{
		"nothing":                          {[]any{vm(1), vm(2), vm(3)}, nil},
		"a little off":                     {[]any{vm(1), round(frame("host-1", after(2).Add(9*time.Second), ready("vm-1", 1))), vm(3)}, nil},
		"a hole":                           {[]any{vm(1), vm(4)}, map[string]uint64{"not_kept": 2}},
		"filled":                           {[]any{vm(1), trouble(2, "host-1", "", errTimeout), trouble(3, "host-1", "", errTimeout), vm(2), vm(3), vm(4)}, nil},
		"a gap within filled samples":      {[]any{vm(1), trouble(2, "host-1", "", errTimeout), vm(2), vm(4)}, map[string]uint64{"not_kept": 1}},
		"timeout":                          {[]any{vm(1), trouble(2, "host-1", "", errTimeout), trouble(3, "host-1", "", nil), vm(4)}, map[string]uint64{"timeout": 2}},
		"the last trouble":                 {[]any{vm(1), trouble(2, "host-1", "", errTimeout), trouble(3, "host-1", "", io.EOF), vm(4)}, map[string]uint64{"connection": 2}},
		"a trouble without a word":         {[]any{vm(1), trouble(2, "host-1", "", errors.New("what")), vm(3)}, map[string]uint64{"other": 1}},
		"by name":                          {[]any{vm(1), trouble(2, "", "esx-host-1", errTimeout), vm(3)}, map[string]uint64{"timeout": 1}},
		"of another host":                  {[]any{vm(1), trouble(2, "host-2", "", errTimeout), vm(3)}, map[string]uint64{"not_kept": 1}},
		"of nobody":                        {[]any{vm(1), trouble(2, "host-9", "", errTimeout), trouble(2, "", "who", errTimeout), vm(3)}, map[string]uint64{"not_kept": 1}},
		"before":                           {[]any{trouble(0, "host-1", "", errTimeout), vm(1), vm(3)}, map[string]uint64{"not_kept": 1}},
		"moved":                            {[]any{vm(1), elsewhere(3)}, map[string]uint64{"moved": 1}},
		"moved without a hole":             {[]any{vm(1), elsewhere(2)}, nil},
		"moved to one that was in trouble": {[]any{vm(1), trouble(2, "host-2", "", errTimeout), elsewhere(3)}, map[string]uint64{"timeout": 1}},
		"down":                             {[]any{vm(1), expect(false, true), trouble(2, "host-1", "", errTimeout), expect(true, true), vm(4)}, map[string]uint64{"host_down": 2}},
		"down still":                       {[]any{vm(1), expect(false, true), vm(4)}, map[string]uint64{"host_down": 2}},
		"down from before on":              {[]any{expect(false, true), vm(1), expect(true, true), vm(4)}, map[string]uint64{"host_down": 2}},
		"down before":                      {[]any{expect(false, true), expect(true, true), vm(1), vm(3)}, map[string]uint64{"not_kept": 1}},
		"off":                              {[]any{vm(1), trouble(1, "", "", nil), expect(true, false), trouble(4, "", "", nil), expect(true, true), vm(5), vm(6)}, nil},
		"off, and longer away":             {[]any{vm(1), trouble(2, "", "", nil), expect(true, false), trouble(4, "", "", nil), expect(true, true), vm(6)}, map[string]uint64{"not_kept": 2}},
		"off, on a host that is a little late": {[]any{
			round(frame("host-1", after(1).Add(5*time.Second), ready("vm-1", 1))), expect(true, false), trouble(3, "", "", nil), expect(true, true),
			round(frame("host-1", after(4).Add(5*time.Second), ready("vm-1", 1))),
		}, nil},
		"off twice": {[]any{
			vm(1), expect(true, false), trouble(4, "", "", nil), expect(true, true), expect(true, false), expect(true, true), trouble(5, "", "", nil),
			expect(true, false), expect(true, false), trouble(8, "", "", nil), expect(true, true), vm(9),
		}, map[string]uint64{"not_kept": 1}},
		"off, though it has samples": {[]any{vm(1), expect(true, false), vm(2), vm(4), expect(true, true), vm(5)}, nil},
		"off for hours":              {[]any{vm(1), expect(true, false), trouble(500, "", "", nil), expect(true, true), vm(501), vm(502)}, nil},
		"the past":                   {[]any{func(l *Ledger) { statsAt(l, after(100)) }, vm(1), vm(3)}, map[string]uint64{"not_kept": 1}},
		"a short while":              {[]any{vm(1), trouble(183, "host-1", "", nil)}, nil},
		"an hour":                    {[]any{vm(1), trouble(184, "host-1", "", nil)}, nil},
		"over an hour":               {[]any{vm(1), trouble(185, "host-1", "", nil)}, map[string]uint64{"too_old": 1}},
		"over an hour, as they pass": {[]any{vm(1), trouble(185, "host-1", "", nil), trouble(186, "host-1", "", nil), trouble(186, "host-1", "", nil)}, map[string]uint64{"too_old": 2}},
		"over an hour in trouble":    {[]any{vm(1), trouble(185, "host-1", "", errTimeout), trouble(200, "host-1", "", nil), vm(201)}, map[string]uint64{"timeout": 199}},
		"and then the rest":          {[]any{vm(1), trouble(200, "host-1", "", nil), vm(21), vm(22), vm(201)}, map[string]uint64{"too_old": 16, "not_kept": 3 + 178}},
		"a sample that came although it was too old": {[]any{vm(1), trouble(200, "host-1", "", nil), vm(10), vm(201)}, map[string]uint64{"too_old": 16, "not_kept": 183}},
		"by the clock alone":                         {[]any{vm(1), func(l *Ledger) { changesAt(l, after(185).Add(19*time.Second)) }}, map[string]uint64{"too_old": 1}},
		"it never had a sample":                      {[]any{trouble(1, "", "", nil), trouble(186, "host-1", "", errTimeout)}, map[string]uint64{"timeout": 2}},
		"a lone clock that is wrong":                 {[]any{vm(1), func(l *Ledger) { l.Take(round(frame("host-1", after(9000)))) }, vm(2)}, nil},
		"past rounds are no clock":                   {[]any{vm(1), &esxtop.Round{Time: after(9000), Past: true}}, nil},
		"the Esxtop service": {[]any{
			round(service(frame("host-1", after(1), ready("vm-1", 1)), 0)), round(service(frame("host-1", after(2), ready("vm-1", 1)), 20*time.Second)),
			round(service(frame("host-1", after(4), ready("vm-1", 1)), 10*time.Second)), round(service(frame("host-1", after(9), ready("vm-1", 1)), 0)),
		}, map[string]uint64{"not_kept": 3}},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLedger(Options{Objects: esxtop.AllObjects, Reason: reasonOf})
			expect(true, true)(l)
			for _, h := range l.hosts {
				h.account.pause(0) // it is only about the VM
			}
			for _, step := range test.steps {
				switch step := step.(type) {
				case *esxtop.Round:
					take(l, step)
				case func(*Ledger):
					step(l)
				}
			}
			got := map[string]uint64{}
			for reason, n := range l.missed {
				if n > 0 {
					got[reason] = n
				}
			}
			if test.want == nil {
				test.want = map[string]uint64{}
			}
			require.Equal(t, test.want, got)
		})
	}
}

// TestSamplesOfAnother: a VM that comes from the hosts of another ledger counts from then on. What the server returns of before is in
// the sums of the other one.
func TestSamplesOfAnother(t *testing.T) {
	l := fleet(t, Options{})
	take(l, round(frame("host-1", after(1), ready("vm-1", 10))))
	hosts := []Host{{MoID: "host-1", Name: "name-host-1", Up: true}, {MoID: "host-2", Name: "name-host-2", Up: true}}
	vms := []VM{{MoID: "vm-1", Name: "name-vm-1", Host: "host-1", On: true, From: after(3)}, {MoID: "vm-2", Name: "name-vm-2", Host: "host-1", On: true}}
	vms = append(vms, VM{MoID: "vm-9", Name: "name-vm-9", Host: "host-1", On: true, From: after(2).Add(2 * time.Second)})
	l.Expect(hosts, vms)
	for i := range 4 {
		take(l, round(frame("host-1", after(i+1), ready("vm-1", 10), ready("vm-9", 10))))
	}
	got := page(t, l, after(4))
	require.InDelta(t, 8, got[readyOf1], 1e-12, "it was there before, whatever is said later")
	require.InDelta(t, 4, got[`esxi_vm_cpu_ready_seconds_total{moid="vm-9",vm="name-vm-9"}`], 1e-12)
}
