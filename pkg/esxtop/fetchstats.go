package esxtop

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// The two parts of an answer to FetchStats.
const (
	treePart  = "==NUM-OF-OBJ=="
	valuePart = "==COUNTER-VALUE=="
)

// Parse parses an answer to FetchStats. It skips rows that no wanted object needs, and groups that the schema does not
// have. If the text has errors, it returns an error about them together with the rest of the sample; the sample is nil
// only if no row has the host's clock.
func (s *Schema) Parse(text string, wanted Objects) (*Sample, error) {
	p := &parser{
		schema: s,
		decode: s.groupsFor(wanted),
		last:   make([]int32, len(s.groups)),
		sample: &Sample{schema: s, wanted: wanted, blocks: make([]*Block, len(s.groups))},
	}
	for i := range p.last {
		p.last[i] = -1
	}
	p.text(text)
	for _, b := range p.sample.blocks {
		if b != nil {
			b.Group.rows.Store(int64(b.Len()))
		}
	}
	read := fmt.Sprintf("%d rows were read", p.rows)
	if !p.clock() {
		p.complaints.add(0, "no row of group Server with a TimeStampInUsec, which is needed to compare samples; is this an answer to FetchStats?")
		return nil, p.complaints.err("reading FetchStats", read)
	}
	return p.sample, p.complaints.err("reading FetchStats", read)
}

// block returns a block with room for as many rows as in the last sample: hosts change little between samples.
func (g *RawGroup) block() *Block {
	rows := int(g.rows.Load())
	return &Block{
		Group:   g,
		numbers: make([]uint64, 0, rows*len(g.Fields)),
		strings: make([]string, 0, rows*g.texts),
		present: make([]uint16, 0, rows),
		parents: make([]int32, 0, rows),
	}
}

type parser struct {
	schema     *Schema
	decode     []bool  // by group
	last       []int32 // by group: the row that owns those that follow
	sample     *Sample
	rows       int
	complaints complaints
	values     bool      // the part with them has begun
	group      *RawGroup // of the line before: rows of a kind come together
}

// text parses all lines. It is the only loop over all bytes, most of which belong to skipped rows.
func (p *parser) text(text string) {
	end := strings.TrimRight(text, "\x00\r\n ")
	ended := strings.Contains(text[len(end):], "\n")
	text = end
	for n := 1; text != ""; n++ {
		line, cut := text, !ended
		if end := strings.IndexByte(text, '\n'); end >= 0 {
			line, text, cut = text[:end], text[end+1:], false
		} else {
			text = ""
		}
		if len(line) > 0 && line[len(line)-1] == '\r' {
			line = line[:len(line)-1]
		}
		switch {
		case line == "":
		case line[0] != '|':
			p.mark(n, line)
		case !p.values:
			readName(line[1:], &p.sample.names)
		default:
			if p.group == nil || !isRowOf(line, p.group) {
				p.group = p.groupOf(line)
			}
			if p.group != nil && p.decode[p.group.index] {
				p.row(n, p.group, line[len(p.group.Name)+2:], cut)
			}
		}
	}
}

// mark parses a line between the parts of an answer.
func (p *parser) mark(n int, line string) {
	switch {
	case line[0] != '=':
		p.complaints.add(n, quoted(line)+" does not start with |")
	case line == valuePart:
		p.values = true
	case line != treePart:
		p.complaints.add(n, quoted(line)+" is no part of an answer that we know")
	}
}

// isRowOf reports whether a line that starts with | begins with the group's name.
func isRowOf(line string, g *RawGroup) bool {
	n := len(g.Name)
	return len(line) > n+1 && line[n+1] == '|' && line[1:n+1] == g.Name
}

// groupOf returns nil for groups that the schema does not have.
func (p *parser) groupOf(line string) *RawGroup {
	end := strings.IndexByte(line[1:], '|')
	if end < 0 {
		return nil
	}
	return p.schema.byName[line[1:end+1]]
}

// row decodes the values of a row, each of which ends with a |. A value without an end was cut off and is ignored.
// a number is no number.
func (p *parser) row(n int, g *RawGroup, values string, cut bool) {
	b := p.sample.blocks[g.index]
	if b == nil {
		b = g.block()
		p.sample.blocks[g.index] = b
	}
	row := len(b.present)
	numbers, texts := len(b.numbers), len(b.strings)
	b.numbers = append(b.numbers, make([]uint64, len(g.Fields))...)
	b.strings = append(b.strings, make([]string, g.texts)...)

	have, surplus := 0, surplusOf(values, g)
	for i := range g.Fields {
		if values == "" {
			break
		}
		end := strings.IndexByte(values, '|')
		if i == g.leftover {
			end = nth(values, surplus)
		}
		value := values
		if end >= 0 {
			value, values = values[:end], values[end+1:]
		} else if values = ""; cut {
			break
		}
		have++
		if f := &g.Fields[i]; f.text > 0 {
			b.strings[texts+f.text-1] = value
		} else if number, ok := integer(value, f.signed); ok {
			b.numbers[numbers+i] = number
		} else {
			p.noNumber(n, b, numbers+i, f, value)
		}
	}
	if cut && have < len(g.Fields) {
		p.complaints.add(n, fmt.Sprintf("the text ends within this row of %s, after %d of its %d values", g.Name, have, len(g.Fields)))
	}
	b.present = append(b.present, uint16(have))
	b.parents = append(b.parents, p.parentOf(g))
	p.begin(g, row)
	p.rows++
}

// begin makes a row the owner of the following ones, and ends what the previous row owned.
func (p *parser) begin(g *RawGroup, row int) {
	p.last[g.index] = int32(row)
	for _, below := range g.ends {
		p.last[below] = -1
	}
}

// nth returns the position of the | that has n before it; -1 if there is none.
func nth(s string, n int) int {
	at := strings.IndexByte(s, '|')
	for ; n > 0 && at >= 0; n-- {
		next := strings.IndexByte(s[at+1:], '|')
		if next < 0 {
			return -1
		}
		at += 1 + next
	}
	return at
}

// surplusOf returns how many | the group's name field must contain for the number of values to match. Without this
// check, a VM could forge its counters with its name.
func surplusOf(values string, g *RawGroup) int {
	if g.leftover < 0 {
		return 0
	}
	have := strings.Count(values, "|")
	if !strings.HasSuffix(values, "|") {
		have++
	}
	return max(0, have-len(g.Fields))
}

func (p *parser) parentOf(g *RawGroup) int32 {
	if g.parent == nil {
		return -1
	}
	return p.last[g.parent.index]
}

// noNumber makes a value absent, without an error if it is empty.
func (p *parser) noNumber(n int, b *Block, at int, f *RawField, value string) {
	if b.absent == nil {
		b.absent = map[int]bool{}
	}
	b.absent[at] = true
	if value != "" {
		p.complaints.add(n, fmt.Sprintf("%s.%s is %s, which is no %s", b.Group.Name, f.Name, quoted(value), f.Type))
	}
}

// integer parses a number without a sign, except a minus if the type is signed, as the service writes them.
func integer(s string, signed bool) (n uint64, ok bool) {
	if signed && len(s) > 1 && s[0] == '-' {
		n, ok = integer(s[1:], false)
		return -n, ok && n <= 1<<63
	}
	if s == "" || len(s) > 20 {
		return 0, false
	}
	for i := range len(s) {
		digit := uint64(s[i] - '0')
		if digit > 9 {
			return 0, false
		}
		if i == 19 && (n > math.MaxUint64/10 || n*10 > math.MaxUint64-digit) {
			return 0, false
		}
		n = n*10 + digit
	}
	return n, !signed || n <= math.MaxInt64
}

// clock parses the host's clocks. It returns false for impossible values.
func (p *parser) clock() bool {
	b := p.sample.Block("Server")
	if b.Len() == 0 {
		return false
	}
	usec, ok := b.Number(0, b.Group.Field("TimeStampInUsec"))
	if !ok || usec > math.MaxInt64/1000 {
		return false
	}
	p.sample.Clock = time.Duration(usec) * time.Microsecond
	if epoch, ok := b.Signed(0, b.Group.Field("Time")); ok {
		p.sample.Time = time.Unix(epoch, 0).UTC()
	}
	return true
}

// readName reads a line of the first part of the answer, for names that are only there.
func readName(line string, names *hierarchy) {
	switch group, rest, _ := strings.Cut(line, "|"); group {
	case "NetPort":
		put(&names.portsets, item(rest, "PortID"), item(rest, "PortsetName"))
	case "VscsiGroup":
		put(&names.vscsi, item(rest, "GroupId"), item(rest, "GroupName"))
	}
}

func put(names *map[string]string, key, name string) {
	if key == "" || name == "" {
		return
	}
	if *names == nil {
		*names = map[string]string{}
	}
	(*names)[key] = name
}

// item returns the value of a key in key,value|key,value|… Text without a comma belongs to the previous value: a name
// with a |.
func item(items, key string) string {
	for items != "" {
		one, rest, _ := strings.Cut(items, "|")
		for rest != "" {
			next, after, _ := strings.Cut(rest, "|")
			if strings.Contains(next, ",") {
				break
			}
			one, rest = items[:len(one)+1+len(next)], after
		}
		if value, ok := strings.CutPrefix(one, key+","); ok {
			return strings.TrimSuffix(value, "|")
		}
		items = rest
	}
	return ""
}

// groupsFor reports for each group whether to decode its rows. The Server row is always decoded, because it has the
// clock; groups of no known object are decoded if all objects are wanted.
func (s *Schema) groupsFor(wanted Objects) []bool {
	decode := make([]bool, len(s.groups))
	needs := wanted.groups()
	for i, g := range s.groups {
		decode[i] = needs[g.Name] || wanted == AllObjects
	}
	return decode
}
