package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/trials"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/trial"
	"github.com/vperf/vperf/pkg/tuning"
)

// trialOptions are the options that vperf trial plan and vperf trial run share.
type trialOptions struct {
	changeOptions

	Outcome   string
	MinEffect string // 5%
	For       time.Duration
	Block     time.Duration
	Guards    []string
	Design    string
	Seed      uint64 // 0: drawn

	typed    func(flag string) bool // nil without flags
	rule     *advice.Rule
	how      inventory.Trial
	outcomes []trial.Outcome
	guards   []trial.Guard
	effect   float64
}

const (
	usualEffect = "5%"
	// longestTrial is how long a trial takes at most unless the user gives a time. The clock of the demo fleet is so much behind.
	longestTrial     = 24 * time.Hour
	longestDemoTrial = 6 * time.Hour
)

func (o *trialOptions) addTrialFlags(c *cobra.Command, f *Factory) {
	o.addFlags(c, f)
	o.Source.addRealtimeFlag(c)
	flags := c.Flags()
	o.typed = flags.Changed
	flags.StringVar(&o.Outcome, "outcome", "", "`OUTCOME` that decides (default: the rule's first; vperf trial plan lists them)")
	flags.StringVar(&o.MinEffect, "min-effect", usualEffect, "smallest `EFFECT` that matters to you, in percent")
	flags.DurationVar(&o.For, "for", 0, "longest `DURATION` of the trial (default: as long as the noise needs, at most 24h)")
	flags.DurationVar(&o.Block, "block", 0, "`DURATION` of a block without a switch (default: as the setting needs)")
	flags.StringArrayVar(&o.Guards, "guard", nil, "end the trial if this `LIMIT` is not kept, such as 'vm.cpu.ready<5%'; may be repeated")
	flags.StringVar(&o.Design, "design", "", "`DESIGN` of the trial (default: the one that the setting allows)")
	flags.Uint64Var(&o.Seed, "seed", 0, "repeat the schedule of another trial by its `NUMBER`")
	config.OnlyTyped(flags, "outcome", "min-effect", "block", "guard", "design", "seed", "for")
	config.OwnName(flags, "for", "guard", "design", "block")
	completeWords(c, map[string][]string{"design": stringsOf(inventory.SettingDesigns()[:3])})
}

func (o *trialOptions) check() error {
	if err := o.changeOptions.check(); err != nil {
		return err
	}
	if len(o.Rules) != 1 || strings.ContainsAny(o.Rules[0], "*?[") {
		return errors.New("a trial measures one change: name its rule, as in --rule numa-io")
	}
	var err error
	if o.effect, err = parseEffect(o.MinEffect); err != nil {
		return err
	}
	if min(o.For, o.Block) < 0 || o.typed != nil && (o.For == 0 && o.typed("for") || o.Block == 0 && o.typed("block")) {
		return errors.New("--for and --block are durations above 0, such as 3h and 5m")
	}
	return nil
}

// manual reports whether vperf makes none of the rule's changes. Then it cannot record and check who has them, and draws no lot.
func (o *trialOptions) manual() bool {
	return !slices.ContainsFunc(o.rule.Remedy, func(r advice.Remedy) bool { return r.Consent != advice.ConsentNever })
}

// neededParams returns the parameters of the rule that the user set, and those that have no value until the user gives one.
func (o *trialOptions) neededParams() []string {
	params := slices.Clone(o.Params)
	for _, name := range o.rule.ParamNames() {
		if p := o.rule.Params[name]; p.Value == "" && !p.Given {
			params = append(params, o.rule.ID+"."+name+"=VALUE")
		}
	}
	return params
}

// parseEffect reads a percentage as a fraction.
func parseEffect(text string) (float64, error) {
	number, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(text), "%"), 64)
	if err != nil || !(number > 0 && number < 100) {
		return 0, fmt.Errorf("--min-effect %s: want a percentage above 0 and below 100, as in --min-effect %s", text, usualEffect)
	}
	return number / 100, nil
}

// load finds the rule and what can be measured of it. It contacts no server.
func (o *trialOptions) load(f *Factory, c *cobra.Command) (audit.Request, error) {
	request, err := o.request(f)
	if err != nil {
		return request, err
	}
	library, err := f.Library(o.RuleFiles, false)
	if err != nil {
		return request, err
	}
	all := library.Rules()
	o.rule = all[slices.IndexFunc(all, func(r *advice.Rule) bool { return r.ID == o.Rules[0] })] // request has checked the name
	o.how = o.rule.Trial()
	if err := o.checkDesign(); err != nil {
		return request, usage(err, c)
	}
	if err := o.chooseOutcomes(); err != nil {
		return request, usage(err, c)
	}
	for _, text := range o.Guards {
		g, err := trial.ParseGuard(text)
		if err != nil {
			return request, usage(fmt.Errorf("--guard: %w", err), c)
		}
		o.guards = append(o.guards, g)
	}
	return request, nil
}

// checkDesign refuses another design than the setting allows, with the reason.
func (o *trialOptions) checkDesign() error {
	switch want := inventory.Design(o.Design); {
	case o.Design == "" || want == o.how.Design:
		return nil
	case !slices.Contains(inventory.SettingDesigns(), want):
		return fmt.Errorf("--design: %w", oneOf("design", o.Design, inventory.SettingDesigns()[:3]))
	default:
		return fmt.Errorf("--design %s: the change of %s allows %s. %s", want, o.rule.ID, o.how.Design, o.how.Reason)
	}
}

// chooseOutcomes puts the outcome that decides first.
func (o *trialOptions) chooseOutcomes() error {
	library, err := trials.OutcomeLibrary()
	if err != nil {
		return err
	}
	o.guards = library.Guards
	o.outcomes, err = trials.FirstOutcome(library, library.For(o.rule.ID), o.Outcome)
	return flagged(err)
}

// flagged names the flag of an unknown outcome.
func flagged(err error) error {
	if unknown, ok := errors.AsType[*trials.UnknownOutcomeError](err); ok {
		return fmt.Errorf("--outcome: %w", oneOf("outcome", unknown.ID, unknown.All))
	}
	return err
}

// ask is the question of a trial on a server.
func (o *trialOptions) ask(simulated bool) trials.Ask {
	a := trials.Ask{
		Rule: o.rule.ID, Title: o.rule.Title, How: o.how, Outcomes: o.outcomes, Guards: o.guards, MinEffect: o.effect, Alpha: trial.DefaultAlpha,
		Seed: cmp.Or(o.Seed, rand.Uint64N(1e9)+1), Block: o.Block, For: o.For, Longest: longestTrial, Simulated: simulated, Source: o.Source.typed.Server,
		Params: o.Params,
	}
	if o.Source.Demo {
		a.Longest = longestDemoTrial
	}
	for _, b := range o.rule.Benefit {
		a.Published = append(a.Published, trials.Published{Text: b.Text, Conditions: b.When, Source: b.Source})
	}
	return a
}

// replay has the demo fleet's clock run as fast as it can.
func (o *trialOptions) replay() {
	if o.Source.Demo {
		o.Source.noise = demoNoise
	}
	o.Source.replayLast(max(o.For, longestDemoTrial) + trialSlack)
}

// demoNoise is the seed of the noise of the demo fleet's hosts. A trial of the demo gives the same figures each time, apart from its
// coins and the time of day.
const demoNoise = 7

// trialSlack is for switches, and for samples that are waited for.
const trialSlack = time.Hour

// prepare reads what is to be switched and the hour before. It returns nil where there is nothing that can be switched; plan has the
// reasons.
func (o *trialOptions) prepare(ctx context.Context, f *Factory, s *changeServer, request audit.Request) (*trials.Prepared, *tuning.Plan, error) {
	a, err := o.findings(ctx, f, s, request)
	if err != nil {
		return nil, nil, err
	}
	plan, err := o.plan(ctx, f, s, a)
	if err != nil || plan.Empty() {
		return nil, plan, err
	}
	p := f.IO.StartProgress("reading the samples of the last hour")
	defer p.Done()
	around, err := s.source.Read(ctx, o.Targets, trials.Needs())
	if err != nil {
		return nil, plan, err
	}
	prepared, err := trials.Prepare(ctx, s.source, plan, around, o.ask(s.server.Sandbox))
	return prepared, plan, err
}

// nothingToSwitch is the error of a trial without a change, with the reasons of the plan.
func nothingToSwitch(rule string, plan *tuning.Plan) error {
	why := []string{"there is nothing to switch: no object that was asked for has a finding of " + rule + " that vperf can fix"}
	for _, l := range plan.Skipped {
		why = append(why, l.Target.Name+": "+l.Why)
	}
	return &tuning.RefusedError{Why: why}
}
