package probing

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/vmware/govmomi/cli/esx"

	"github.com/vperf/vperf/internal/probe"
)

// namespaces are the name spaces of esxcli whose commands a probe lists. They are those with commands that vperf uses or could use.
var namespaces = []string{
	"hardware cpu", "hardware memory", "hardware pci", "hardware power policy", "iscsi adapter param", "network ip interface",
	"network nic", "network nic coalesce", "network nic queue", "network nic ring current", "network nic ring preset",
	"network nic software", "network nic stats", "network vm", "nvme adapter", "nvme device", "sched memsched", "sched swap system",
	"storage core adapter", "storage core adapter stats", "storage core device", "storage core device latencythreshold",
	"storage core device stats", "storage core device world", "storage core path", "storage nfs", "storage nfs41", "storage nmp device",
	"storage nmp psp roundrobin deviceconfig", "storage nmp satp rule", "storage hpp device", "storage san fc", "storage san sas", "system module", "system module parameters", "system settings advanced",
	"system settings kernel", "system version", "vm process", "vsan cluster", "vsan storage",
}

// tables are commands that take no flags and change nothing. A probe holds the shape of their answers.
var tables = []string{
	"hardware cpu list", "hardware memory get", "hardware pci list", "network nic coalesce get", "network nic list", "network vm list",
	"sched swap system get", "storage core adapter list", "storage core device list", "storage core path list", "storage hpp device list",
	"storage nmp device list", "storage nmp satp rule list", "storage san fc list", "storage san sas list", "system module list", "system settings kernel list", "system version get",
}

func (h *hostProber) readCommandLine(ctx context.Context) {
	if !h.calls.call(ctx, "RetrieveManagedMethodExecuter", h.cli.Open) {
		return
	}
	for _, name := range namespaces {
		h.calls.call(ctx, "FetchCLIInfo "+name, func(ctx context.Context) error {
			info, err := h.cli.Describe(ctx, name)
			if err == nil {
				h.out.Namespaces = append(h.out.Namespaces, h.space(name, info))
			}
			return err
		})
	}
	for _, command := range tables {
		h.calls.call(ctx, "esxcli "+command, func(ctx context.Context) error {
			rows, err := h.cli.Try(ctx, command)
			if err == nil {
				h.out.Tables = append(h.out.Tables, h.table(command, rows))
			}
			return err
		})
	}
}

func (h *hostProber) space(name string, info *esx.CommandInfo) probe.Space {
	s := probe.Space{Name: name, Commands: []probe.Command{}}
	for _, m := range info.Method {
		word, ok := h.redactor.Word(m.Name)
		if !ok {
			continue
		}
		c := probe.Command{Name: word}
		for _, p := range m.Param {
			if flag, ok := h.redactor.Word(p.Name); ok {
				c.Flags = append(c.Flags, flag)
			}
		}
		s.Commands = append(s.Commands, c)
	}
	return s
}

// table describes the columns of an answer by their names and the kind of their cells.
func (h *hostProber) table(command string, rows []esx.Values) probe.Table {
	t := probe.Table{Command: command, Rows: len(rows), Columns: []probe.Column{}}
	kinds := map[string]string{}
	for _, row := range rows {
		for name, cells := range row {
			word, ok := h.redactor.Word(name)
			if !ok {
				continue
			}
			kinds[word] = commonKind(kinds[word], cells)
		}
	}
	for name, kind := range kinds {
		t.Columns = append(t.Columns, probe.Column{Name: name, Kind: kind})
	}
	slices.SortStableFunc(t.Columns, func(a, b probe.Column) int { return strings.Compare(a.Name, b.Name) })
	return t
}

// Kinds of cells.
const (
	kindEmpty  = "empty"
	kindNumber = "number"
	kindBool   = "bool"
	kindText   = "text"
)

// commonKind returns the kind of cells and of those before them.
func commonKind(before string, cells []string) string {
	for _, c := range cells {
		kind := cellKind(strings.TrimSpace(c))
		switch {
		case before == "" || before == kindEmpty:
			before = kind
		case kind != kindEmpty && kind != before:
			before = kindText
		}
	}
	if before == "" {
		return kindEmpty
	}
	return before
}

func cellKind(cell string) string {
	if cell == "" {
		return kindEmpty
	}
	if _, err := strconv.ParseFloat(cell, 64); err == nil {
		return kindNumber
	}
	switch strings.ToLower(cell) {
	case "true", "false", "on", "off", "enabled", "disabled":
		return kindBool
	}
	return kindText
}
