package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/vsphere/session"
)

const twoContexts = `current: prod
contexts:
  - name: prod
    url: prod.example.com
    username: prod-user
    insecure: false
    tls-thumbprint: ` + "aa:bb:cc:dd:ee:ff:00:11:22:33:44:55:66:77:88:99:aa:bb:cc:dd" + `
    tls-known-hosts: known
    password-file: secret
  - name: lab
    url: https://lab-user@lab.example.com:8443/sdk
`

type env = map[string]string

// Every value is in every layer: removing the strongest one selects the next.
func TestPrecedenceOfEveryValue(t *testing.T) {
	const context = "context prod (FILE)"
	for _, tc := range []struct {
		name  string
		flags Flags
		env   env
		pick  func(*Settings) Value
		want  Value
	}{
		{"url: flag", Flags{URL: "flag"}, env{"VPERF_URL": "own", "GOVC_URL": "govc"}, theURL, Value{"https://flag/sdk", "flag --url"}},
		{"url: own", Flags{}, env{"VPERF_URL": "own", "GOVC_URL": "govc"}, theURL, Value{"https://own/sdk", "VPERF_URL"}},
		{"url: context", Flags{}, env{"GOVC_URL": "govc"}, theURL, Value{"https://prod.example.com/sdk", context}},
		{"user: flag", Flags{URL: "flag-user@prod.example.com"}, env{"VPERF_USERNAME": "own"}, user, Value{"flag-user", "flag --url"}},
		{"user: own", Flags{}, env{"VPERF_USERNAME": "own", "GOVC_USERNAME": "govc"}, user, Value{"own", "VPERF_USERNAME"}},
		{"user: own URL", Flags{}, env{"VPERF_URL": "own@prod.example.com"}, user, Value{"own", "VPERF_URL"}},
		{"user: context", Flags{}, env{"GOVC_USERNAME": "govc"}, user, Value{"prod-user", context}},
		{"insecure: flag", Flags{Insecure: true}, env{"VPERF_INSECURE": "0"}, insecure, Value{"true", "flag --insecure"}},
		{"insecure: own", Flags{}, env{"VPERF_INSECURE": "1"}, insecure, Value{"1", "VPERF_INSECURE"}},
		{"insecure: context says no", Flags{}, env{"GOVC_INSECURE": "1"}, insecure, Value{"false", context}},
		{"thumbprint: flag", Flags{Thumbprint: "FF"}, env{"VPERF_TLS_THUMBPRINT": "EE"}, thumbprint, Value{"FF", "flag --thumbprint"}},
		{"thumbprint: own", Flags{}, env{"VPERF_TLS_THUMBPRINT": "EE"}, thumbprint, Value{"EE", "VPERF_TLS_THUMBPRINT"}},
		{"known hosts: own", Flags{}, env{"VPERF_TLS_KNOWN_HOSTS": "/own"}, knownHosts, Value{"/own", "VPERF_TLS_KNOWN_HOSTS"}},
		{"known hosts: context", Flags{}, env{"GOVC_TLS_KNOWN_HOSTS": "/govc"}, knownHosts, Value{"DIR/known", context}},
		{"authorities: own", Flags{}, env{"VPERF_TLS_CA_CERTS": "/own", "GOVC_TLS_CA_CERTS": "/govc"}, authorities, Value{"/own", "VPERF_TLS_CA_CERTS"}},
		{"authorities: govc", Flags{}, env{"GOVC_TLS_CA_CERTS": "/govc"}, authorities, Value{"/govc", "GOVC_TLS_CA_CERTS"}},
		{"authorities: default", Flags{}, nil, authorities, Value{"", "default"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := clean(t, twoContexts)
			setAll(t, tc.env)
			got := tc.pick(settings(t, tc.flags))
			got.From = strings.ReplaceAll(got.From, path, "FILE")
			got.Text = strings.ReplaceAll(got.Text, strings.TrimSuffix(path, "/config.yaml"), "DIR")
			require.Equal(t, tc.want, got)
		})
	}
}

func theURL(s *Settings) Value      { return s.URL }
func user(s *Settings) Value        { return s.Username }
func insecure(s *Settings) Value    { return s.Insecure }
func thumbprint(s *Settings) Value  { return s.Thumbprint }
func knownHosts(s *Settings) Value  { return s.KnownHosts }
func authorities(s *Settings) Value { return s.CAFiles }

// A password must not be sent to another server.
func TestAnotherServersValuesDoNotCount(t *testing.T) {
	for _, tc := range []struct {
		name     string
		flags    Flags
		env      env
		context  []string
		wantUser Value
		password string // "" if there is none
	}{
		{
			"GOVC_URL is another server", Flags{}, env{"GOVC_URL": "https://other.example.com", "GOVC_USERNAME": "root", "GOVC_PASSWORD": planted},
			[]string{"bare"}, Value{From: "default"}, "",
		},
		{
			"GOVC_URL cannot be read", Flags{}, env{"GOVC_URL": "ftp://x", "GOVC_USERNAME": "root", "GOVC_PASSWORD": planted},
			[]string{"bare"}, Value{From: "default"}, "",
		},
		{
			"GOVC_URL is the same server, written otherwise", Flags{}, env{"GOVC_URL": "https://root:" + planted + "@BARE.example.com:443"},
			[]string{"bare"}, Value{"root", "GOVC_URL"}, planted,
		},
		{
			"GOVC_URL is another port", Flags{}, env{"GOVC_URL": "https://root:" + planted + "@bare.example.com:8443"},
			[]string{"bare"}, Value{From: "default"}, "",
		},
		{
			"GOVC_URL is unset", Flags{}, env{"GOVC_USERNAME": "root", "GOVC_PASSWORD": planted},
			[]string{"bare"}, Value{"root", "GOVC_USERNAME"}, planted,
		},
		{
			"VPERF_ always counts", Flags{}, env{"GOVC_URL": "other", "VPERF_USERNAME": "me", "VPERF_PASSWORD": planted},
			[]string{"bare"}, Value{"me", "VPERF_USERNAME"}, planted,
		},
		{
			"a named context beats VPERF_URL and its user", Flags{}, env{"VPERF_URL": "https://root:" + planted + "@other.example.com"},
			[]string{"bare"}, Value{From: "default"}, "",
		},
		{
			"a named context beats all of VPERF_* that is for another server", Flags{}, env{"VPERF_URL": "other", "VPERF_USERNAME": "root", "VPERF_PASSWORD": planted},
			[]string{"bare"}, Value{From: "default"}, "",
		},
		{
			"VPERF_URL without the password of GOVC_URL", Flags{}, env{"VPERF_URL": "other", "GOVC_URL": "third", "GOVC_USERNAME": "root", "GOVC_PASSWORD": planted},
			nil, Value{From: "default"}, "",
		},
		{
			"VPERF_URL with a user of GOVC_* that is for any server", Flags{}, env{"VPERF_URL": "other", "GOVC_USERNAME": "root", "GOVC_PASSWORD": planted},
			nil, Value{"root", "GOVC_USERNAME"}, planted,
		},
		{
			"--url is another server than the current context's", Flags{URL: "other.example.com"}, nil,
			nil, Value{From: "default"}, "",
		},
		{
			"--url is the current context's server", Flags{URL: "https://full.example.com/"}, nil,
			nil, Value{"full-user", "context full (FILE)"}, planted,
		},
		{
			"--url with govc's user, as with govc", Flags{URL: "other.example.com"}, env{"GOVC_URL": "third", "GOVC_USERNAME": "root", "GOVC_PASSWORD": planted},
			nil, Value{"root", "GOVC_USERNAME"}, planted,
		},
		{
			"--url without the user of GOVC_URL", Flags{URL: "other.example.com"}, env{"GOVC_URL": "https://root:" + planted + "@third"},
			nil, Value{From: "default"}, "",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			secret := write(t, planted+"\n", 0o600)
			path := clean(t, "current: full\ncontexts:\n- name: bare\n  url: bare.example.com\n"+
				"- name: full\n  url: full.example.com\n  username: full-user\n  password-file: "+secret+"\n")
			setAll(t, tc.env)
			s := settings(t, tc.flags, tc.context...)
			got := s.Username
			got.From = strings.ReplaceAll(got.From, path, "FILE")
			require.Equal(t, tc.wantUser, got)
			p, err := s.Password(t.Context(), &Console{})
			require.Equal(t, tc.password, string(p))
			require.Equal(t, tc.password == "", err != nil)
		})
	}
}

// A command that writes must not guess which of two servers is meant.
func TestServersThatDiffer(t *testing.T) {
	const prod, box = "prod.example.com", "127.0.0.1:8989"
	for _, tc := range []struct {
		name    string
		current string
		flags   Flags
		context []string
		env     env
		server  string // the one to read
		from    string
		want    string // the expected error; "" if there is none
	}{
		{"the context alone", "prod", Flags{}, nil, nil, prod, "context prod", ""},
		{
			"GOVC_URL and the current context", "prod", Flags{}, nil, env{"GOVC_URL": "https://" + box + "/sdk"}, prod, "context prod",
			"GOVC_URL (127.0.0.1:8989) and context prod (prod.example.com) name different servers; use --context or -u",
		},
		{
			"VPERF_URL and the current context", "prod", Flags{}, nil, env{"VPERF_URL": box}, box, "VPERF_URL",
			"VPERF_URL (127.0.0.1:8989) and context prod (prod.example.com) name different servers; use --context or -u",
		},
		{
			"GOVC_URL and VPERF_CONTEXT", "", Flags{}, nil, env{"GOVC_URL": box, "VPERF_CONTEXT": "prod"}, prod, "context prod",
			"GOVC_URL (127.0.0.1:8989) and context prod (prod.example.com) name different servers; use --context or -u",
		},
		{
			"both variables, no context", "", Flags{}, nil, env{"VPERF_URL": prod, "GOVC_URL": box}, prod, "VPERF_URL",
			"VPERF_URL (prod.example.com) and GOVC_URL (127.0.0.1:8989) name different servers; use --context or -u",
		},
		{
			"both variables agree, the context does not", "prod", Flags{}, nil, env{"VPERF_URL": box, "GOVC_URL": box}, box, "VPERF_URL",
			"VPERF_URL (127.0.0.1:8989) and context prod (prod.example.com) name different servers; use --context or -u",
		},
		{
			"a URL that is not valid", "prod", Flags{}, nil, env{"GOVC_URL": "https://me:" + planted + "@%zz"}, prod, "context prod",
			"GOVC_URL (a URL that is not valid) and context prod (prod.example.com) name different servers; use --context or -u",
		},
		{
			"a URL that is refused", "prod", Flags{}, nil, env{"GOVC_URL": "http://" + box}, prod, "context prod",
			"GOVC_URL (127.0.0.1:8989) and context prod (prod.example.com) name different servers; use --context or -u",
		},
		{"the same server, written otherwise", "prod", Flags{}, nil, env{"GOVC_URL": "https://root@PROD.example.com:443/sdk"}, prod, "context prod", ""},
		{"--context chooses", "prod", Flags{}, []string{"prod"}, env{"GOVC_URL": box, "VPERF_URL": box}, prod, "context prod", ""},
		{"-u chooses", "prod", Flags{URL: box}, nil, env{"GOVC_URL": prod}, box, "flag --url", ""},
		{"VPERF_CONTEXT=--none leaves the context out", "prod", Flags{}, nil, env{"VPERF_URL": box, "GOVC_URL": box, "VPERF_CONTEXT": "--none"}, box, "VPERF_URL", ""},
		{"VPERF_CONTEXT=--none and GOVC_URL alone", "prod", Flags{}, nil, env{"GOVC_URL": box, "VPERF_CONTEXT": "--none"}, box, "GOVC_URL", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text := "contexts:\n- name: prod\n  url: " + prod + "\n  username: me\n"
			if tc.current != "" {
				text = "current: " + tc.current + "\n" + text
			}
			clean(t, text)
			setAll(t, tc.env)
			s := settings(t, tc.flags, tc.context...)
			require.Equal(t, "https://"+tc.server+"/sdk", s.URL.Text)
			require.Equal(t, tc.from, s.Origin())
			err := s.Unambiguous()
			if tc.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, tc.want)
			require.Len(t, s.Notes, 1, "a command that only reads says it once")
			require.Contains(t, s.Notes[0], strings.TrimSuffix(tc.want, "; use --context or -u")+": "+tc.from+" is used")
		})
	}
}

func TestEndpoint(t *testing.T) {
	clean(t, twoContexts)
	e, err := settings(t, Flags{}, "lab").Endpoint()
	require.NoError(t, err)
	require.Equal(t, "lab", e.Name)
	require.Equal(t, "https://lab.example.com:8443/sdk", e.URL.String())
	require.Equal(t, "lab-user", e.User)
	require.Empty(t, e.Password)

	t.Setenv("VPERF_CONTEXT", "lab")
	e, err = settings(t, Flags{}).Endpoint()
	require.NoError(t, err)
	require.Equal(t, "lab", e.Name, "VPERF_CONTEXT beats current:")

	e, err = settings(t, Flags{URL: "me@elsewhere"}).Endpoint()
	require.NoError(t, err)
	require.Empty(t, e.Name, "the context has no part in it")
}

func TestResolveErrors(t *testing.T) {
	clean(t, "")
	_, err := settings(t, Flags{}).Endpoint()
	require.ErrorIs(t, err, ErrNoServer)
	_, err = settings(t, Flags{URL: "vc.example.com"}).Endpoint()
	require.ErrorContains(t, err, "no user for vc.example.com: use --username, set VPERF_USERNAME or GOVC_USERNAME")

	for name, tc := range map[string]struct {
		flags Flags
		env   env
		want  string
	}{
		"password in --url": {Flags{URL: "https://me:" + planted + "@vc"}, nil, "a password on the command line"},
		"bad URL":           {Flags{}, env{"VPERF_URL": "https://me:" + planted + "@%zz"}, "VPERF_URL: the server's URL is not valid"},
		"plain http":        {Flags{}, env{"VPERF_URL": "http://me:" + planted + "@vc"}, "VPERF_URL: http would send the password unencrypted: write https://vc"},
		"bad scheme":        {Flags{}, env{"GOVC_URL": "ftp://me:" + planted + "@vc"}, "GOVC_URL: the server's URL has scheme"},
		"bad bool":          {Flags{}, env{"GOVC_INSECURE": "maybe"}, `GOVC_INSECURE is "maybe": write true or false`},
		"unknown context":   {Flags{}, env{"VPERF_CONTEXT": "prod"}, `VPERF_CONTEXT: there is no context "prod"`},
	} {
		t.Run(name, func(t *testing.T) {
			setAll(t, tc.env)
			_, err := trySettings(tc.flags)
			require.ErrorContains(t, err, tc.want)
			require.NotContains(t, err.Error(), planted)
		})
	}
}

func TestChooseManyContexts(t *testing.T) {
	clean(t, twoContexts)
	file, err := Load()
	require.NoError(t, err)
	names := func(all []Choice) (out []string) {
		for _, c := range all {
			out = append(out, c.Name)
		}
		return out
	}
	all, err := file.Choose(nil, true)
	require.NoError(t, err)
	require.Equal(t, []string{"prod", "lab"}, names(all))
	some, err := file.Choose([]string{"lab", "prod", "lab"}, false)
	require.NoError(t, err)
	require.Equal(t, []string{"lab", "prod"}, names(some), "in the order asked for, each once")

	_, err = file.Choose([]string{"prdo"}, false)
	var unknown *UnknownContextError
	require.ErrorAs(t, err, &unknown)
	require.EqualError(t, err, `there is no context "prdo"; did you mean prod?`)
	_, err = file.Choose([]string{"something-else"}, false)
	require.ErrorContains(t, err, "vperf context list")

	clean(t, "")
	file, err = Load()
	require.NoError(t, err)
	_, err = file.Choose(nil, true)
	require.ErrorIs(t, err, ErrNoContexts)
	none, err := file.Choose(nil, false)
	require.NoError(t, err)
	require.Nil(t, none[0].Context)
}

// Formatted settings never contain a password.
func TestSettingsHideThePassword(t *testing.T) {
	clean(t, "")
	t.Setenv("GOVC_URL", "https://me:"+planted+"@vc.example.com")
	s := settings(t, Flags{})
	p, err := s.Password(t.Context(), &Console{})
	require.NoError(t, err)
	require.Equal(t, session.Secret(planted), p)
	require.NotContains(t, s.URL.Text, planted)
	require.Equal(t, PasswordState{Set: true, From: "GOVC_URL"}, s.PasswordState(t.Context()))
}
