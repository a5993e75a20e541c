package exposition

import "strings"

// Labels are the labels of a series as they are written: {host="esx01",moid="host-12"}. They are made once for an object and
// used for all its series.
type Labels string

// NewLabels are labels in the order of their names, from names and values in turn. A label without a value is left out, as
// Prometheus does. Values are other people's words: they are escaped, and what is no UTF-8 is replaced.
func NewLabels(pairs ...string) Labels {
	var b strings.Builder
	for i := 0; i+1 < len(pairs); i += 2 {
		b.WriteString(`,` + pairs[i] + `="` + pairs[i+1] + `"`)
	}
	return Labels("{" + strings.TrimPrefix(b.String(), ",") + "}")
}
