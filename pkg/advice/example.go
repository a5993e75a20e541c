package advice

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/vperf/vperf/pkg/inventory"
)

// exampleFacts are the objects an example may describe, by the names rules give them. What an example leaves out is
// unread, as it would be on a host that was not asked.
type exampleFacts struct {
	VCenter *inventory.VCenter `json:"vcenter"`
	Cluster *inventory.Cluster `json:"cluster"`
	Pool    *inventory.Pool    `json:"pool"`
	Host    *inventory.Host    `json:"host"`
	PNIC    *inventory.PNIC    `json:"pnic"`
	VM      *inventory.VM      `json:"vm"`
	VNIC    *inventory.VNIC    `json:"vnic"`
	VDisk   *inventory.VDisk   `json:"vdisk"`
	Switch  *inventory.Switch  `json:"switch"`
}

// Prove evaluates every example of the rules and returns what does not come out as it says, as RuleErrors at the
// example's place. It also returns how many examples there were.
func (s *Ruleset) Prove(ctx context.Context) (examples int, err error) {
	var bad RuleErrors
	for _, r := range s.rules {
		for i := range r.Examples {
			examples++
			if message := r.prove(ctx, &r.Examples[i]); message != "" {
				bad = append(bad, r.file.at(&r.Examples[i].Facts, fmt.Sprintf("example %q: %s", r.Examples[i].Name, message)))
			}
		}
	}
	return examples, bad.err()
}

// prove returns what is wrong with an example, or "".
func (r *compiled) prove(ctx context.Context, e *Example) string {
	snapshot, err := e.snapshot()
	if err != nil {
		return err.Error()
	}
	f, err := r.evaluateExample(ctx, snapshot, e.Profile)
	switch {
	case err != nil:
		return err.Error()
	case f.Outcome != e.Expect:
		return fmt.Sprintf("expected %s, got %s%s", e.Expect, f.Outcome, becauseOf(f))
	case e.Severity != "" && f.Severity != e.Severity:
		return fmt.Sprintf("expected severity %s, got %s for profile %s", e.Severity, f.Severity, f.Profile)
	}
	return e.checkRemedies(f)
}

func becauseOf(f Finding) string {
	if len(f.Gaps) > 0 {
		return fmt.Sprintf(": %s of %s is unread (%s)", f.Gaps[0].Fact, f.Gaps[0].Object.Name, f.Gaps[0].Reason)
	}
	if f.Reason != "" {
		return ": " + f.Reason
	}
	return ""
}

func (e *Example) checkRemedies(f Finding) string {
	have, consent := map[string]string{}, map[string]Consent{}
	for _, c := range f.Remedies {
		if v, ok := c.To.Value(); ok {
			have[c.Setting.String()] = v.Text
		}
		consent[c.Setting.String()] = c.Consent
	}
	for _, address := range sortedKeys(e.Consent) {
		if got := consent[address]; got != e.Consent[address] {
			return fmt.Sprintf("expected consent %s for %s, got %q", e.Consent[address], address, got)
		}
	}
	for _, address := range sortedKeys(have) {
		if _, expected := e.To[address]; e.To != nil && !expected {
			return fmt.Sprintf("expected no remedy that sets %s, got one to %s", address, have[address])
		}
	}
	for _, address := range sortedKeys(e.To) {
		if got, ok := have[address]; !ok {
			return fmt.Sprintf("expected a remedy that sets %s to %s, there is none", address, e.To[address])
		} else if got != e.To[address] {
			return fmt.Sprintf("expected %s to be set to %s, not to %s", address, e.To[address], got)
		}
	}
	return ""
}

// evaluateExample evaluates the rule alone. Where the facts describe several objects of its scope, as a NIC and the
// others of its host, the first is the one in question.
func (r *compiled) evaluateExample(ctx context.Context, s *inventory.Snapshot, p Profile) (Finding, error) {
	result, err := Evaluate(ctx, s, &Ruleset{rules: []*compiled{r}}, Options{Profile: p, All: true})
	if err != nil {
		return Finding{}, err
	}
	of := subjectsOf(s.VCenters[0], r.Scope)
	if len(of) == 0 {
		return Finding{}, fmt.Errorf("the facts describe no %s, which the rule looks at", r.Scope)
	}
	i := slices.IndexFunc(result.Findings, func(f Finding) bool { return f.Object == of[0].object.Ref() })
	return result.Findings[i], nil
}

// snapshot builds the small fleet that an example describes.
func (e *Example) snapshot() (*inventory.Snapshot, error) {
	var tree any
	if err := e.Facts.Decode(&tree); err != nil {
		return nil, fmt.Errorf("facts: %w", err)
	}
	b, err := json.Marshal(tree)
	if err != nil {
		return nil, fmt.Errorf("facts: %w", err)
	}
	var x exampleFacts
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&x); err != nil {
		return nil, fmt.Errorf("facts: %w", err)
	}
	return x.fleet(), nil
}

func (x *exampleFacts) fleet() *inventory.Snapshot {
	v := x.VCenter
	if v == nil {
		v = new(inventory.VCenter)
	}
	name(&v.Entity, "vcenter")
	if x.Cluster != nil {
		name(&x.Cluster.Entity, "cluster")
		v.Clusters = append(v.Clusters, x.Cluster)
	}
	if x.Pool != nil {
		name(&x.Pool.Entity, "pool")
		v.Pools = append(v.Pools, x.Pool)
	}
	if x.Switch != nil {
		name(&x.Switch.Entity, "switch")
		v.Switches = append(v.Switches, x.Switch)
	}
	x.hosts(v)
	x.vms(v)
	s := &inventory.Snapshot{Schema: inventory.SnapshotSchema, Source: "example", VCenters: []*inventory.VCenter{v}}
	s.Link()
	return s
}

func (x *exampleFacts) hosts(v *inventory.VCenter) {
	if x.Host == nil && x.PNIC != nil {
		x.Host = new(inventory.Host)
	}
	if x.Host == nil {
		return
	}
	name(&x.Host.Entity, "host")
	if x.Cluster != nil {
		x.Host.ClusterID = inventory.Known(x.Cluster.ID)
	} else if x.Host.ClusterID.IsZero() {
		x.Host.ClusterID = inventory.Absent[string]()
	}
	if x.PNIC != nil {
		others, _ := x.Host.PNICs.Value()
		x.Host.PNICs = inventory.Known(append([]*inventory.PNIC{x.PNIC}, others...))
	}
	v.Hosts = append(v.Hosts, x.Host)
}

func (x *exampleFacts) vms(v *inventory.VCenter) {
	if x.VM == nil && (x.VNIC != nil || x.VDisk != nil) {
		x.VM = new(inventory.VM)
	}
	if x.VM == nil {
		return
	}
	name(&x.VM.Entity, "vm")
	if x.Host != nil {
		x.VM.HostID = inventory.Known(x.Host.ID)
	}
	if x.VNIC != nil {
		x.VM.VNICs = inventory.Known([]*inventory.VNIC{x.VNIC})
	}
	if x.VDisk != nil {
		x.VM.Disks = inventory.Known([]*inventory.VDisk{x.VDisk})
	}
	v.VMs = append(v.VMs, x.VM)
}

// name gives an example's object an identity where it did not bother.
func name(e *inventory.Entity, fallback string) {
	for _, s := range []*string{&e.ID, &e.Name, &e.Path} {
		if *s == "" {
			*s = fallback
		}
	}
}
