package tuning_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

type fact = inventory.Fact[inventory.Value]

// oneHost is a server with one host and its settings. The host is healthy and logs no events.
type oneHost struct{ settings map[string]fact }

func (h oneHost) Survey(_ context.Context, targets []tuning.Target) ([]tuning.Condition, error) {
	all := make([]tuning.Condition, len(targets))
	for i, t := range targets {
		all[i] = tuning.Condition{Target: t, Running: true, Host: t.ID}
	}
	return all, nil
}

func (h oneHost) Preview(_ context.Context, requests []tuning.Request) ([][]tuning.Preview, error) {
	all := make([][]tuning.Preview, len(requests))
	for i, w := range requests {
		for _, a := range w.Assignments {
			before := h.settings[a.Setting]
			all[i] = append(all[i], tuning.Preview{
				Before: before, After: a.Value, Activation: inventory.ActivationLive,
				Inverse: tuning.Inverse{Kind: inventory.InverseExact, Write: []tuning.Assignment{{Address: a.Address, Value: before}}},
			})
		}
	}
	return all, nil
}

func (h oneHost) Read(_ context.Context, _ tuning.Target, addresses []tuning.Address) ([]fact, error) {
	var all []fact
	for _, a := range addresses {
		all = append(all, h.settings[a.Setting])
	}
	return all, nil
}

func (h oneHost) Write(_ context.Context, _ tuning.Target, all []tuning.Assignment) error {
	for _, a := range all {
		h.settings[a.Setting] = a.Value
	}
	return nil
}

func (h oneHost) Health(_ context.Context, hosts []tuning.Target) ([]tuning.Health, error) {
	all := make([]tuning.Health, len(hosts))
	for i, t := range hosts {
		all[i].Host = t
	}
	return all, nil
}

func (oneHost) ShutDown(context.Context, tuning.Target) error              { return nil }
func (oneHost) PowerOn(context.Context, tuning.Target) error               { return nil }
func (oneHost) Evacuable(context.Context, tuning.Target) ([]string, error) { return nil, nil }
func (oneHost) EnterMaintenance(context.Context, tuning.Target) error      { return nil }
func (oneHost) ExitMaintenance(context.Context, tuning.Target) error       { return nil }
func (oneHost) Save(context.Context, tuning.Target) error                  { return nil }
func (oneHost) Post(context.Context, tuning.Target, string) error          { return nil }

func (oneHost) Reboot(_ context.Context, _ tuning.Target, booted time.Time) (time.Time, error) {
	return booted, nil
}

// A plan lists the changes to the live values. Apply records them, makes them and reads the values back; Rollback
// undoes them.
func Example() {
	const setting = "host-option/Net.UseHwTSO"
	ctx := context.Background()
	server := oneHost{settings: map[string]fact{setting: inventory.Known(inventory.LongValue(0))}}
	estate := tuning.Estate{Server: tuning.Server{Name: "vc.example.com", UUID: "4c1d"}, Settings: server, Power: server, Events: server}

	plan, err := tuning.NewPlan(ctx, estate.Settings, estate.Server, []tuning.Proposal{{
		Target: tuning.Target{Kind: inventory.ScopeHost, ID: "host-1", Name: "esx01"},
		Want:   tuning.Assignment{Address: tuning.Address{Setting: setting}, Value: inventory.Known(inventory.LongValue(1))},
		Cause:  tuning.Cause{Rule: "tso"},
	}}, time.Now())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range plan.Steps[0].Changes {
		fmt.Printf("%s: %v to %v\n", c.Setting, c.Before, c.After)
	}

	dir, err := os.MkdirTemp("", "runs")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	runs, err := tuning.OpenRuns(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	outcome, err := tuning.Apply(ctx, estate, runs, plan, tuning.Options{User: "example"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(outcome.Results[0].State, server.settings[setting])

	outcome, err = tuning.Rollback(ctx, estate, runs, outcome.Run, tuning.Options{User: "example"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(outcome.Results[0].State, server.settings[setting])
	// Output:
	// host-option/Net.UseHwTSO: 0 to 1
	// done 1
	// undone 0
}
