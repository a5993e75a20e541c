package comparison

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/vperf/vperf/internal/diff"
	"github.com/vperf/vperf/pkg/inventory"
)

// schemaNames are the kinds of files that users may take for one that can be compared.
var schemaNames = map[string]string{
	"baseline": "a baseline", "plan": "a plan", "advice": "advice", "history": "a list of runs", "run": "a run", "diff": "a difference", "trial": "a trial",
}

// Parse reads a snapshot or an audit result.
func Parse(text []byte) (*Side, error) {
	var head struct {
		Schema string `json:"schema"`
	}
	const wanted = "diff compares snapshots (of the command snapshot) and audit results (of audit -o json=FILE)"
	err := json.Unmarshal(text, &head)
	syntax, broken := errors.AsType[*json.SyntaxError](err)
	kind, _, _ := strings.Cut(strings.TrimPrefix(head.Schema, "vperf."), "/")
	switch {
	case bytes.Contains(text[:min(len(text), 16)], []byte("(PDH-CSV")):
		return nil, errors.New("it is an esxtop capture; " + wanted)
	case broken && len(bytes.TrimSpace(text)) == 0:
		return nil, errors.New("it is empty; " + wanted)
	case broken && syntax.Offset >= int64(len(text)):
		return nil, fmt.Errorf("the file ends in the middle (after %d bytes); save it again", len(text))
	case err != nil:
		return nil, fmt.Errorf("it is no JSON (%w); %s", err, wanted)
	case kind == "snapshot":
		s, err := inventory.Load(bytes.NewBuffer(text))
		return &Side{Snapshot: s, Side: diff.Side{Kind: "snapshot"}}, err
	case head.Schema == diff.AuditSchema:
		j, side, err := diff.LoadAudit(bytes.NewReader(text))
		return &Side{judgement: j, Side: side}, err
	case kind == "audit":
		return nil, fmt.Errorf("it is %s, this vperf reads %s; use the vperf that wrote it, or a newer one", head.Schema, diff.AuditSchema)
	case schemaNames[kind] != "" && strings.HasPrefix(head.Schema, "vperf."):
		return nil, fmt.Errorf("it is %s (%s); %s", schemaNames[kind], head.Schema, wanted)
	}
	return nil, fmt.Errorf("its schema is %q; %s", head.Schema, wanted)
}
