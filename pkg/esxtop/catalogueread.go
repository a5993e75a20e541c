package esxtop

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A file of the catalogue has entries with an empty line between them. A line of an entry is a key and a value, which goes to
// the end of the line and needs no quotes. YAML would take 20 times as long to read at every start.

// setters maps the keys of an entry to functions that parse their values.
type setters[T any] map[string]func(to *T, value string) error

// readEntries reads a file, and calls add with every entry.
func readEntries[T any](text string, keys setters[T], add func(*T) error) error {
	about, _, _ := strings.Cut(text, "\n")
	entry, begun := new(T), 0
	end := func() (err error) {
		if begun > 0 {
			err = add(entry)
			entry, begun = new(T), 0
		}
		return err
	}
	for n, line := range lines(text) {
		var err error
		switch {
		case line == "":
			err = end()
		case line[0] != '#':
			if begun == 0 {
				begun = n
			}
			err = keys.set(entry, line)
		}
		if err != nil {
			return fmt.Errorf("catalogue: line %d of the file that begins with %q: %w", n, about, err)
		}
	}
	return end()
}

// set parses a line.
func (keys setters[T]) set(to *T, line string) error {
	key, value, ok := strings.Cut(line, ": ")
	set := keys[key]
	switch {
	case !ok:
		return fmt.Errorf("%q is no key and its value", line)
	case set == nil:
		return fmt.Errorf("key %q is unknown", key)
	}
	if err := set(to, value); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}

// metricKeys are the keys of a metric.
var metricKeys = setters[Metric]{
	"id":      textKey(func(m *Metric) *string { return &m.ID }),
	"about":   textKey(func(m *Metric) *string { return &m.About }),
	"column":  textKey(func(m *Metric) *string { return &m.Column }),
	"counter": textKey(func(m *Metric) *string { return &m.Counter }),
	"series":  textKey(func(m *Metric) *string { return &m.stem }),
	"per":     textKey(func(m *Metric) *string { return &m.per }),
	"words":   textKey(func(m *Metric) *string { return &m.Formula.words }),
	"objects": func(m *Metric, value string) (err error) { m.Objects, err = parseObjects(value); return err },
	"kind":    func(m *Metric, value string) (err error) { m.Kind, err = nameOf[Kind](kinds[:], value); return err },
	"unit":    func(m *Metric, value string) (err error) { m.Unit, err = parseUnit(value); return err },
	"flags":   (*Metric).readFlags,

	"gauge":   (*Metric).readGauge,
	"rate":    (*Metric).readRate,
	"share":   func(m *Metric, value string) error { m.Formula = share(strings.Split(value, " or ")...); return nil },
	"mean":    (*Metric).readMean,
	"text":    func(m *Metric, value string) error { m.Formula = text(strings.Split(value, " or ")...); return nil },
	"derived": (*Metric).readDerived,
	"own":     (*Metric).readOwn,

	"perf":       (*Metric).readPerf,
	"decimals":   (*Metric).readDecimals,
	"screen":     (*Metric).readScreen,
	"sorts":      func(m *Metric, value string) error { m.sorts = strings.Split(value, ", "); return nil },
	"batch":      (*Metric).readBatch,
	"batch name": func(m *Metric, value string) error { m.Batch[len(m.Batch)-1].Text = value; return nil },

	"warn": thresholdKey((*Threshold).readWarn),
	"critical": thresholdKey(func(t *Threshold, value string) (err error) {
		t.Critical, err = strconv.ParseFloat(value, 64)
		return err
	}),
	"while":  thresholdKey((*Threshold).readWhile),
	"word":   thresholdKey(textKey(func(t *Threshold) *string { return &t.Word })),
	"action": thresholdKey(textKey(func(t *Threshold) *string { return &t.Action })),
	"source": thresholdKey(textKey(func(t *Threshold) *string { return &t.Source })),

	"live": func(m *Metric, value string) error { m.Live = strings.Split(value, ", "); return nil },
	"fact": (*Metric).readFact,
}

func textKey[T any](field func(*T) *string) func(*T, string) error {
	return func(to *T, value string) error {
		*field(to) = value
		return nil
	}
}

// thresholdKey is a key of a metric's threshold; the first such key creates the threshold.
func thresholdKey(set func(*Threshold, string) error) func(*Metric, string) error {
	return func(m *Metric, value string) error {
		if m.Threshold == nil {
			m.Threshold = new(Threshold)
		}
		return set(m.Threshold, value)
	}
}

// option cuts the text after a mark off a value; it is empty if there is no mark.
func option(value *string, mark string) (behind string) {
	*value, behind, _ = strings.Cut(*value, " "+mark+" ")
	return behind
}

// nameOf returns the index of a name.
func nameOf[T ~int](names []string, name string) (T, error) {
	i := slices.Index(names, name)
	if i < 0 {
		return 0, fmt.Errorf("%q is none of %s", name, strings.Join(names, ", "))
	}
	return T(i), nil
}

func parseObjects(value string) (list []Object, err error) {
	list = make([]Object, 0, strings.Count(value, ",")+1)
	for name := range strings.SplitSeq(value, ", ") {
		o, err := parseObject(name)
		if err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	return list, nil
}

func parseObject(name string) (Object, error) {
	for o := range objects {
		if objectInfos[o].name == name {
			return o, nil
		}
	}
	return 0, fmt.Errorf("%q is no object", name)
}

func parseUnit(value string) (Unit, error) {
	if !slices.Contains(units, Unit(value)) {
		return "", fmt.Errorf("%q is no unit", value)
	}
	return Unit(value), nil
}

func (m *Metric) readFlags(value string) error {
	for flag := range strings.SplitSeq(value, ", ") {
		switch flag {
		case "zero is none":
			m.zeroIsNone = true
		case "of the NIC":
			m.ofNIC = true
		case "computed for perf":
			m.perfComputed = true
		default:
			return fmt.Errorf("%q is no flag", flag)
		}
	}
	return nil
}

// fieldsAndScale parses FIELD or FIELD in UNIT.
func fieldsAndScale(value string) (fields []string, scale float64, err error) {
	scale = 1
	if unit := option(&value, "in"); unit != "" {
		if scale = scales[unit]; scale == 0 {
			return nil, 0, fmt.Errorf("%q is no unit of fields", unit)
		}
	}
	return strings.Split(value, " or "), scale, nil
}

func (m *Metric) readGauge(value string) error {
	fields, scale, err := fieldsAndScale(value)
	m.Formula = Formula{op: opGauge, fields: fields, scale: scale}
	return err
}

func (m *Metric) readRate(value string) error {
	fields, scale, err := fieldsAndScale(value)
	m.Formula = Formula{op: opRate, fields: fields, scale: scale}
	return err
}

// readMean parses FIELD by COUNT + COUNT, where the field is a time in µs.
func (m *Metric) readMean(value string) error {
	by := option(&value, "by")
	m.Formula = Formula{op: opMean, fields: []string{value}, by: strings.Split(by, " + "), scale: 1.0 / 1000}
	if m.Unit == Microsec {
		m.Formula.scale = 1
	}
	return nil
}

// readDerived parses NAME of METRIC, METRIC, or the same per vCPU.
func (m *Metric) readDerived(value string) error {
	value, perVCPU := strings.CutSuffix(value, " per vCPU")
	of := option(&value, "of")
	reckon := derivations[value]
	if reckon == nil {
		return fmt.Errorf("there is no derivation %q", value)
	}
	m.Formula = Formula{op: opComputed, of: strings.Split(of, ", "), compute: reckon, perVCPU: perVCPU}
	return nil
}

// readOwn parses NAME of FIELD, FIELD in UNIT.
func (m *Metric) readOwn(value string) error {
	m.Formula = Formula{op: opOwn, scale: 1}
	if unit := option(&value, "in"); unit != "" {
		m.Formula.scale = scales[unit]
	}
	if of := option(&value, "of"); of != "" {
		m.Formula.fields = strings.Split(of, ", ")
	}
	m.Formula.own = value
	return nil
}

// readPerf parses COUNTER from CONVERSION on OBJECT.
func (m *Metric) readPerf(value string) (err error) {
	var p Perf
	if on := option(&value, "on"); on != "" {
		if p.On, err = parseObjects(on); err != nil {
			return err
		}
	}
	if from := option(&value, "from"); from != "" {
		if p.As, err = nameOf[Conversion](conversions[:], from); err != nil {
			return err
		}
	}
	p.Counter = value
	m.Perf = append(m.Perf, p)
	return nil
}

func (m *Metric) readDecimals(value string) error {
	n, err := strconv.Atoi(value)
	m.digits = &n
	return err
}

// readScreen parses FIELD, FIELD or one FIELD each OBJECT as LABEL decimals NUMBER or FIELD beside METRIC. A field is
// the key of a panel and a letter.
func (m *Metric) readScreen(value string) (err error) {
	p := screenPlace{beside: option(&value, "beside")}
	if n := option(&value, "decimals"); n != "" {
		if p.decimals, err = strconv.Atoi(n); err != nil {
			return err
		}
		p.fixed = true
	}
	p.label = option(&value, "as")
	if each := option(&value, "each"); each != "" {
		if p.each, err = parseObject(each); err != nil {
			return err
		}
	}
	for field := range strings.SplitSeq(value, ", ") {
		p.field = field
		m.screen = append(m.screen, p)
	}
	return nil
}

// readBatch parses the groups of the batch CSV, if they do not follow from the objects, and flags.
func (m *Metric) readBatch(value string) error {
	var b BatchCounter
	b.Text = m.Counter
	for word := range strings.SplitSeq(value, ", ") {
		switch word {
		case "default":
			b.Default = true
		case "all": // with -a alone
		case "whole":
			b.Whole = true
		case "first":
			b.First = true
		default:
			b.Groups = append(b.Groups, word)
		}
	}
	m.Batch = append(m.Batch, b)
	return nil
}

// readWarn parses above NUMBER or below NUMBER, or the same per vCPU.
func (t *Threshold) readWarn(value string) (err error) {
	value, t.PerVCPU = strings.CutSuffix(value, " per vCPU")
	side, number, _ := strings.Cut(value, " ")
	if t.Below = side == "below"; !t.Below && side != "above" {
		return fmt.Errorf("%q is neither above nor below", side)
	}
	t.Warn, err = strconv.ParseFloat(number, 64)
	return err
}

// readWhile parses METRIC is NUMBER: at least that value.
func (t *Threshold) readWhile(value string) (err error) {
	least := option(&value, "is")
	t.Needs = value
	t.AtLeast, err = strconv.ParseFloat(least, 64)
	return err
}

// readFact parses SCOPE NAME as WAY by METRIC else METRIC with OBJECT on nodes.
func (m *Metric) readFact(value string) (err error) {
	var f Fact
	value, f.OnNodes = strings.CutSuffix(value, " on nodes")
	if with := option(&value, "with"); with != "" {
		if f.With, err = parseObjects(with); err != nil {
			return err
		}
	}
	f.orElse = option(&value, "else")
	f.by = option(&value, "by")
	if way := option(&value, "as"); way != "" {
		if f.As, err = nameOf[FactWay](factWays[:], way); err != nil {
			return err
		}
	}
	f.Scope, f.Name, _ = strings.Cut(value, " ")
	m.Facts = append(m.Facts, f)
	return nil
}
