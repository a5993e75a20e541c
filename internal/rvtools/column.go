package rvtools

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/rvtools/sheet"
	"github.com/vperf/vperf/pkg/inventory"
)

// NotHere is the reason of facts that an export does not have.
const NotHere = inventory.NotInExport

// column is a column of a sheet, with the facts that it becomes. fill gets the text of a cell that is not empty.
type column[O any] struct {
	name  string
	facts []string // names as in inventory.Needs
	fill  func(O, string)
}

// fill sets the facts of one row.
func fill[O any](of O, r *row, columns []column[O]) {
	for _, c := range columns {
		if text := r.text(c.name); text != "" {
			c.fill(of, text)
		}
	}
}

// whole is a column with whole numbers.
func whole[O any](fact, name string, at func(O) *inventory.Fact[int64]) column[O] {
	return column[O]{name, []string{fact}, func(o O, text string) { *at(o) = wholeOf(name, text) }}
}

func wholeOf(name, text string) inventory.Fact[int64] {
	if n, ok := sheet.Whole(text); ok {
		return inventory.Known(n)
	}
	return notUnderstood[int64](name, text, "not a number")
}

// yesNo is a column with words for true and false.
func yesNo[O any](fact, name string, at func(O) *inventory.Fact[bool]) column[O] {
	return column[O]{name, []string{fact}, func(o O, text string) { *at(o) = yesNoOf(name, text) }}
}

func yesNoOf(name, text string) inventory.Fact[bool] {
	if b, ok := sheet.Bool(text); ok {
		return inventory.Known(b)
	}
	return notUnderstood[bool](name, text, "neither true nor false")
}

// onlyYes is yesNo for a property that servers may omit: False then has two meanings, and only True is certain.
func onlyYes[O any](fact, name string, at func(O) *inventory.Fact[bool]) column[O] {
	return column[O]{name, []string{fact}, func(o O, text string) {
		*at(o) = yesNoOf(name, text)
		if yes, known := at(o).Value(); known && !yes {
			*at(o) = inventory.Unread[bool]("the export has False both for no and for values that the server does not report")
		}
	}}
}

// plain is a column with text that is the fact.
func plain[O any](fact, name string, at func(O) *inventory.Fact[string]) column[O] {
	return column[O]{name, []string{fact}, func(o O, text string) { *at(o) = inventory.Known(text) }}
}

// word is a column with one of several words; the words map to the values of the fact.
func word[O any](fact, name string, words map[string]string, at func(O) *inventory.Fact[string]) column[O] {
	return column[O]{name, []string{fact}, func(o O, text string) { *at(o) = wordOf(name, text, words) }}
}

func wordOf(name, text string, words map[string]string) inventory.Fact[string] {
	if value, ok := words[strings.ToLower(text)]; ok {
		return inventory.Known(value)
	}
	return notUnderstood[string](name, text, "not a word that vperf knows")
}

// same maps words to themselves.
func same(words ...string) map[string]string {
	all := make(map[string]string, len(words))
	for _, w := range words {
		all[strings.ToLower(w)] = w
	}
	return all
}

// date is a column with dates.
func date[O any](fact, name string, at func(O) *inventory.Fact[time.Time]) column[O] {
	return column[O]{name, []string{fact}, func(o O, text string) { *at(o) = dateOf(name, text) }}
}

func dateOf(name, text string) inventory.Fact[time.Time] {
	if t, ok := sheet.Date(text); ok {
		return inventory.Known(t)
	}
	return notUnderstood[time.Time](name, text, "no date whose day and month are certain")
}

func notUnderstood[T any](name, text, what string) inventory.Fact[T] {
	return inventory.Unread[T](fmt.Sprintf("column %s of the export is %s, %s", name, quoted(text), what))
}

// quoted returns foreign text for a message: short, and without control characters.
func quoted(text string) string {
	const longest = 60
	if r := []rune(text); len(r) > longest {
		text = string(r[:longest]) + "…"
	}
	return strconv.Quote(text)
}

// table is the header of a sheet.
type table struct {
	sheet string
	at    map[string]int
}

// lateColumns come after the custom attributes of an object, which are columns too and may have the same names. Other columns come
// before them.
var lateColumns = map[string]bool{
	"datacenter": true, "cluster": true, "host": true, "folder": true, "vm id": true, "vm uuid": true, "vi sdk server": true, "vi sdk uuid": true,
}

func newTable(name string, header *sheet.Row) *table {
	t := &table{sheet: name, at: make(map[string]int, header.Len())}
	for i := range header.Len() {
		key := normal(header.Text(i))
		if _, twice := t.at[key]; key != "" && (!twice || lateColumns[key]) {
			t.at[key] = i
		}
	}
	return t
}

// normal makes the names of columns comparable: 3.11 writes MB where 4.x writes MiB, and means the same.
func normal(name string) string {
	name = strings.ToLower(strings.Join(strings.Fields(name), " "))
	if size, old := strings.CutSuffix(name, " mb"); old {
		return size + " mib"
	}
	return strings.ReplaceAll(name, " mb (", " mib (")
}

func (t *table) has(name string) bool {
	_, ok := t.at[normal(name)]
	return ok
}

// row is one row of a table.
type row struct {
	*table
	*sheet.Row

	keys map[string]string // normal names of columns, which are computed once
}

// text returns a cell without blanks around it.
func (r *row) text(name string) string {
	key, ok := r.keys[name]
	if !ok {
		key = normal(name)
		r.keys[name] = key
	}
	i, ok := r.at[key]
	if !ok {
		return ""
	}
	return strings.TrimSpace(r.Text(i))
}

// first returns the first of several cells that is not empty.
func (r *row) first(names ...string) string {
	for _, name := range names {
		if text := r.text(name); text != "" {
			return text
		}
	}
	return ""
}
