package mcp

import "context"

const (
	usualRuns = 10
	mostRuns  = 25
)

type historyArguments struct {
	Run    string `json:"run,omitempty" jsonschema:"id of a run, or its beginning, to see its changes"`
	Offset int    `json:"offset,omitempty" jsonschema:"skip so many runs, or changes of the run: the answer's next"`
	Limit  int    `json:"limit,omitempty" jsonschema:"number of runs or changes, at most 25 (default 10)"`
}

type historyAnswer struct {
	Notice string `json:"notice"`
	Total  int    `json:"total"`
	Runs   []Run  `json:"runs"`
	page
}

func (a *historyAnswer) shorten() bool { return halve(&a.Runs, &a.page) }

type runAnswer struct {
	Notice  string `json:"notice"`
	Run     Run    `json:"run"`
	Changes int    `json:"changes"`
	page
}

func (a *runAnswer) shorten() bool {
	if len(a.Run.Warnings) > mostTexts {
		a.Run.Warnings = some(a.Run.Warnings, mostTexts)
		return true
	}
	return halve(&a.Run.Results, &a.page)
}

func (s *server) historyTool(_ context.Context, in historyArguments) (answer, error) {
	if in.Run != "" {
		return s.oneRun(in)
	}
	all, err := s.Runs()
	if err != nil {
		return nil, err
	}
	part, p, err := paged(all, in.Offset, in.Limit, usualRuns, mostRuns)
	if err != nil {
		return nil, err
	}
	return &historyAnswer{Notice: notice, Total: len(all), Runs: append([]Run{}, part...), page: p}, nil
}

func (s *server) oneRun(in historyArguments) (answer, error) {
	run, err := s.Run(in.Run)
	if err != nil {
		return nil, err
	}
	part, p, err := paged(run.Results, in.Offset, in.Limit, usualRuns, mostRuns)
	if err != nil {
		return nil, err
	}
	a := &runAnswer{Notice: notice, Run: *run, Changes: len(run.Results), page: p}
	a.Run.Results = part
	return a, nil
}
