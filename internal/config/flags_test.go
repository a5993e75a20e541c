package config

import (
	"os"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// sample returns the flags of a command "look" of two kinds, of which --go has to be typed.
type sample struct {
	flags  *pflag.FlagSet
	level  string
	long   time.Duration
	where  []string
	files  []string
	demo   bool
	from   string
	sure   bool
	count  int
	listen string
}

func newSample() *sample {
	s := &sample{flags: pflag.NewFlagSet("look", pflag.ContinueOnError)}
	f := s.flags
	f.StringVar(&s.level, "fail-on", "none", "")
	f.DurationVar(&s.long, "for", time.Minute, "")
	f.StringSliceVar(&s.where, "cluster", nil, "")
	f.StringArrayVar(&s.files, "rules", nil, "")
	f.BoolVar(&s.demo, "demo", false, "")
	f.StringVar(&s.from, "from", "", "")
	f.BoolVar(&s.sure, "go", false, "")
	f.IntVar(&s.count, "batch", 0, "")
	f.StringVar(&s.listen, "web.listen-address", ":1", "")
	f.String("url", "", "")
	OnlyTyped(f, "go")
	OwnName(f, "batch")
	OfConnection(f, "url")
	return s
}

func (s *sample) names() FlagNames {
	n := FlagNames{}
	n.Add("look", s.flags)
	n.Add("look twice", s.flags)
	return n
}

// bind reads the file and binds the flags, like a command.
func (s *sample) bind(t *testing.T, args ...string) (*FlagSettings, error) {
	t.Helper()
	require.NoError(t, s.flags.Parse(args))
	file, err := LoadFlags(s.names())
	if err != nil {
		return nil, err
	}
	return file.Bind("look", s.flags)
}

func from(t *testing.T, s *FlagSettings, name string) string {
	t.Helper()
	for _, flag := range s.Flags {
		if flag.Name == name {
			return flag.From
		}
	}
	t.Fatalf("no flag %s", name)
	return ""
}

// TestFlagBeatsVariableBeatsFileBeatsDefault removes one place after the other, strongest first.
func TestFlagBeatsVariableBeatsFileBeatsDefault(t *testing.T) {
	path := clean(t, "fail-on: root\nlook: {fail-on: section}\n")
	t.Setenv("VPERF_FAIL_ON", "general")
	t.Setenv("VPERF_LOOK_FAIL_ON", "own")
	for _, step := range []struct {
		args        []string
		do          func()
		value, from string
	}{
		{[]string{"--fail-on", "typed"}, func() {}, "typed", "flag --fail-on"},
		{nil, func() {}, "own", "VPERF_LOOK_FAIL_ON"},
		{nil, func() { t.Setenv("VPERF_LOOK_FAIL_ON", "") }, "general", "VPERF_FAIL_ON"},
		{nil, func() { t.Setenv("VPERF_FAIL_ON", "") }, "section", path + ":2:17"},
		{nil, func() { rewrite(t, path, "fail-on: root\n") }, "root", path + ":1:10"},
		{nil, func() { rewrite(t, path, "") }, "none", "default"},
	} {
		step.do()
		s := newSample()
		got, err := s.bind(t, step.args...)
		require.NoError(t, err)
		require.Equal(t, step.value, s.level)
		require.Equal(t, step.from, from(t, got, "fail-on"))
		require.Equal(t, step.from != "default", Given(s.flags.Lookup("fail-on")))
	}
}

func rewrite(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

func TestListsAndTypes(t *testing.T) {
	clean(t, "for: 90s\ncluster: [a, b]\nrules: [\"x,y\", z]\ndemo: true\nlook: {batch: 3, web.listen-address: \":2\"}\n")
	s := newSample()
	_, err := s.bind(t)
	require.NoError(t, err)
	require.Equal(t, 90*time.Second, s.long)
	require.Equal(t, []string{"a", "b"}, s.where)
	require.Equal(t, []string{"x,y", "z"}, s.files)
	require.True(t, s.demo)
	require.Equal(t, 3, s.count)
	require.Equal(t, ":2", s.listen)

	clean(t, "")
	setAll(t, map[string]string{"VPERF_CLUSTER": "a,b", "VPERF_RULES": "x,y", "VPERF_LOOK_BATCH": "3", "VPERF_WEB_LISTEN_ADDRESS": ":2", "VPERF_BATCH": "4"})
	s = newSample()
	_, err = s.bind(t)
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, s.where)
	require.Equal(t, []string{"x,y"}, s.files, "a comma may be part of a file's name")
	require.Equal(t, 3, s.count, "batch is something else in other commands")
	require.Equal(t, ":2", s.listen)
	require.Equal(t, []string{"VPERF_BATCH"}, s.names().Unread(os.Environ()))
}

// TestTheStrongerPlaceOfData: typing one source of data overrides another one in a variable or the file.
func TestTheStrongerPlaceOfData(t *testing.T) {
	clean(t, "demo: true\nfor: 5m\n")
	s := newSample()
	_, err := s.bind(t, "--from", "x.json")
	require.NoError(t, err)
	require.False(t, s.demo)
	require.Equal(t, time.Minute, s.long, "a file has nothing to watch")

	t.Setenv("VPERF_URL", "https://vc")
	s = newSample()
	_, err = s.bind(t)
	require.NoError(t, err)
	require.False(t, s.demo, "a variable beats the file")
	require.Equal(t, 5*time.Minute, s.long)
}

// TestOnlyTyped: a flag that must be typed is refused elsewhere, unless it is also typed or has its present value.
func TestOnlyTyped(t *testing.T) {
	clean(t, "")
	for value, refused := range map[string]bool{"true": true, "false": false, "": false} {
		t.Setenv("VPERF_GO", value)
		s := newSample()
		got, err := s.bind(t)
		require.NoError(t, err)
		require.Equal(t, refused, got.Refused != nil)
		require.False(t, s.sure)
	}
	t.Setenv("VPERF_GO", "true")
	got, err := newSample().bind(t, "--go")
	require.NoError(t, err)
	require.NoError(t, got.Refused)
	got, err = newSample().bind(t)
	require.NoError(t, err)
	require.EqualError(t, got.Refused, "VPERF_GO is set, but vperf look accepts --go on the command line only, to prevent accidental changes: use the flag, or unset the variable")
}

func TestMistakesInValues(t *testing.T) {
	for text, want := range map[string]string{
		"contxts: []\n":             `:1:1: the config file has no key "contxts"; did you mean contexts?`,
		"fail_on: x\n":              `:1:1: the config file has no key "fail_on"; did you mean fail-on?`,
		"look: {fail: x}\n":         `:1:8: look has no key "fail"; did you mean fail-on?`,
		"look: [x]\n":               ":1:7: look must consist of KEY: VALUE lines",
		"for: soon\n":               `:1:6: for: "soon" is not a duration: write for example 5m or 90s`,
		"demo: perhaps\n":           `:1:7: demo: "perhaps" is neither true nor false`,
		"fail-on: [a]\n":            ":1:10: fail-on: write one value here, not a list",
		"cluster: {a: b}\n":         ":1:10: write one text here",
		"from:\n":                   "the value is empty: write one or remove the line",
		"go: true\n":                ":1:5: --go is accepted on the command line only: use it there",
		"look: {go: true}\n":        ":1:12: --go is accepted on the command line only",
		"batch: 3\n":                ":1:8: batch has a different meaning in each command: put it under look or look twice, as in look: {batch: …}",
		"url: vc\n":                 ":1:6: url cannot be set for all servers: it belongs to a context",
		"include-vms: [of]\n":       `:1:15: no state of VMs "of" (did you mean "off"?)`,
		"exporter: {module: [a]}\n": `:1:12: exporter has no key "module"; did you mean modules?`,
		"password: " + planted:      ":1:1: this file must not contain a password",
	} {
		path := clean(t, text)
		s := newSample()
		names := s.names()
		names.Add("exporter", pflag.NewFlagSet("exporter", pflag.ContinueOnError))
		file, err := LoadFlags(names)
		if err == nil {
			_, err = file.Bind("look", s.flags)
		}
		require.ErrorContains(t, err, path+":", text)
		require.ErrorContains(t, err, want, text)
		require.NotContains(t, err.Error(), planted)
	}
	for _, fine := range []string{"", "include-vms:\n", "look:\n", "contexts: 7\n", "look twice: {fail-on: x}\n"} {
		clean(t, fine)
		_, err := newSample().bind(t)
		require.NoError(t, err, "errors elsewhere do not matter here: %q", fine)
	}
}

func TestVariableMistakes(t *testing.T) {
	clean(t, "")
	t.Setenv("VPERF_FOR", "5")
	_, err := newSample().bind(t)
	require.EqualError(t, err, `VPERF_FOR: for: "5" is not a duration: write for example 5m or 90s`)
}

// TestThumbprintByItsFlagsName: the flag is --thumbprint, the key tls-thumbprint.
func TestThumbprintByItsFlagsName(t *testing.T) {
	clean(t, "")
	t.Setenv("VPERF_THUMBPRINT", "AA")
	require.Equal(t, Value{"AA", "VPERF_THUMBPRINT"}, settings(t, Flags{}).Thumbprint)
	t.Setenv("VPERF_TLS_THUMBPRINT", "BB")
	require.Equal(t, Value{"BB", "VPERF_TLS_THUMBPRINT"}, settings(t, Flags{}).Thumbprint)
}
