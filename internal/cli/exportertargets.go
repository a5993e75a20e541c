package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/exporter"
	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/exporter/shard"
	"github.com/vperf/vperf/internal/push"
	"github.com/vperf/vperf/internal/userfile"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/advice"
)

// demoTarget is the target name of the demo fleet.
const demoTarget = "demo"

// targetSpec is a target before anybody talked to its server.
type targetSpec struct {
	name     string
	sampling config.Sampling
	member   *member // nil: the demo fleet
}

// targets returns the targets to sample: those of the flags, else the targets of the config file, else its contexts, else the
// server of the environment. It asks for passwords only on a terminal.
func (o *exporterOptions) targets(ctx context.Context, f *Factory, console *config.Console) ([]exporter.TargetConfig, error) {
	all, err := o.findTargets(f)
	if err != nil {
		return nil, err
	}
	judges := &judgeCache{factory: f, ready: map[string]*judge{}}
	var list []exporter.TargetConfig
	for _, w := range all {
		t, err := w.config(o.Source.Scenarios)
		if err != nil {
			return nil, usage(fmt.Errorf("target %s: %w", w.name, err), o.Source.command)
		}
		described, err := o.judgeTarget(f, judges, &t, w.sampling)
		if err != nil {
			return nil, usage(fmt.Errorf("target %s: %w", w.name, err), o.Source.command)
		}
		if err := o.connect(ctx, &t, w, console); err != nil {
			return nil, err
		}
		if t.Shard, err = shard.Parse(o.Shard); err != nil {
			return nil, usage(fmt.Errorf("--shard: %w", err), o.Source.command)
		}
		if o.Counters != "" {
			t.Counters = filepath.Join(o.Counters, url.QueryEscape(t.Name)+".counters")
		}
		t.Fingerprint = fingerprint(t.Fingerprint, described, t.Shard.String())
		list = append(list, t)
	}
	return list, nil
}

// judgeTarget sets how a target is audited. It returns a text that differs where the rules do. Rules take memory and time: a target
// without an audit does without, unless the config names some, which are checked.
func (o *exporterOptions) judgeTarget(f *Factory, judges *judgeCache, t *exporter.TargetConfig, s config.Sampling) (described string, err error) {
	audits := slices.Contains(t.Modules, module.Audit) || slices.Contains(t.Modules, module.Findings)
	if !audits && len(s.Rules)+len(s.RuleFiles) == 0 && o.Waivers.Waivers == "" {
		return "", nil
	}
	j, err := judges.of(s)
	if err != nil {
		return "", err
	}
	t.Audit, err = o.judging(f, j, s)
	return j.described, err
}

// findTargets finds out which servers are meant.
func (o *exporterOptions) findTargets(f *Factory) ([]targetSpec, error) {
	file, err := config.Load()
	if err != nil {
		return nil, usage(err, o.Source.command)
	}
	switch {
	case o.Source.Demo:
		return []targetSpec{{name: demoTarget, sampling: file.Exporter.Sampling}}, nil
	case o.flagged():
	case len(file.Exporter.Targets) > 0:
		return listed(f, file)
	case len(file.Contexts) > 0:
		o.Source.AllContexts = true
		defer func() { o.Source.AllContexts = false }() // a reload looks again
	}
	members, err := o.Source.servers()
	if err != nil {
		return nil, err
	}
	var all []targetSpec
	for _, m := range members {
		m.warn(f.IO)
		name := m.settings.Context
		if name == "" {
			name = m.endpoint.URL.Hostname()
		}
		all = append(all, targetSpec{name, file.Exporter.Sampling, m})
	}
	return all, nil
}

// flagged reports whether flags say which servers.
func (o *exporterOptions) flagged() bool {
	return len(o.Source.Contexts) > 0 || o.Source.AllContexts || o.Source.Connection.URL != ""
}

// listed are the targets of the config file.
func listed(f *Factory, file *config.File) ([]targetSpec, error) {
	var all []targetSpec
	for _, t := range file.Exporter.Targets {
		choice, err := file.Choose([]string{t.Context}, false)
		if err != nil {
			return nil, err
		}
		m, err := resolve(config.Flags{}, choice[0])
		if err != nil {
			return nil, fmt.Errorf("target %s: %w", t.Name, err)
		}
		m.warn(f.IO)
		all = append(all, targetSpec{t.Name, t.Sampling, m})
	}
	return all, nil
}

// config is the target's but its server.
func (w targetSpec) config(scenarios []string) (exporter.TargetConfig, error) {
	s := w.sampling
	t := exporter.TargetConfig{
		Name: w.name, MaxSeries: s.MaxSeries, Stale: s.Stale, SurveyEvery: s.SurveyEvery, History: s.History,
		TagCategories: s.TagCategories, CustomAttributes: s.CustomAttributes, IncludeMetrics: s.IncludeMetrics, ExcludeMetrics: s.ExcludeMetrics,
		EsxtopHosts: s.EsxtopHosts, Modules: slices.Clone(module.Default),
		Filter: exporter.Filter{Include: patterns(s.Include), Exclude: patterns(s.Exclude)},
	}
	if w.member == nil {
		showAll(&t, scenarios)
	}
	if s.Modules != nil {
		var err error
		if t.Modules, err = modules(s.Modules); err != nil {
			return t, err
		}
	}
	return t, nil
}

// judging returns a function that builds the audit request of a target. It reads waivers and profiles on each call: waivers expire
// while the exporter runs, and edits take effect without a restart.
func (o *exporterOptions) judging(f *Factory, j *judge, s config.Sampling) (func() (audit.Request, error), error) {
	ask := func() (audit.Request, error) {
		r := audit.Request{Rules: j.rules, Options: advice.Options{Profile: s.Profile}}
		var err error
		if r.Options.OptionTable, err = optionTable(); err != nil {
			return r, err
		}
		if r.Options.Include, err = config.IncludeVMs(); err != nil {
			return r, err
		}
		if r.Waivers, err = o.Waivers.load(j.library, f.Today()); err != nil || s.Profile != "" {
			return r, err
		}
		r.Options.Assignments, err = config.Profiles()
		return r, err
	}
	_, err := ask() // reports mistakes at startup
	return ask, err
}

// showAll makes the demo fleet's target show everything that the config file does not speak of.
func showAll(t *exporter.TargetConfig, scenarios []string) {
	t.Modules = slices.Clone(module.All)
	if t.EsxtopHosts == nil {
		t.EsxtopHosts = []string{"host01.*"}
		if slices.Contains(scenarios, "hung-esxtop") {
			t.EsxtopHosts = append(t.EsxtopHosts, "host08.*") // whose service hangs
		}
	}
	if t.TagCategories == nil {
		t.TagCategories = []string{"vperf.profile"}
	}
	if t.CustomAttributes == nil {
		t.CustomAttributes = []string{"cost-centre"}
	}
}

func patterns(list []config.Match) (all []exporter.Pattern) {
	for _, m := range list {
		all = append(all, exporter.Pattern(m))
	}
	return all
}

func modules(words []config.Word) (all []module.Name, err error) {
	for _, w := range words {
		if bad := oneOf("module", w.Text, stringsOf(module.All)); bad != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", w.At, bad))
		}
		all = append(all, module.Name(w.Text))
	}
	return all, err
}

// connect sets the server of the target. It reports a missing password at once. Later, the last known password is used as long as
// no other is available.
func (o *exporterOptions) connect(ctx context.Context, t *exporter.TargetConfig, w targetSpec, console *config.Console) error {
	if w.member == nil {
		t.Address, t.Dial = "the demo fleet", o.demo.dial
		t.Fingerprint = fingerprint(w.name, w.sampling.Describe())
		return nil
	}
	m := w.member
	if m.failed != nil {
		return m.failed
	}
	t.Address = m.endpoint.URL.Host
	t.Fingerprint = fingerprint(w.name, w.sampling.Describe(), m.settings.Describe())
	first, err := m.settings.Password(ctx, console)
	if err != nil {
		return usage(fmt.Errorf("target %s: %w", t.Name, err), o.Source.command)
	}
	t.Dial = func(ctx context.Context) (*session.Session, error) {
		e := m.endpoint
		e.SessionDir, e.Password = "", first // the session is its own: one that commands share would end with theirs
		if p, err := m.settings.Password(ctx, new(config.Console)); err == nil {
			e.Password = p // the newest: passwords are changed while daemons run
		}
		session, err := session.Dial(ctx, e)
		return session, correct(err, m.settings.Context)
	}
	return nil
}

// correct says where a refused password is corrected.
func correct(err error, context string) error {
	if login, refused := errors.AsType[*session.LoginError](err); refused && context != "" {
		login.Try = "vperf context show " + context + " shows where both come from; reload the exporter after the correction"
	}
	return err
}

// fingerprint differs where a part does. Secrets are not in it.
func fingerprint(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])
}

// judge holds the rules and settings that evaluate targets.
type judge struct {
	library   *advice.Library
	rules     *advice.Ruleset
	described string // differs where a rule of the user's does
}

// judgeCache caches judges: compiling rules is most of the cost of reading the config, and most targets share them.
type judgeCache struct {
	factory *Factory
	ready   map[string]*judge // by config settings
}

func (all *judgeCache) of(s config.Sampling) (*judge, error) {
	files, ids := textsOf(s.RuleFiles), textsOf(s.Rules)
	key := fmt.Sprintf("%q %q", files, ids)
	if j := all.ready[key]; j != nil {
		return j, nil
	}
	library, err := all.factory.Library(files, false)
	if err != nil {
		return nil, placed(err, s.RuleFiles)
	}
	j := &judge{library: library}
	if j.rules, err = library.Select(advice.Selection{Rules: ids}); err != nil {
		return nil, placed(err, s.Rules)
	}
	j.described = describeRules(files)
	all.ready[key] = j
	return j, nil
}

// describeRules returns a key that identifies the rule files, so that a reload picks up edits.
func describeRules(files []string) string {
	sum := sha256.New()
	for _, root := range files {
		_ = filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error { // they could be read: the library is made of them
			if err == nil && filepath.Ext(path) == ".yaml" {
				text, _ := userfile.Rule.Read(path)
				fmt.Fprintf(sum, "%q %d\n%s\n", path, len(text), text)
			}
			return nil
		})
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// placed adds to err the position in the config of the word that caused it.
func placed(err error, words []config.Word) error {
	var unknown *advice.UnknownRuleError
	for _, w := range words {
		if errors.As(err, &unknown) && unknown.ID != w.Text || unknown == nil && !strings.Contains(err.Error(), w.Text) {
			continue
		}
		return fmt.Errorf("%s: %w", w.At, err)
	}
	return err
}

func textsOf(words []config.Word) []string {
	var texts []string
	for _, w := range words {
		texts = append(texts, w.Text)
	}
	return texts
}

// exporterOptions are the options of `vperf exporter`.
type exporterOptions struct {
	Source    sourceOptions
	Waivers   waiverOptions
	Server    exporter.ServerOptions
	Push      push.Options
	Shard     string
	Counters  string
	Check     bool
	LogLevel  string
	LogFormat string

	demo demoServer
}

// demoServer is the demo fleet, once it runs.
type demoServer struct{ endpoint session.Endpoint }

func (d *demoServer) start(ctx context.Context, f *Factory, o sourceOptions) (stop func(), err error) {
	if !o.Demo {
		return func() {}, nil
	}
	p := f.IO.StartProgress("starting the demo fleet")
	defer p.Done()
	fleet, err := f.Demo(ctx, demoOptions{Scenarios: o.Scenarios})
	if err != nil {
		return nil, err
	}
	d.endpoint = fleet.Endpoint
	return fleet.Stop, nil
}

func (d *demoServer) dial(ctx context.Context) (*session.Session, error) {
	return session.Dial(ctx, d.endpoint)
}
