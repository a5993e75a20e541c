package cli

import (
	"encoding/json"
	"regexp"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/vperf/vperf/pkg/inventory"
)

// auditFinding is a finding of one object.
type auditFinding struct {
	Rule, Outcome, Severity, Reason string
	Object                          inventory.Ref
	Evidence                        json.RawMessage
	Missing                         []struct{ Reason string }
}

// auditFindings returns the findings of an audit's JSON, one for each object.
func auditFindings(text []byte) (all []auditFinding, err error) {
	var audit struct {
		Findings []struct {
			auditFinding

			Objects []json.RawMessage
		}
	}
	if err := json.Unmarshal(text, &audit); err != nil {
		return nil, err
	}
	for _, group := range audit.Findings {
		for _, row := range group.Objects {
			f := group.auditFinding // what the objects have in common
			if err := json.Unmarshal(row, &f); err != nil {
				return nil, err
			}
			all = append(all, f)
		}
	}
	return all, nil
}

// sameFindings compares the findings and unread facts of two audits to the letter; findings FILE FILE.
func sameFindings(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: findings FILE FILE")
	}
	a, b := findingsOf(ts, args[0]), findingsOf(ts, args[1])
	if a != b {
		at := 0
		for at < min(len(a), len(b)) && a[at] == b[at] {
			at++
		}
		ts.Fatalf("findings of %s and %s differ:\n%s\n%s", args[0], args[1], around(a, at), around(b, at))
	}
}

// ofTheMoment is evidence that the server samples while it runs: it differs from reading to reading.
var ofTheMoment = regexp.MustCompile(`"activeMB":\d+,`)

func findingsOf(ts *testscript.TestScript, file string) string {
	var audit struct {
		Source   json.RawMessage `json:"source"`
		Summary  json.RawMessage `json:"summary"`
		Rules    json.RawMessage `json:"rules"`
		Findings json.RawMessage `json:"findings"`
		Unread   json.RawMessage `json:"unread"`
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(file)), &audit))
	b, err := json.Marshal(audit)
	ts.Check(err)
	return ofTheMoment.ReplaceAllString(vcenterID.ReplaceAllString(string(b), "$1"), "")
}

// vcenterID is the identity of a vCenter in a finding. Each vperf sim has its own, so that journals of one are not taken for
// those of another.
var vcenterID = regexp.MustCompile(`("kind":"vcenter","name":"[^"]*","id":")[^"]*`)

// around is the text near a place.
func around(s string, at int) string { return s[max(0, at-60):min(len(s), at+60)] }
