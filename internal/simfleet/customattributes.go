package simfleet

import (
	"slices"

	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
	"github.com/vperf/vperf/internal/simfleet/perf"
)

// firstField is the number of the first custom attribute.
const firstField = 101

// addTags adds custom attributes and tags to objects.
func (b *builder) addTags() error {
	fleet := fleetdata.Demo()
	fields := b.ctx.Map.CustomFieldsManager()
	for i, name := range fleet.Attributes {
		fields.Field = append(fields.Field, types.CustomFieldDef{Key: firstField + int32(i), Name: name, Type: "string"})
	}
	b.tags = map[types.ManagedObjectReference][]string{}
	for _, row := range fleet.Clusters {
		b.setTags(b.clusters[row.Name], row.Attributes, row.Tags)
	}
	for _, e := range b.hostOrder {
		b.setTags(e.System, e.Row.Attributes, e.Row.Tags)
	}
	for i, row := range b.vmRows() {
		b.setTags(b.vmOrder[i], row.Attributes, row.Tags)
	}
	b.keepMuchHistory()
	return nil
}

func (b *builder) setTags(object mo.Entity, attributes map[string]string, tags []string) {
	e := object.Entity()
	for i, name := range fleetdata.Demo().Attributes {
		if text, is := attributes[name]; is {
			v := &types.CustomFieldStringValue{CustomFieldValue: types.CustomFieldValue{Key: firstField + int32(i)}, Value: text}
			e.CustomValue, e.Value = append(e.CustomValue, v), append(e.Value, v)
		}
	}
	if len(tags) > 0 {
		b.tags[object.Reference()] = tags
	}
}

// keepMuchHistory raises the statistics level, as if it had been raised for a week and left there.
func (b *builder) keepMuchHistory() {
	perf := b.ctx.Map.Get(*b.model.ServiceContent.PerfManager).(*perf.Manager)
	perf.HistoricalInterval = slices.Clone(perf.HistoricalInterval) // govmomi v0.56.0 simulator: all of a process share them
	for i := range perf.HistoricalInterval {
		perf.HistoricalInterval[i].Level = 1
		if i < 2 {
			perf.HistoricalInterval[i].Level = 3
		}
	}
}
