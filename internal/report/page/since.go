package page

import (
	"html/template"

	"github.com/vperf/vperf/internal/report/diffreport"
)

// since is what changed since an older snapshot.
type since struct {
	Shown bool
	From  string
	Gist  string
	Body  template.HTML
}

func (s *show) since() since {
	d := s.Since
	if d == nil {
		return since{}
	}
	changed := 0
	for _, section := range diffreport.Sections(d, true) {
		changed += section.Count
	}
	return since{
		Shown: true, From: moment(d.Old.TakenAt), Gist: counted(changed, "change") + ", findings: " + diffreport.FindingCounts(&d.Findings),
		Body: diffreport.Document(d, s.Whole).HTML(3),
	}
}
