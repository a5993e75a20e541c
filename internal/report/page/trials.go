package page

// trialList is the trials that were made of the rules, newest first.
type trialList struct {
	Gist string
	Rows []trialRow
	More string
}

type trialRow struct{ Rule, Text, Where, Run string }

func (s *show) trials() trialList {
	list := trialList{Gist: counted(len(s.MeasuredHere), "trial")}
	shown, more := first(s.MeasuredHere, s.limit(mostRuns))
	for _, m := range shown {
		row := trialRow{Rule: clean(m.Rule), Text: prose(m.Text), Where: prose(m.Where()), Run: clean(m.Run)}
		if m.Simulated {
			row.Text = "Simulated: " + row.Text
		}
		list.Rows = append(list.Rows, row)
	}
	if more > 0 {
		list.More = whole(more) + " older trials: vperf trial list lists them"
	}
	return list
}
