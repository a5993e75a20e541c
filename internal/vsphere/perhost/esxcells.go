package perhost

import (
	"strconv"
	"strings"

	"github.com/vmware/govmomi/cli/esx"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
)

// CLIDevices lists the disks of a host.
const CLIDevices = "storage core device list"

// Column finds a column by its name, ignoring differences in spelling between releases: "No of outstanding IOs" is
// NoofoutstandingIOs on the wire.
func Column(row esx.Values, names ...string) (string, bool) {
	for key, values := range row {
		for _, n := range names {
			if bare(key) == bare(n) && len(values) > 0 {
				return values[0], true
			}
		}
	}
	return "", false
}

func bare(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(name))
}

// Cell returns a column of a row as a fact, which is unread if the command of this release does not have it.
func Cell[T any](row esx.Values, parse func(string) (T, error), names ...string) inventory.Fact[T] {
	text, ok := Column(row, names...)
	if !ok {
		return inventory.Unread[T]("esxcli does not show " + names[0] + " here")
	}
	v, err := parse(strings.TrimSpace(text))
	if err != nil {
		return inventory.Unread[T]("esxcli shows " + names[0] + " as " + strconv.Quote(session.Plain(text)))
	}
	return inventory.Known(v)
}

// WholeNumber parses a decimal cell, for Cell.
func WholeNumber(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }

// OnOff parses a cell that is on or off, enabled or disabled, true or false, for Cell. Case does not matter.
func OnOff(s string) (bool, error) {
	switch strings.ToLower(s) {
	case "on", "true", "enabled":
		return true, nil
	case "off", "false", "disabled":
		return false, nil
	}
	return strconv.ParseBool(s)
}

// RowOf returns a function that finds the row of a device.
func RowOf(device string, columns ...string) func([]esx.Values) inventory.Fact[esx.Values] {
	return func(rows []esx.Values) inventory.Fact[esx.Values] {
		for _, r := range rows {
			if name, _ := Column(r, columns...); name == device {
				return inventory.Known(r)
			}
		}
		return inventory.Unread[esx.Values]("esxcli does not list " + session.Plain(device))
	}
}

// NumberCell returns the number in a column; names are the names of the column in different releases. The fact is unread if the
// row is unread, has no such column or no number in it.
func NumberCell(row inventory.Fact[esx.Values], names ...string) inventory.Fact[int64] {
	return property.Then(row, func(r esx.Values) inventory.Fact[int64] { return Cell(r, WholeNumber, names...) })
}

// TextCell returns the text in a column. The fact is unread if the row is unread or has no such column.
func TextCell(row inventory.Fact[esx.Values], name string) inventory.Fact[string] {
	return property.Then(row, func(r esx.Values) inventory.Fact[string] {
		return Cell(r, func(s string) (string, error) { return s, nil }, name)
	})
}
