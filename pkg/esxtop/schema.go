package esxtop

import (
	"errors"
	"fmt"
	"strings"
)

// mostFields is more than any row has: a text with more would use unlimited memory.
const mostFields = 1000

// ParseSchema parses the answer to CounterInfo. It skips invalid lines, and returns an error about them together with
// the rest of the schema; without a single group there is no schema.
func ParseSchema(text string) (*Schema, error) {
	s := &Schema{byName: map[string]*RawGroup{}}
	var c complaints
	for n, line := range lines(text) {
		if line == "" {
			continue
		}
		if g, err := parseGroup(line); err != nil {
			c.add(n, err.Error())
		} else if s.byName[g.Name] != nil {
			c.add(n, fmt.Sprintf("group %s is there twice, the first one counts", quoted(g.Name)))
		} else {
			g.index = len(s.groups)
			s.groups = append(s.groups, g)
			s.byName[g.Name] = g
		}
	}
	if len(s.groups) == 0 {
		c.add(0, "no group of counters in it")
		return nil, c.err("reading CounterInfo", "nothing was read")
	}
	s.relate()
	return s, c.err("reading CounterInfo", fmt.Sprintf("%d groups were read", len(s.groups)))
}

// parseGroup parses a line such as |NUMANode|NodeID,U32|TotalInPages,U32|.
func parseGroup(line string) (*RawGroup, error) {
	inner, ok := strings.CutPrefix(line, "|")
	if !ok {
		return nil, fmt.Errorf("%s does not start with |", quoted(line))
	}
	name, rest, _ := strings.Cut(strings.TrimSuffix(inner, "|"), "|")
	if name == "" {
		return nil, errors.New("a group without a name")
	}
	g := &RawGroup{Name: name, byName: map[string]int{}, leftover: -1}
	if rest == "" {
		return g, nil
	}
	for item := range strings.SplitSeq(rest, "|") {
		field, typ, ok := strings.Cut(item, ",")
		switch {
		case !ok || field == "" || typ == "":
			return nil, fmt.Errorf("group %s: %s is no field and its type, as in TimeStampInUsec,U64", quoted(name), quoted(item))
		case len(g.Fields) == mostFields:
			return nil, fmt.Errorf("group %s has more than %d fields", quoted(name), mostFields)
		}
		g.add(field, typ)
	}
	return g, nil
}

// userNames are fields with names chosen by users: if one contains a |, the row has too many values.
var userNames = map[string]bool{"VMName": true, "WorldName": true, "ClientName": true}

func (g *RawGroup) add(name, typ string) {
	f := RawField{Name: name, Type: typ, signed: strings.HasPrefix(typ, "S") && isInteger(typ)}
	if !isInteger(typ) {
		g.texts++
		f.text = g.texts
	}
	if _, twice := g.byName[name]; !twice {
		g.byName[name] = len(g.Fields)
	}
	if typ == "STR" && (g.leftover < 0 || userNames[name]) {
		g.leftover = len(g.Fields)
	}
	g.Fields = append(g.Fields, f)
}

// isInteger distinguishes numbers from texts by type: B, U32, S64 and wider types of later releases. Unknown types are
// texts.
func isInteger(typ string) bool {
	if typ == "B" {
		return true
	}
	bits, signed := strings.CutPrefix(typ, "S")
	if !signed {
		bits, signed = strings.CutPrefix(typ, "U")
	}
	return signed && bits != "" && strings.Trim(bits, "0123456789") == ""
}

// relate finds the parents, and the groups that a new row ends: after the next SchedGroup, no CPUClient owns anything.
func (s *Schema) relate() {
	for _, g := range s.groups {
		if g.parent = s.byName[rawParents[g.Name]]; g.parent != nil {
			g.parent.ends = append(g.parent.ends, g.index)
		}
	}
}

// Field returns the index of a field in the group; -1 if the host does not have it.
func (g *RawGroup) Field(name string) int {
	if i, ok := g.byName[name]; ok {
		return i
	}
	return -1
}

// rawParents maps groups to the groups whose rows precede and own theirs: rows seldom contain their parent.
var rawParents = map[string]string{
	"VMNUMANodeMem": "SchedGroup", "CPUClient": "SchedGroup", "HiddenWorld": "SchedGroup", "VMem": "SchedGroup",
	"VCPU":        "CPUClient",
	"WorldPerDev": "SCSIDevice", "Partition": "SCSIDevice",
	"VscsiDisk":       "VscsiGroup",
	"NetPort":         "NetPortset",
	"InterruptPerCPU": "InterruptVector",
	"CState":          "LCPUPower", "PState": "LCPUPower", "TState": "LCPUPower",
}
