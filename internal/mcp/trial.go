package mcp

import (
	"context"
	"errors"
	"fmt"
)

const (
	mostHosts = 16 // that a tool takes
	mostBytes = 200
)

type trialArguments struct {
	Rule      string   `json:"rule" jsonschema:"id of the rule whose change would be measured"`
	Hosts     []string `json:"hosts,omitempty" jsonschema:"hosts to measure, by name; some rules need none to answer"`
	Outcome   string   `json:"outcome,omitempty" jsonschema:"outcome that decides (default: the rule's first)"`
	MinEffect string   `json:"minEffect,omitempty" jsonschema:"smallest effect that matters, in percent, such as 5%"`
}

func (s *server) trialTool(ctx context.Context, in trialArguments) (answer, error) {
	if in.Rule == "" {
		return nil, errors.New("rule is missing: name one, such as numa-io")
	}
	if err := checkNames(append([]string{in.Rule, in.Outcome, in.MinEffect}, in.Hosts...)); err != nil {
		return nil, err
	}
	if len(in.Hosts) > mostHosts {
		return nil, fmt.Errorf("%d hosts are too many: name at most %d", len(in.Hosts), mostHosts)
	}
	plan, err := asking(ctx, s, func(ctx context.Context) (string, error) { return s.PlanTrial(ctx, TrialAsk(in)) })
	if err != nil {
		return nil, err
	}
	return text("> " + notice + "\n\n" + plan), nil
}

// checkNames refuses names that are too long to be any.
func checkNames(all []string) error {
	for _, name := range all {
		if len(name) > mostBytes {
			return fmt.Errorf("the name %q is too long", clean(name, longestName))
		}
	}
	return nil
}
