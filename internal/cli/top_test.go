package cli

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// holdsIdentities FILE checks identities of any host in each sample of a batch CSV: the states of a group's worlds add up
// to all their time, a group's usage is that of its worlds, and a host is as busy as its CPUs.
func holdsIdentities(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: identities FILE")
	}
	for n, b := range batches(ts, args[0]) {
		if wrong := b.wrong(); wrong != "" {
			ts.Fatalf("%s, sample %d: %s", args[0], n+1, wrong)
		}
	}
}

// hasSameFigures FILE FILE checks that two batch CSVs have the same values of the same counters, in any order.
func hasSameFigures(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: same-figures FILE FILE")
	}
	if !reflect.DeepEqual(batches(ts, args[0]), batches(ts, args[1])) {
		ts.Fatalf("%s and %s tell different things", args[0], args[1])
	}
}

// batches reads a batch CSV with a reader that is not ours.
func batches(ts *testscript.TestScript, file string) (all []batchSample) {
	records, err := csv.NewReader(strings.NewReader(ts.ReadFile(file))).ReadAll()
	ts.Check(err)
	if len(records) < 2 {
		ts.Fatalf("%s has no samples", file)
	}
	for _, record := range records[1:] {
		b := batchSample{record[0]: nil}
		for i, path := range records[0] {
			b.take(path, record[i])
		}
		all = append(all, b)
	}
	return all
}

// batchSample is the figures of a sample, by "group(instance)" and counter.
type batchSample map[string]map[string]float64

// take keeps the figure of a path such as \\host\Group Cpu(100:web-1)\% Used.
func (b batchSample) take(path, text string) {
	_, of, found := strings.Cut(strings.TrimPrefix(path, `\\`), `\`)
	last := strings.LastIndex(of, `\`)
	value, err := strconv.ParseFloat(text, 64)
	if !found || last < 0 || err != nil {
		return
	}
	if b[of[:last]] == nil {
		b[of[:last]] = map[string]float64{}
	}
	b[of[:last]][of[last+1:]] = value
}

// wrong says which identity does not hold.
func (b batchSample) wrong() string {
	groups, cpus, util := 0, 0, 0.0
	for object, figures := range b {
		kind, id, _ := strings.Cut(strings.TrimSuffix(object, ")"), "(")
		switch {
		case kind == "Physical Cpu" && id != "_Total":
			cpus++
			util += figures["% Util Time"]
		case kind == "Group Cpu":
			groups++
			worlds := figures["Members"]
			spent := figures["% Run"] + figures["% Wait"] + figures["% Ready"] + figures["% CoStop"]
			if used := b.usedByWorlds(id); math.Abs(spent-100*worlds) > 0.05*worlds+0.05 || math.Abs(used-figures["% Used"]) > 0.01*worlds+0.01 {
				return object + " of " + strconv.Itoa(int(worlds)) + " worlds spends " + decimals(spent) + " % and uses " + decimals(figures["% Used"]) + " %, its worlds " + decimals(used)
			}
		}
	}
	if total := b["Physical Cpu(_Total)"]["% Util Time"]; groups == 0 || cpus == 0 || math.Abs(util/float64(cpus)-total) > 0.02 {
		return strconv.Itoa(groups) + " groups; " + strconv.Itoa(cpus) + " CPUs are busy for " + decimals(total) + " %, which is not their mean"
	}
	return ""
}

func (b batchSample) usedByWorlds(group string) (used float64) {
	for object, figures := range b {
		if strings.HasPrefix(object, "Vcpu("+group+":") {
			used += figures["% Used"]
		}
	}
	return used
}

func decimals(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }

// findsMeasured FILE RULE=OBJECT… wants findings of rules over counters in an audit's JSON, each about an object whose name
// begins so, and with a figure that was measured.
func findsMeasured(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: measured FILE RULE=OBJECT...")
	}
	all, err := auditFindings([]byte(ts.ReadFile(args[0])))
	ts.Check(err)
	for _, want := range args[1:] {
		rule, object, _ := strings.Cut(want, "=")
		found := false
		for _, f := range all {
			if f.Rule != rule || !strings.HasPrefix(f.Object.Name, object) {
				continue
			}
			var evidence map[string]any
			ts.Check(json.Unmarshal(f.Evidence, &evidence))
			for _, v := range evidence {
				figure, _ := v.(float64)
				found = found || figure > 0
			}
		}
		if !found {
			ts.Fatalf("%s finds nothing about %s in\n%.2000s", rule, object, ts.ReadFile(args[0]))
		}
	}
}
