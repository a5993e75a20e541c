package probe

import (
	"regexp"
	"slices"
	"strings"
)

// SampleRows is the number of lines of each kind that a probe keeps of an answer of the Esxtop service, unless it keeps all.
const SampleRows = 3

// mostSample is the maximum number of lines that a probe keeps.
const mostSample = 200_000

// The lines before the sections of FetchStats.
const (
	sectionTree   = "==NUM-OF-OBJ=="
	sectionValues = "==COUNTER-VALUE=="
)

// EsxtopOf returns the schema of CounterInfo, and the answer of FetchStats without names and ids: at most perKind lines of each kind
// and section, or all if perKind is 0. A line in a form that it does not know is counted and not kept.
func EsxtopOf(r *Redactor, info, stats string, perKind int) *Esxtop {
	e := &esxtopRedaction{Redactor: r, out: new(Esxtop), fields: map[string][]string{}, kept: map[string]int{}, perKind: perKind}
	for line := range strings.SplitSeq(info, "\n") {
		e.schemaLine(strings.TrimRight(line, "\r\x00"))
	}
	tree := true
	for line := range strings.SplitSeq(stats, "\n") {
		switch line = strings.TrimRight(line, "\r\x00"); line {
		case "":
		case sectionTree, sectionValues:
			tree = line == sectionTree
			e.out.Sample = append(e.out.Sample, line)
		default:
			e.sampleLine(line, tree)
		}
	}
	return e.out
}

type esxtopRedaction struct {
	*Redactor
	out     *Esxtop
	fields  map[string][]string // by kind of row: NAME:TYPE
	kept    map[string]int      // lines by section and kind
	perKind int
}

var (
	rowForm   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,63}$`)
	fieldForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,79},(U32|U64|S32|S64|B|STR|CSTR|[A-Z0-9]{1,6})$`)
)

// cells splits a line into the kind of its row and the rest.
func cells(line string) (kind string, rest []string, ok bool) {
	inner, front := strings.CutPrefix(line, "|")
	inner, back := strings.CutSuffix(inner, "|")
	all := strings.Split(inner, "|")
	return all[0], all[1:], front && back && rowForm.MatchString(all[0])
}

func (e *esxtopRedaction) schemaLine(line string) {
	if line == "" {
		return
	}
	kind, list, ok := cells(line)
	if !ok || e.fields[kind] != nil {
		e.out.Strange++
		return
	}
	fields := []string{}
	for _, f := range list {
		if !fieldForm.MatchString(f) {
			e.out.Strange++
			continue
		}
		fields = append(fields, strings.Replace(f, ",", ":", 1))
	}
	e.fields[kind] = fields
	e.out.Rows = append(e.out.Rows, Row{Name: kind, Fields: fields})
}

func (e *esxtopRedaction) sampleLine(line string, tree bool) {
	kind, list, ok := cells(line)
	if !ok || e.fields[kind] == nil && (!tree || e.isName(kind)) {
		e.out.Strange++
		return
	}
	key := kind
	if tree {
		key = "tree " + kind
	} else if i := slices.IndexFunc(e.out.Rows, func(r Row) bool { return r.Name == kind }); i >= 0 {
		e.out.Rows[i].Count++
	}
	if e.kept[key]++; e.perKind > 0 && e.kept[key] > e.perKind || len(e.out.Sample) >= mostSample {
		return
	}
	out := make([]string, len(list))
	for i, cell := range list {
		if tree {
			out[i] = e.treeCell(kind, cell)
		} else {
			out[i] = e.value(kind, e.fields[kind], i, len(list), cell)
		}
	}
	e.out.Sample = append(e.out.Sample, "|"+kind+"|"+strings.Join(out, "|")+"|")
}

// isName reports whether a word is the name of an object of the server, such as a VM, where a word of the format is expected.
func (e *esxtopRedaction) isName(word string) bool {
	_, known := e.known[strings.ToLower(word)]
	return known
}

// treeCell redacts KEY,VALUE: the number of objects of a kind, an id or a name.
func (e *esxtopRedaction) treeCell(kind, cell string) string {
	key, value, ok := strings.Cut(cell, ",")
	if !ok || !rowForm.MatchString(key) || e.isName(key) {
		return hiddenText
	}
	if idKind(kind, key) == "" && number.MatchString(value) {
		return cell
	}
	return key + "," + e.named(kind, key, value)
}

// value redacts the value of a field. More values than fields come from a name with a separator in it: then nothing is certain.
func (e *esxtopRedaction) value(kind string, fields []string, i, values int, cell string) string {
	if values > len(fields) {
		return hiddenText
	}
	name, form, _ := strings.Cut(fields[i], ":")
	switch {
	case form == "CSTR" && constant.MatchString(cell) && !e.isName(cell):
		return cell
	case form != "STR" && form != "CSTR" && number.MatchString(cell) && idKind(kind, name) == "":
		return cell
	}
	return e.named(kind, name, cell)
}

// named redacts an id or a name.
func (e *esxtopRedaction) named(kind, field, value string) string {
	if ids := idKind(kind, field); ids != "" && number.MatchString(value) {
		return e.ID(ids, value)
	}
	return e.name(nameKind(kind, field), value)
}

var (
	number   = regexp.MustCompile(`^-?[0-9]{1,20}$`)
	constant = regexp.MustCompile(`^[a-z]{0,12}$`) // units and states
	// ownNames are names that every host gives in the same way.
	ownNames = regexp.MustCompile(`^(vmnic[0-9]+|vmk[0-9]+|vmhba[0-9]+(:C[0-9]+:T[0-9]+:L[0-9]+)?|(scsi|nvme|sata|ide)[0-9]+:[0-9]+|[0-9][0-9, -]*|all|)$`)
	// partNames are names around that of a VM or a group.
	partNames = regexp.MustCompile(`^((?:vmx-vcpu-[0-9]+|vmm[0-9]+|vmx|vmx-mks|vmx-svga|vmx-vthread-[0-9]+|LSI-[0-9]+|NetWorld-[A-Za-z-]+[0-9]*):)(.+)$`)
	portNames = regexp.MustCompile(`^(.+)(\.eth[0-9]+)$`)
	groupIDs  = regexp.MustCompile(`^(vm|resgroup|uw)\.([0-9]+)$`)
)

// name returns the replacement of a name, and leaves the parts that every host gives in the same way.
func (e *esxtopRedaction) name(kind, s string) string {
	if _, secret := e.known[strings.ToLower(s)]; !secret && ownNames.MatchString(s) {
		return s
	}
	if m := partNames.FindStringSubmatch(s); m != nil {
		return m[1] + e.Alias("vm", m[2])
	}
	if m := portNames.FindStringSubmatch(s); m != nil {
		return e.Alias("vm", m[1]) + m[2]
	}
	if m := groupIDs.FindStringSubmatch(s); m != nil {
		return m[1] + "." + e.ID("world", m[2])
	}
	return e.Alias(kind, s)
}

// nameKind returns what a field names.
func nameKind(row, field string) string {
	switch {
	case field == "VMName" || row == "VscsiGroup":
		return "vm"
	case field == "DeviceName" || field == "DisplayName" || field == "DiskName":
		return "device"
	case field == "MountName":
		return "datastore"
	case field == "PortsetName":
		return "switch"
	case field == "ClientName" || field == "TeamUplink":
		return "client"
	case field == "PathName" || field == "AdapterName":
		return "path"
	case row == "SchedGroup":
		return "group"
	}
	return "world"
}

// countingIDs number parts of the host itself: processors, nodes, states, partitions. They identify nothing.
var countingIDs = []string{"NodeID", "StateID", "LCPUID", "CPUID", "VectorID", "PartitionID", "LCPU"}

// idKind returns the kind of an id; "" for other numbers. Worlds and the groups that they lead share their ids.
func idKind(row, field string) string {
	switch {
	case slices.Contains(countingIDs, field):
		return ""
	case row == "NetPort" && field == "PortID", field == "UplinkPort":
		return "port"
	case field == "DiskId":
		return "disk"
	case strings.HasSuffix(field, "ID"), strings.HasSuffix(field, "Id"), field == "WorldLeader":
		return "world"
	}
	return ""
}
