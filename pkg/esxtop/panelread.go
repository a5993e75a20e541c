package esxtop

import (
	"fmt"
	"strings"
)

// panelKeys are the keys of a panel.
var panelKeys = setters[Panel]{
	"panel":  func(p *Panel, value string) error { p.Key = value[0]; return nil },
	"title":  textKey(func(p *Panel) *string { return &p.Title }),
	"object": func(p *Panel, value string) (err error) { p.Object, err = parseObject(value); return err },
	"with":   func(p *Panel, value string) (err error) { p.With, err = parseObjects(value); return err },
	"expand": func(p *Panel, value string) (err error) { p.Expand, err = parseObjects(value); return err },
	"header": func(p *Panel, value string) error {
		list, err := parseObjects(value)
		p.header = ObjectsOf(list...)
		return err
	},
	"needs": func(p *Panel, value string) error { p.needsIDs = strings.Split(value, ", "); return nil },
	"shown": textKey(func(p *Panel) *string { return &p.shown }),
	"field": func(p *Panel, value string) error {
		p.Fields = append(p.Fields, Field{Letter: byte('A' + len(p.Fields)), Title: value})
		return nil
	},
	"row": (*Panel).readRow,
}

var attributes = [...]string{"", "id", "gid", "leader", "name", "host", "owner", "child"}

// readRow parses ATTRIBUTE as LABEL: the column of the previous field is an attribute of the row.
func (p *Panel) readRow(value string) error {
	label := option(&value, "as")
	a, err := nameOf[Attribute](attributes[:], value)
	f := &p.Fields[len(p.Fields)-1]
	f.Columns = append(f.Columns, Column{Label: label, Attribute: a})
	return err
}

// addPanel adds a panel, whose columns come with the metrics that refer to it.
func (c *metrics) addPanel(p *Panel) error {
	if len(p.shown) != len(p.Fields) {
		return fmt.Errorf("panel %c has %d fields, and %q says which are shown", p.Key, len(p.Fields), p.shown)
	}
	p.Sorts = map[byte]string{'N': ""}
	for _, id := range p.needsIDs {
		p.needs = append(p.needs, c.byID[id])
	}
	c.panels = append(c.panels, p)
	return nil
}

// show adds the columns of a metric to panels.
func (c *metrics) show(m *Metric) error {
	for _, at := range m.screen {
		if err := c.addColumn(m, at); err != nil {
			return err
		}
	}
	for _, at := range m.sorts {
		p := c.panel(at[0])
		if p == nil {
			return fmt.Errorf("no panel has a key %s to sort", at)
		}
		p.Sorts[at[1]] = m.ID
	}
	return nil
}

// addColumn adds a metric to a field of a panel.
func (c *metrics) addColumn(m *Metric, at screenPlace) error {
	var field *Field
	if p := c.panel(at.field[0]); p != nil {
		field = p.Field(at.field[1])
	}
	if field == nil {
		return fmt.Errorf("no panel has a field %s", at.field)
	}
	if at.beside == "" {
		field.Columns = append(field.Columns, m.columnAt(at))
		return nil
	}
	for i := range field.Columns {
		if column := &field.Columns[i]; column.Metric != nil && column.Metric.ID == at.beside {
			column.Other = m
			return nil
		}
	}
	return fmt.Errorf("field %s has no column of %s", at.field, at.beside)
}

func (m *Metric) columnAt(at screenPlace) Column {
	column := Column{Label: m.Column, Metric: m, Each: at.each, Decimals: m.decimals()}
	if at.label != "" {
		column.Label = at.label
	}
	if at.fixed {
		column.Decimals = at.decimals
	}
	return column
}
