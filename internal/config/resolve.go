package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/vperf/vperf/internal/vsphere/session"
)

// ErrNoServer means that no server is configured.
var ErrNoServer = errors.New("no server given")

// Unambiguous returns an AmbiguousServerError if a command that writes cannot be sure which server is meant, else nil.
func (s *Settings) Unambiguous() error {
	if s.ambiguous == nil {
		return nil
	}
	return s.ambiguous
}

// Origin returns the place that names the server: "flag --url", "VPERF_URL", "context prod" or "GOVC_URL".
func (s *Settings) Origin() string {
	place, _, _ := strings.Cut(s.URL.From, " (") // without a context's file
	return place
}

// Resolve finds every value: a flag beats VPERF_*, which beats the context, which beats GOVC_*, which beats the default.
//
// A layer can be about another server than the one whose URL wins, and a password must not go to a server it is not
// for. Therefore:
//   - a context named on the command line names its server: its URL beats VPERF_URL (--url beside it still wins);
//   - user info in a URL counts only for the server of that URL;
//   - the context counts only when its URL is the winner, or names the same server;
//   - VPERF_* counts only when VPERF_URL is unset or names the same server, and GOVC_* only when GOVC_URL is unset or names
//     the same server; beside --url both count, as with govc.
//
// Where VPERF_URL, the context and GOVC_URL name different servers and the command line chooses none of them, the one that
// wins may be read, and Unambiguous is an error.
//
// A Settings without a URL is no error here, but its Endpoint is.
func Resolve(f Flags, c Choice) (*Settings, error) {
	r, err := newResolution(f, c)
	if err != nil {
		return nil, err
	}
	if err := r.pickURL(c.named); err != nil {
		return nil, err
	}
	r.findAmbiguity(c.named)
	counting := r.dropOtherServers()
	s := r.settings
	s.Username = first(counting, keyUser)
	s.Insecure = first(counting, keyInsecure)
	s.CAFiles = first(counting, keyCAFiles)
	s.KnownHosts = first(counting, keyKnownHosts)
	s.Thumbprint = first(counting, keyThumbprint)
	for _, l := range counting {
		s.passwords = append(s.passwords, l.passwords...)
	}
	return s, s.readInsecure()
}

// resolution is the state of Resolve.
type resolution struct {
	flags, own, context, govc *layer // by rank; context is nil if there is none
	winner                    *layer // the one whose URL is used
	settings                  *Settings
	choice                    Choice
}

func newResolution(f Flags, c Choice) (*resolution, error) {
	own, err := variables(ownPrefix)
	if err != nil {
		return nil, err
	}
	govc, err := variables(govcPrefix)
	if err != nil {
		return nil, err
	}
	r := &resolution{flags: f.layer(), own: own, govc: govc, settings: &Settings{URL: Value{From: fromDefault}}, choice: c}
	if c.Context != nil {
		r.context = c.layer(c.file)
	}
	return r, nil
}

// pickURL selects the server.
func (r *resolution) pickURL(named bool) error {
	order := []*layer{r.flags, r.own, r.context, r.govc}
	if named {
		order = []*layer{r.flags, r.context, r.own, r.govc}
	}
	for _, l := range order {
		if l == nil {
			continue
		}
		if v, ok := l.values[keyURL]; ok {
			r.winner = l
			return r.setURL(v)
		}
	}
	return nil
}

func (r *resolution) setURL(v Value) error {
	u, err := ParseURL(v.Text)
	if err != nil {
		return fmt.Errorf("%s: %w", v.From, err)
	}
	if _, given := u.User.Password(); given && r.winner == r.flags {
		return errPasswordTyped
	} else if given && r.winner == r.own {
		return fmt.Errorf("%s has a password, which is shown wherever the URL is: put it into VPERF_PASSWORD, or into a file for --password-file", v.From)
	}
	u.User = nil
	r.settings.url = u
	r.settings.URL = Value{u.String(), v.From}
	return nil
}

// findAmbiguity compares the selected server with other places that name one. The command line decides: --url beats
// everything, and so does a context that it names.
func (r *resolution) findAmbiguity(named bool) {
	if r.winner == nil || r.winner == r.flags || named {
		return
	}
	for _, l := range []*layer{r.own, r.context, r.govc} {
		if l == nil || !l.namesOther(r.settings.URL.Text) {
			continue
		}
		r.settings.ambiguous = r.between(r.winner, l)
		r.note("%s: %s is used; choose one with --context or -u", r.settings.ambiguous.names(), r.place(r.winner))
		return
	}
}

// between describes a variable and a context, in this order.
func (r *resolution) between(a, b *layer) *AmbiguousServerError {
	if a == r.context {
		a, b = b, a
	}
	return &AmbiguousServerError{Place: r.place(a), Server: a.shown(), OtherPlace: r.place(b), OtherServer: b.shown()}
}

// place names the URL of a layer.
func (r *resolution) place(l *layer) string {
	if l == r.context {
		return "context " + r.choice.Name
	}
	return l.values[keyURL].From
}

// dropOtherServers returns the layers that apply, by rank; see Resolve for the rules.
func (r *resolution) dropOtherServers() []*layer {
	here := r.settings.URL.Text
	counting := []*layer{r.flags}
	for _, l := range []*layer{r.own, r.context, r.govc} {
		switch {
		case l == nil:
		case l.namesOther(here) && (l == r.context || r.winner != r.flags):
			r.ignored(l)
		default:
			counting = append(counting, l)
		}
	}
	if r.context != nil && !r.context.namesOther(here) {
		r.settings.Context = r.choice.Name
	}
	for _, l := range counting {
		l.takeUserInfo(server(here))
	}
	return counting
}

// ignored adds a note that the values of a layer do not apply, unless the ambiguity note contains it.
func (r *resolution) ignored(l *layer) {
	if r.settings.ambiguous != nil {
		return
	}
	what := map[*layer]string{r.own: ownPrefix + "*", r.context: "the context", r.govc: govcPrefix + "*"}[l]
	r.note("%s: vperf ignores %s", r.between(r.winner, l).names(), what)
}

func (r *resolution) note(format string, args ...any) {
	r.settings.Notes = append(r.settings.Notes, fmt.Sprintf(format, args...))
}

// takeUserInfo adds user and password of the layer's URL to its values, with lower priority, if the URL is this
// server's.
func (l *layer) takeUserInfo(here string) {
	v := l.values[keyURL]
	u, err := ParseURL(v.Text)
	if err != nil || u.User == nil || server(v.Text) != here {
		return
	}
	if _, given := l.values[keyUser]; !given {
		l.set(keyUser, u.User.Username(), v.From)
	}
	if p, _ := u.User.Password(); p != "" {
		l.passwords = append(l.passwords, passwordText(session.Secret(p), v.From))
	}
}

func (s *Settings) readInsecure() error {
	if s.Insecure.Text == "" {
		s.Insecure.Text = "false"
	}
	b, err := strconv.ParseBool(s.Insecure.Text)
	if err != nil {
		return fmt.Errorf("%s is %q: write true or false", s.Insecure.From, s.Insecure.Text)
	}
	s.insecure = b
	return nil
}

// Endpoint returns the server, without a password.
func (s *Settings) Endpoint() (session.Endpoint, error) {
	if s.url == nil {
		return session.Endpoint{}, ErrNoServer
	}
	if s.Username.Text == "" {
		return session.Endpoint{}, fmt.Errorf("no user for %s: use --username, set VPERF_USERNAME or GOVC_USERNAME, or give the context a username%s", s.url.Host, s.because())
	}
	sessions, err := sessionDir()
	if err != nil {
		return session.Endpoint{}, err
	}
	return session.Endpoint{
		SessionDir: sessions,
		Name:       s.Context, URL: s.url, User: s.Username.Text, Insecure: s.insecure,
		CAFiles: filepath.SplitList(s.CAFiles.Text), KnownHostsFile: s.KnownHosts.Text, Thumbprint: s.Thumbprint.Text,
	}, nil
}

// Describe returns a text that differs if the settings differ, without secrets and origins.
func (s *Settings) Describe() string {
	return fmt.Sprintf("%q %q %t %q %q %q", s.URL.Text, s.Username.Text, s.insecure, s.CAFiles.Text, s.KnownHosts.Text, s.Thumbprint.Text)
}
