package simfleet

import (
	"slices"

	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/perf"
)

// Custom attributes. The last is nobody's business: readers must drop it.
const (
	fieldProfile = "vperf.profile"
	fieldWaive   = "vperf.waive"
	fieldOwner   = "owner"
)

var customFields = []string{fieldProfile, fieldWaive, fieldOwner}

// firstField is the number of the first.
const firstField = 101

// markRow is what somebody wrote on an object, and the tags that hang on it, as CATEGORY/NAME.
type markRow struct {
	kind, name string
	fields     map[string]string
	tags       []string
}

const categoryProfile = "vperf.profile"

// markTable gives objects a profile by attribute and by tag, and lets one rule be.
var markTable = []markRow{
	{kind: "VirtualMachine", name: "app-clean-01", fields: map[string]string{fieldProfile: "general", fieldOwner: planted}},
	{kind: "VirtualMachine", name: "batch-etl-01", fields: map[string]string{fieldWaive: "cpu-limit until 2027-06-30 billing shares this host"}},
	{kind: "VirtualMachine", name: "db-pg-01", tags: []string{categoryProfile + "/database", "environment/production"}},
	{kind: "VirtualMachine", name: "db-my-01", tags: []string{"environment/test"}},
	{kind: "VirtualMachine", name: "vdi-clone-01", fields: map[string]string{fieldProfile: "vdi"}},
	{kind: "VirtualMachine", name: "vdi-clone-02", fields: map[string]string{fieldProfile: "vdi"}},
	{kind: "ClusterComputeResource", name: clusterCompute, fields: map[string]string{fieldProfile: "analytics"}},
	{kind: "HostSystem", name: "host14.demo.local", fields: map[string]string{fieldProfile: "hpc"}},
	{kind: "HostSystem", name: "host15.demo.local", fields: map[string]string{fieldProfile: "latency"}},
	{kind: "HostSystem", name: "host16.demo.local", fields: map[string]string{fieldProfile: "vdi"}},
	{kind: "HostSystem", name: "host07.demo.local", tags: []string{"environment/production"}},
}

// addMarks gives objects their custom attributes.
func (b *builder) addMarks() error {
	fields := b.ctx.Map.CustomFieldsManager()
	for i, name := range customFields {
		fields.Field = append(fields.Field, types.CustomFieldDef{Key: firstField + int32(i), Name: name, Type: "string"})
	}
	for _, row := range markTable {
		e := b.marked(row).Entity()
		for i, name := range customFields {
			if text, is := row.fields[name]; is {
				v := &types.CustomFieldStringValue{CustomFieldValue: types.CustomFieldValue{Key: firstField + int32(i)}, Value: text}
				e.CustomValue, e.Value = append(e.CustomValue, v), append(e.Value, v)
			}
		}
	}
	b.keepMuchHistory()
	return nil
}

// marked is the object that a row is about.
func (b *builder) marked(row markRow) mo.Entity {
	switch row.kind {
	case "ClusterComputeResource":
		return b.clusters[row.name]
	case "HostSystem":
		return b.hosts[row.name].host
	}
	return b.vmNamed(row.name)
}

// keepMuchHistory: somebody wanted to see more for a week, and left it so.
func (b *builder) keepMuchHistory() {
	perf := b.ctx.Map.Get(*b.model.ServiceContent.PerfManager).(*perf.Manager)
	perf.HistoricalInterval = slices.Clone(perf.HistoricalInterval) // all of a process share the stock's
	for i := range perf.HistoricalInterval {
		perf.HistoricalInterval[i].Level = 1
		if i < 2 {
			perf.HistoricalInterval[i].Level = 3
		}
	}
}
