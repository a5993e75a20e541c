package config

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"
	"github.com/zalando/go-keyring"

	"github.com/vperf/vperf/internal/vsphere/session"
)

// Each place is removed in turn: the next one is used.
func TestPasswordPlacesInOrder(t *testing.T) {
	keyring.MockInit()
	require.NoError(t, keyring.Set(keyringService, "me@vc.example.com", "keyring"))
	clean(t, "current: c\ncontexts:\n- name: c\n  url: vc.example.com\n  username: me\n  keyring: true\n")
	flags := Flags{PasswordFile: write(t, "flag-file\nsecond line\n", 0o600)}
	t.Setenv("VPERF_PASSWORD", "own")
	t.Setenv("VPERF_PASSWORD_FILE", write(t, "own-file\r\n", 0o400))
	t.Setenv("VPERF_PASSWORD_COMMAND", "echo 'own command'")
	t.Setenv("GOVC_PASSWORD", "govc")
	t.Setenv("GOVC_URL", "https://me:url@vc.example.com")
	console := &Console{Ask: func(_ context.Context, question string) (session.Secret, error) {
		return session.Secret("asked: " + question), nil
	}}

	var got []string
	for _, takeAway := range []func(){
		func() { flags.PasswordFile = "" },
		func() { t.Setenv("VPERF_PASSWORD", "") },
		func() { t.Setenv("VPERF_PASSWORD_FILE", "") },
		func() { t.Setenv("VPERF_PASSWORD_COMMAND", "") },
		func() { keyring.MockInit() },
		func() { t.Setenv("GOVC_PASSWORD", "") },
		func() { t.Setenv("GOVC_URL", "") },
		func() { console.Ask = nil },
	} {
		p, err := settings(t, flags).Password(t.Context(), console)
		require.NoError(t, err)
		got = append(got, string(p))
		takeAway()
	}
	require.Equal(t, []string{
		"flag-file", "own", "own-file", "own command", "keyring", "govc", "url", "asked: Password for me at vc.example.com: ",
	}, got)

	_, err := settings(t, flags).Password(t.Context(), console)
	for _, place := range []string{"VPERF_PASSWORD ", "GOVC_PASSWORD", "--password-file", "VPERF_PASSWORD_FILE", "VPERF_PASSWORD_COMMAND", "context"} {
		require.ErrorContains(t, err, place)
	}
}

func TestContextsKeepPasswordsElsewhere(t *testing.T) {
	path := clean(t, "current: f\ncontexts:\n"+
		"- {name: f, url: vc, username: me, password-file: secret}\n"+
		"- {name: h, url: vc, username: me, password-file: ~/secret}\n"+
		"- {name: c, url: vc, username: me, password-command: printf '%s\\n' \"a b\"}\n")
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), "secret"), []byte("beside"), 0o600))
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(home, "secret"), []byte("home"), 0o600))
	for name, want := range map[string]string{"f": "beside", "h": "home", "c": "a b"} {
		p, err := settings(t, Flags{}, name).Password(t.Context(), &Console{})
		require.NoError(t, err)
		require.Equal(t, want, string(p))
	}
}

func TestPasswordFromStandardInput(t *testing.T) {
	clean(t, "")
	s := settings(t, Flags{URL: "me@vc", PasswordFile: "-"})
	console := &Console{In: strings.NewReader("first\nsecond\n")}
	for range 2 {
		p, err := s.Password(t.Context(), console)
		require.NoError(t, err)
		require.Equal(t, "first", string(p), "a second server gets the same line")
	}
}

// An error never contains the password, and is never ignored in favour of the next place.
func TestPasswordProblems(t *testing.T) {
	for name, tc := range map[string]struct {
		flags Flags
		env   env
		in    string
		want  string
	}{
		"no file":         {Flags{PasswordFile: "/nowhere/secret"}, nil, "", "flag --password-file: /nowhere/secret: no such file"},
		"readable by all": {Flags{}, env{"VPERF_PASSWORD_FILE": write(t, planted, 0o644)}, "", "other users can read it (mode 0644): run chmod 600 /"},
		"by the group":    {Flags{}, env{"VPERF_PASSWORD_FILE": write(t, planted, 0o640)}, "", "mode 0640"},
		"empty":           {Flags{PasswordFile: write(t, "\n"+planted, 0o600)}, nil, "", "has no password in its first line"},
		"long":            {Flags{PasswordFile: write(t, strings.Repeat(planted, 1000), 0o600)}, nil, "", "this is not a password"},
		"binary":          {Flags{PasswordFile: write(t, "\x7fELF\x00"+planted, 0o600)}, nil, "", "is not text"},
		"two marks":       {Flags{PasswordFile: write(t, "\ufeff\ufeff"+planted, 0o600)}, nil, "", "byte 4 begins a control character or an invisible one"},
		"escape":          {Flags{PasswordFile: write(t, "ü\x1b"+planted+"\n", 0o600)}, nil, "", "byte 3 begins a control"},
		"invisible":       {Flags{PasswordFile: "-"}, nil, "\ufeffab\u200b" + planted, "standard input cannot be read: byte 6 begins"},
		"tab":             {Flags{PasswordFile: write(t, planted+"\t\n", 0o600)}, nil, "", fmt.Sprintf("byte %d begins a control", len(planted)+1)},
		"two returns":     {Flags{PasswordFile: write(t, planted+"\r\r\n", 0o600)}, nil, "", fmt.Sprintf("byte %d begins a control", len(planted)+1)},
		"a folder":        {Flags{PasswordFile: t.TempDir()}, nil, "", "is a directory"},
		"stdin empty":     {Flags{PasswordFile: "-"}, nil, "", "standard input has no password"},
		"command fails": {
			Flags{}, env{"VPERF_PASSWORD_COMMAND": `sh -c 'echo ` + planted + `; echo the vault is shut, ` + planted + ` >&2; exit 3'`},
			"", "VPERF_PASSWORD_COMMAND: password command: sh: exit status 3\nthe vault is shut, ***",
		},
		"command is silent":  {Flags{}, env{"VPERF_PASSWORD_COMMAND": "true " + planted}, "", "the output of true has no password"},
		"no such command":    {Flags{}, env{"VPERF_PASSWORD_COMMAND": "no-such-program " + planted}, "", "no-such-program: "},
		"shell in a command": {Flags{}, env{"VPERF_PASSWORD_COMMAND": "echo " + planted + " | cat"}, "", "has | outside single quotes, but vperf uses no shell"},
		"open quote":         {Flags{}, env{"VPERF_PASSWORD_COMMAND": "echo '" + planted}, "", "ends inside quotes"},
	} {
		t.Run(name, func(t *testing.T) {
			clean(t, "")
			setAll(t, tc.env)
			t.Setenv("GOVC_PASSWORD", "the next place")
			tc.flags.URL = "me@vc"
			s := settings(t, tc.flags)
			p, err := s.Password(t.Context(), &Console{In: strings.NewReader(tc.in)})
			require.Empty(t, string(p))
			require.ErrorContains(t, err, "getting the password for me at vc: ")
			require.ErrorContains(t, err, tc.want)
			require.NotContains(t, err.Error(), planted)
			state := s.PasswordState(t.Context())
			require.NotContains(t, state.From+state.Problem, planted)
		})
	}
}

func TestPasswordCommandHasALimit(t *testing.T) {
	clean(t, "")
	before := commandTimeout
	commandTimeout = 50 * time.Millisecond
	t.Cleanup(func() { commandTimeout = before })
	t.Setenv("VPERF_PASSWORD_COMMAND", "sleep 60")
	_, err := settings(t, Flags{URL: "me@vc"}).Password(t.Context(), &Console{})
	require.ErrorContains(t, err, "sleep: no answer within 50ms")
}

func TestPasswordCommandEndsWithTheContext(t *testing.T) {
	clean(t, "")
	t.Setenv("VPERF_PASSWORD_COMMAND", "sleep 60")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := settings(t, Flags{URL: "me@vc"}).Password(ctx, &Console{})
	require.Equal(t, context.DeadlineExceeded, err)
}

// The output of a command that never ends is neither stored nor read until its end.
func TestPasswordCommandThatPrintsTooMuch(t *testing.T) {
	clean(t, "")
	t.Setenv("VPERF_PASSWORD_COMMAND", "head -c 5000000 /dev/zero")
	_, err := settings(t, Flags{URL: "me@vc"}).Password(t.Context(), &Console{})
	require.ErrorContains(t, err, "this is not a password")
}

func TestSplitWords(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for line, want := range map[string][]string{
		`pass show vc/prod`:                 {"pass", "show", "vc/prod"},
		"  a\tb  ":                          {"a", "b"},
		`a 'b  c' "d 'e'"`:                  {"a", "b  c", "d 'e'"},
		`a''b "" x`:                         {"ab", "", "x"},
		`a\ b "c\"d\e" 'f\g'`:               {"a b", `c"d\e`, `f\g`},
		`sh -c 'cat x | head -n 1'`:         {"sh", "-c", "cat x | head -n 1"},
		`op read op://v/i?x=1#y`:            {"op", "read", "op://v/i?x=1#y"},
		`~/bin/p '~/x' \$HOME`:              {home + "/bin/p", "~/x", "$HOME"},
		`vault kv get -field=пароль secret`: {"vault", "kv", "get", "-field=пароль", "secret"},
	} {
		got, err := splitWords(line)
		require.NoError(t, err, line)
		require.Equal(t, want, got, line)
	}
	for _, line := range []string{"", "  ", "'a", `"a`, `a\`, "a|b", "a > b", "a $B", `a "$B"`, "a `b`", "'' a", "a; b"} {
		_, err := splitWords(line)
		require.Error(t, err, line)
	}
}

func FuzzSplitWords(f *testing.F) {
	for _, s := range []string{`a 'b c' "d\"e" f\ g`, `'`, `\`, "a|b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		words, err := splitWords(line)
		if err == nil && (len(words) == 0 || words[0] == "") {
			t.Fatalf("no program in %q", line)
		}
	})
}

func TestKeyringFailuresAreSoft(t *testing.T) {
	clean(t, "current: c\ncontexts:\n- {name: c, url: vc, username: me, keyring: true}\n")
	t.Setenv("GOVC_PASSWORD", "govc")
	keyring.MockInitWithError(errors.New("no D-Bus here"))
	t.Cleanup(keyring.MockInit)
	p, err := settings(t, Flags{}).Password(t.Context(), &Console{})
	require.NoError(t, err)
	require.Equal(t, "govc", string(p))
	require.Equal(t, PasswordState{Set: true, From: "GOVC_PASSWORD"}, settings(t, Flags{}).PasswordState(t.Context()))
	t.Setenv("GOVC_PASSWORD", "")
	require.Equal(t, PasswordState{}, settings(t, Flags{}).PasswordState(t.Context()))
}

func TestStoringInAKeyring(t *testing.T) {
	path := clean(t, "current: c\ncontexts:\n- {name: c, url: me@VC.example.com, keyring: true}\n")
	keyring.MockInit()
	file, err := Load()
	require.NoError(t, err)
	require.NoError(t, file.Contexts[0].StoreInKeyring(t.Context(), planted))
	s := settings(t, Flags{})
	p, err := s.Password(t.Context(), &Console{})
	require.NoError(t, err)
	require.Equal(t, planted, string(p))
	require.Equal(t, PasswordState{Set: true, From: "context c (" + path + "): keyring"}, s.PasswordState(t.Context()))

	require.NoError(t, file.Contexts[0].ForgetInKeyring(t.Context()))
	require.NoError(t, file.Contexts[0].ForgetInKeyring(t.Context()), "gone is gone")
	_, err = s.Password(t.Context(), &Console{})
	require.Error(t, err)

	keyring.MockInitWithError(errors.New("no D-Bus here"))
	t.Cleanup(keyring.MockInit)
	err = file.Contexts[0].StoreInKeyring(t.Context(), planted)
	require.ErrorContains(t, err, "no D-Bus here; without a keyring, use --password-file")
	require.NotContains(t, err.Error(), planted)
}

func TestAKeyringThatHangs(t *testing.T) {
	before := keyringTimeout
	keyringTimeout = 10 * time.Millisecond
	t.Cleanup(func() { keyringTimeout = before })
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	err := inTime(t.Context(), func() error { <-release; return nil })
	require.ErrorContains(t, err, "the keyring does not respond")
}

func TestAsking(t *testing.T) {
	var out strings.Builder
	p, err := ask(t.Context(), &out, "Password: ", func() ([]byte, error) { return []byte(planted), nil }, nil)
	require.NoError(t, err)
	require.Equal(t, planted, string(p))
	require.Equal(t, "Password: \n", out.String())

	_, err = ask(t.Context(), &out, "", func() ([]byte, error) { return nil, errors.New("closed") }, nil)
	require.EqualError(t, err, "asking for the password: closed")
	require.Nil(t, AskOn(strings.NewReader(""), &out), "not a terminal")

	clean(t, "")
	_, err = settings(t, Flags{URL: "me@vc"}).Password(t.Context(), &Console{
		Ask: func(context.Context, string) (session.Secret, error) { return "", nil },
	})
	require.EqualError(t, err, "no password for me at vc: the input was empty")
}

// Ctrl-C during the input of a password ends the prompt and restores the terminal.
func TestAskingEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	restored := false
	var out strings.Builder
	_, err := ask(ctx, &out, "Password: ", func() ([]byte, error) { cancel(); <-release; return nil, nil }, func() { restored = true })
	require.Equal(t, context.Canceled, err)
	require.True(t, restored)
}

// Letters of every script, blanks and symbols are passwords; every control character and invisible one is refused.
func TestPasswordsHoldWhatIsPrinted(t *testing.T) {
	for _, text := range []string{"ünï 図書館 €𝄞😀", " blanks\u00a0", "a\u0301"} {
		p, err := FirstLine(strings.NewReader("\ufeff" + text + "\r\n"))
		require.NoError(t, err)
		require.Equal(t, text, string(p))
	}
	for r := range rune(unicode.MaxRune + 1) {
		if unicode.In(r, unicode.Cc, unicode.Cf) && r != '\n' {
			p, err := FirstLine(strings.NewReader("ab" + string(r) + "c"))
			require.Error(t, err, "%U", r)
			require.Empty(t, string(p))
		}
	}
}
