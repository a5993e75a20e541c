package shard

import (
	"fmt"
	"io"
	"strings"
)

// Scrape is how Prometheus reaches the exporters of the shards.
type Scrape struct {
	Target    string   // as scrapes name it
	Addresses []string // of the exporters, in the order of the shards
	Most      int      // series of the largest shard
}

// Write writes a part of a Prometheus configuration. The label shard keeps apart the series that an exporter has about
// itself, and those of a VM that moves between shards.
func (s Scrape) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, `# Scrapes the %d exporters that share target %s. Written by vperf exporter plan; check it with promtool check config.
# Exporter N runs: vperf exporter --shard N/%d
scrape_configs:
  - job_name: vperf
    metrics_path: /probe
    params: {target: [%q]}
    static_configs:
`, len(s.Addresses), comment(s.Target), len(s.Addresses), s.Target)
	for i, address := range s.Addresses {
		fmt.Fprintf(&b, "      - targets: [%q]\n        labels: {instance: %q, shard: %q}\n", address, s.Target, Shard{i + 1, len(s.Addresses)}.String())
	}
	fmt.Fprintf(&b, `    scrape_interval: 30s
    scrape_timeout: 20s
    # Exceeding one of these limits fails the whole scrape, so they are far above the forecast.
    sample_limit: %d
    label_limit: 30
    label_name_length_limit: 100
    label_value_length_limit: 500

  - job_name: vperf-exporter
    static_configs:
      - targets:
`, max(50_000, (3*s.Most/2+9_999)/10_000*10_000))
	for _, address := range s.Addresses {
		fmt.Fprintf(&b, "          - %q\n", address)
	}
	b.WriteString("    sample_limit: 5000\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// comment keeps a text on its line.
func comment(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, text)
}
