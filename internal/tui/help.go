package tui

import (
	"fmt"
	"strings"

	"github.com/vperf/vperf/pkg/esxtop"
)

var helpText = []string{
	"panels     c CPU  m memory  d disk adapter  u disk device  v virtual disk",
	"           n network  i interrupt  p power  x vSAN",
	"arrows     move by rows and columns (also 2 8, page keys, home, end)",
	"enter      explain the cell under the cursor and show its history",
	"e 6        show the vCPUs, paths or disks below the row; again: hide them",
	"H          list the hosts; e shows the VMs of one, esc goes back",
	"/          filter by name or host; esc drops the filter",
	"=          sort by the column under the cursor; again: reverse the order",
	"V          VMs only, or all rows        P   hold the screen; again: continue",
	"f F        choose fields                o O change the order of fields",
	"s          delay                        #   maximum number of rows",
	"L          width of NAME                W   save settings",
	"ctrl+l     redraw                       q   quit",
	"mouse      wheel: scroll; click a column name: sort; click a cell: select,",
	"           again: explain; hold shift to select text",
}

var replayHelp = []string{
	"replay     space play and pause; . next, , previous, ] and [ ten samples;",
	"           g first, G last, : go to a sample number or a time of day",
}

var marksHelp = []string{
	"!  X       behind a value: warning, critical; a line below the table names it",
	"-          no value: the source has none, or nothing happened",
	"?          behind a host: it did not answer, its values are older",
	"sparkline  between the row's own lowest and highest value; times are UTC",
	"",
}

// help lists the keys, and repeats at full length the lines that the screen may cut off.
func (m *model) help() page {
	p := m.panel()
	text := append([]string{"Keys. Panel " + p.Title}, helpText...)
	if m.replay != nil {
		text = append(text, replayHelp...)
	}
	text = append(text, "sort keys  "+strings.Join(sortHelp(p), "  "))
	text = append(append(text, marksHelp...), sourceLine(m.known.about))
	if len(m.table.missing) > 0 {
		text = append(text, m.missingHelp())
	}
	return textPage{text: append(text, lateLines(m.shown(), m.opts.Now())...)}
}

// sortHelp names the keys that sort a panel.
func sortHelp(p *esxtop.Panel) (sorts []string) {
	for key := byte('A'); key <= 'z'; key++ {
		if id, ok := p.Sorts[key]; ok {
			name := "ID"
			if metric := esxtop.Lookup(id); metric != nil {
				name = metric.Column
			}
			sorts = append(sorts, fmt.Sprintf("%c %s", key, name))
		}
	}
	return sorts
}
