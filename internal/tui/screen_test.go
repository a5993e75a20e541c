package tui

import (
	"fmt"
	"testing"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/pkg/esxtop"
)

func oneHost() *source {
	return &source{live: true, rounds: []*esxtop.Round{round(host("esx01", 12, 6, 0)), round(host("esx01", 12, 6, 1)), round(host("esx01", 12, 6, 2))},
		about: esxtop.About{Origin: esxtop.Service, Hosts: []string{"esx01"}, Interval: 5e9}}
}

var sizes = [][2]int{{80, 24}, {120, 40}, {200, 60}}

func TestPanels(t *testing.T) {
	withThresholds(t, someThresholds)
	for _, size := range sizes {
		for _, panel := range esxtop.Panels() {
			name := fmt.Sprintf("testdata/%c-%dx%d.txt", panel.Key, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				p := driven(t, oneHost())
				golden.Equal(t, name, []byte(p.keys(string(panel.Key)).shows(size[0], size[1])))
			})
		}
	}
}
