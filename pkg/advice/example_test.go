package advice_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// A rule is a YAML file. It is loaded, selected, which compiles it, and evaluated on a snapshot.
func Example() {
	library, err := advice.Load(advice.Source{User: true, FS: fstest.MapFS{"cores.yaml": {Data: []byte(`
id: few-cores
title: The host has few cores
category: cpu
scope: host
severity: medium
want: host.cores >= params.least
evidence: {cores: host.cores}
params: {least: {value: 16, about: the fewest cores that are no fault}}
why: Small hosts fill up soon.
`)}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	rules, err := library.Select(advice.Selection{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("needs Host.cores:", rules.Needs(advice.Options{}).Any("Host.cores"))

	snapshot := &inventory.Snapshot{VCenters: []*inventory.VCenter{{Hosts: []*inventory.Host{
		{Entity: inventory.Entity{ID: "host-1", Name: "esx01"}, Cores: inventory.Known(int64(8))},
		{Entity: inventory.Entity{ID: "host-2", Name: "esx02"}, Cores: inventory.Unread[int64]("no permission")},
		{Entity: inventory.Entity{ID: "host-3", Name: "esx03"}, Cores: inventory.Known(int64(64))},
	}}}}
	snapshot.Link()
	result, err := advice.Evaluate(context.Background(), snapshot, rules, advice.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range result.Findings {
		fmt.Println(f.Object.Name, f.Outcome, f.Reason, f.Evidence)
	}
	for _, r := range advice.Advise(snapshot, result).Recommendations {
		fmt.Println(r.Severity, r.Rule.Title, r.Object.Name)
	}
	// Output:
	// needs Host.cores: true
	// esx01 fail  [{cores 8}]
	// esx02 unknown required facts are unread []
	// medium The host has few cores esx01
}

// A value of a rule can be set before rules are selected.
func ExampleLibrary_Set() {
	library, err := advice.Load(advice.Source{User: true, FS: fstest.MapFS{"cores.yaml": {Data: []byte(`
id: few-cores
title: The host has few cores
category: cpu
scope: host
severity: medium
want: host.cores >= params.least
params: {least: {value: 16, about: the fewest cores that are no fault}}
why: Small hosts fill up soon.
`)}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(library.Set("few-cores", "leest", "8"))
	fmt.Println(library.Set("few-cores", "least", "many"))
	fmt.Println(library.Set("few-cores", "least", "8"), library.Rules()[0].Params["least"].Value)
	// Output:
	// rule few-cores has no parameter "leest" (did you mean "least"?)
	// few-cores.least is a whole number, not "many"
	// <nil> 8
}
