package config

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/vperf/vperf/internal/vsphere/session"
)

// Value is a setting with its origin: "flag --url", "VPERF_URL", "context prod (FILE)", "GOVC_URL", "default".
type Value struct {
	Text string `json:"value"`
	From string `json:"from"`
}

const fromDefault = "default"

// The keys of settings, equal in every layer. They have no capitals, because viper converts keys to lower case.
const (
	keyURL        = "url"
	keyUser       = "username"
	keyInsecure   = "insecure"
	keyCAFiles    = "tls-ca-certs"
	keyKnownHosts = "tls-known-hosts"
	keyThumbprint = "tls-thumbprint"

	keyPassword        = "password"
	keyPasswordFile    = "password-file"
	keyPasswordCommand = "password-command"
	keyContext         = "context"
)

// layer is all values from one place.
type layer struct {
	values    map[string]Value
	passwords []source
}

func (l *layer) set(key, text, from string) {
	if text != "" {
		l.values[key] = Value{text, from}
	}
}

// server returns the host that the layer names, or "".
func (l *layer) server() string {
	if v, ok := l.values[keyURL]; ok {
		return server(v.Text)
	}
	return ""
}

// namesOther reports whether a layer names another server than a URL does.
func (l *layer) namesOther(url string) bool {
	_, named := l.values[keyURL]
	return named && l.server() != server(url)
}

// shown returns the layer's server for messages. An invalid URL may contain a password and is not shown.
func (l *layer) shown() string {
	if s := l.server(); s != "" {
		return s
	}
	return "a URL that is not valid"
}

func newLayer() *layer { return &layer{values: map[string]Value{}} }

// first returns the value of the first layer that has one.
func first(layers []*layer, key string) Value {
	for _, l := range layers {
		if v, ok := l.values[key]; ok {
			return v
		}
	}
	return Value{From: fromDefault}
}

// Settings are the effective values, with their origins.
type Settings struct {
	Context    string // the context they are of, or ""
	URL        Value  // without user info
	Username   Value
	Insecure   Value
	CAFiles    Value
	KnownHosts Value
	Thumbprint Value
	// Notes list the values that do not apply although they are set, and why.
	Notes []string

	url       *url.URL // nil: no server
	insecure  bool
	passwords []source
	// ambiguous is set if two places name different servers and the command line selects none.
	ambiguous *AmbiguousServerError
}

// source is one place of a password.
type source struct {
	from string
	// get returns errElsewhere if it has none and the next place has to be tried.
	get func(context.Context, *Settings, *Console) (session.Secret, error)
	// quiet reports whether there is one, without asking the user or running a command; nil: there is one if get works.
	quiet func(context.Context, *Settings) error
}

// Console is the input for passwords.
type Console struct {
	// In is standard input: a password file called - is its first line.
	In io.Reader
	// Ask asks the user without showing the answer; nil if there is no terminal.
	Ask func(ctx context.Context, question string) (session.Secret, error)

	line session.Secret // the first line of In: several servers may need it
}

var errElsewhere = errors.New("it contains no password")

// because lists the notes: a missing value may be set in a place that does not apply.
func (s *Settings) because() string {
	if len(s.Notes) == 0 {
		return ""
	}
	return " (" + strings.Join(s.Notes, "; ") + ")"
}

func (s *Settings) who() string {
	if s.url == nil {
		return s.Username.Text
	}
	return s.Username.Text + " at " + s.url.Host
}

func passwordText(p session.Secret, from string) source {
	return source{from: from, get: func(context.Context, *Settings, *Console) (session.Secret, error) { return p, nil }}
}

// AmbiguousServerError means that two places of the environment and the config file name different servers, and the
// command line selects neither. Commands that only read use the stronger one; commands that write must not guess.
type AmbiguousServerError struct {
	Place, Server           string // such as GOVC_URL and 127.0.0.1:8989
	OtherPlace, OtherServer string // such as context lab and vc.example.com
}

// Error names both servers and says what to type.
func (e *AmbiguousServerError) Error() string { return e.names() + "; use --context or -u" }

func (e *AmbiguousServerError) names() string {
	return fmt.Sprintf("%s (%s) and %s (%s) name different servers", e.Place, e.Server, e.OtherPlace, e.OtherServer)
}

const (
	ownPrefix  = "VPERF_"
	govcPrefix = "GOVC_"
)

func variable(prefix, key string) string {
	return prefix + strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(key))
}
