package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

func TestPath(t *testing.T) {
	clean(t, "")
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	for _, tc := range []struct{ config, xdg, want string }{
		{"", "", home + "/.config/vperf/config.yaml"},
		{"", "/xdg", "/xdg/vperf/config.yaml"},
		{"", "relative", home + "/.config/vperf/config.yaml"},
		{"/own.yaml", "/xdg", "/own.yaml"},
	} {
		t.Setenv("VPERF_CONFIG", tc.config)
		t.Setenv("XDG_CONFIG_HOME", tc.xdg)
		got, err := Path()
		require.NoError(t, err)
		require.Equal(t, tc.want, got)
	}
}

func TestLoad(t *testing.T) {
	path := clean(t, "current: Prod.One\ncontexts:\n- name: Prod.One\n  url: vc\n  username: 1234\n  keyring: true\n  insecure: true\n"+
		"- {name: lab, url: u@lab, tls-ca-certs: a.pem:b.pem}\n")
	f, err := Load()
	require.NoError(t, err)
	yes := true
	require.Equal(t, "Prod.One", f.Current, "names keep their capitals")
	require.Equal(t, []*Context{
		{Name: "Prod.One", URL: "vc", Username: "1234", Keyring: true, Insecure: &yes},
		{Name: "lab", URL: "u@lab", CAFiles: "a.pem:b.pem"},
	}, f.Contexts)
	dir := filepath.Dir(path)
	require.Equal(t, dir+"/a.pem:"+dir+"/b.pem", settings(t, Flags{}, "lab").CAFiles.Text)

	for _, empty := range []string{"", "# nothing\n", "current:\ncontexts:\n", "contexts: []\n", "---\n"} {
		require.NoError(t, os.WriteFile(path, []byte(empty), 0o600))
		f, err := Load()
		if strings.HasPrefix(empty, "current") {
			require.ErrorContains(t, err, ":1:9: the value is empty")
			continue
		}
		require.NoError(t, err, empty)
		require.Empty(t, f.Contexts)
	}
}

func TestProfiles(t *testing.T) {
	clean(t, "profiles:\n  - {match: \"Trade-*\", profile: latency}\n  - {match: 'host0?', scope: host, profile: network}\n"+
		"  # the dear ones\n  - {tag: Tier/Gold, profile: database}\n")
	f, err := Load()
	require.NoError(t, err)
	require.Equal(t, []advice.Assignment{
		{Match: "Trade-*", Profile: advice.ProfileLatency, From: "config file, line 2"},
		{Match: "host0?", Scope: inventory.ScopeHost, Profile: advice.ProfileNetwork, From: "config file, line 3"},
		{Tag: "Tier/Gold", Profile: advice.ProfileDatabase, From: "config file, line 5"},
	}, f.Profiles, "in their order, with their capitals")
	alone, err := Profiles()
	require.NoError(t, err)
	require.Equal(t, f.Profiles, alone)

	for text, want := range map[string]string{
		"contexts: 7\nprofiles: [{match: a, profile: vdi}]\n": "",
		"- a\n":                      "",
		"":                           "",
		"profiles: [\n":              "this is not valid YAML",
		"contexts: 7\nprofiles: 8\n": ":2:11: profiles is not a list",
	} {
		clean(t, text)
		_, err := Profiles()
		if want == "" {
			require.NoError(t, err, "errors elsewhere do not matter here")
			continue
		}
		require.ErrorContains(t, err, want)
	}
}

func TestProtected(t *testing.T) {
	clean(t, "profiles: 8\nprotect:\n- \"dc-*\"\n- sap01\n")
	alone, err := Protected()
	require.NoError(t, err, "errors elsewhere do not matter here")
	require.Equal(t, []string{"dc-*", "sap01"}, alone)
	clean(t, "protect: [\"dc-*\"]\n")
	f, err := Load()
	require.NoError(t, err)
	require.Equal(t, []string{"dc-*"}, f.Protect)
	clean(t, "protect:\n")
	alone, err = Protected()
	require.NoError(t, err)
	require.Empty(t, alone)
}

func TestIncludeVMs(t *testing.T) {
	clean(t, "profiles: 8\ninclude-vms: [off, templates]\n")
	alone, err := IncludeVMs()
	require.NoError(t, err, "errors elsewhere do not matter here")
	require.Equal(t, advice.VMStates(), alone)
	clean(t, "include-vms: [off]\n")
	f, err := Load()
	require.NoError(t, err)
	require.Equal(t, []advice.VMState{advice.VMOff}, f.IncludeVMs)
	clean(t, "include-vms:\n")
	alone, err = IncludeVMs()
	require.NoError(t, err)
	require.Empty(t, alone)
}

func TestMistakesInTheFile(t *testing.T) {
	const ok = "contexts:\n- name: a\n  url: vc\n"
	for name, tc := range map[string]struct{ text, want string }{
		"wild key":                {ok + "  frobnicate: x\n", `:4:3: a context has no key "frobnicate"; it has insecure, keyring, name, `},
		"near key":                {ok + "  user-name: x\n", `:4:3: a context has no key "user-name"; did you mean username?`},
		"password":                {ok + "  password: " + planted + "\n", ":4:3: this file must not contain a password"},
		"password at root":        {"password: " + planted + "\n", ":1:1: this file must not contain a password"},
		"password in a URL":       {"contexts:\n- name: a\n  url: https://u:" + planted + "@vc\n", ":3:8: this file must not contain a password"},
		"bad URL":                 {"contexts:\n- name: a\n  url: https://u:" + planted + "@vc:x\n", ":3:8: the server's URL is not valid"},
		"plain http":              {"contexts:\n- name: a\n  url: http://vc\n", ":3:8: http would send the password unencrypted: write https://vc"},
		"no URL":                  {"contexts:\n- name: a\n", ":2:3: the url is missing"},
		"no name":                 {"contexts:\n- url: vc\n", ":2:3: the context name \"\""},
		"bad name":                {"contexts:\n- name: a,b\n  url: vc\n", ":2:9: the context name \"a,b\" is not valid"},
		"twice the key":           {ok + "  url: x\n", ":4:3: url is duplicated"},
		"twice the name":          {ok + "- name: a\n  url: vc\n", ":4:3: there are two contexts a"},
		"unknown current":         {"current: b\n" + ok, `:1:10: the current context is "b", which does not exist: the contexts are a`},
		"no bool":                 {ok + "  keyring: maybe\n", ":4:12: write true or false here"},
		"text for a bool":         {ok + "  insecure: 'true'\n", ":4:13: write true or false here"},
		"list for a text":         {ok + "  username: [x]\n", ":4:13: write one text here"},
		"empty":                   {ok + "  username:\n", "the value is empty"},
		"protect as a text":       {"protect: dc-*\n", ":1:10: protect is not a list"},
		"include as a text":       {"include-vms: off\n", ":1:14: include-vms is not a list"},
		"include others":          {"include-vms: [of]\n", `:1:15: no state of VMs "of" (did you mean "off"?)`},
		"protect nothing":         {"protect: [\"\"]\n", ":1:11: the value is empty"},
		"protect a map":           {"protect: [{a: b}]\n", ":1:11: write one text here"},
		"profiles as a map":       {"profiles:\n  a: {}\n", ":2:3: profiles is not a list"},
		"wrong profile":           {"profiles:\n- {match: a, profile: latncy}\n", `:2:23: no profile "latncy" (did you mean "latency"?)`},
		"wrong scope":             {"profiles:\n- {match: a, scope: hst, profile: vdi}\n", `:2:21: no scope "hst" (did you mean "host"?)`},
		"profile of a NIC":        {"profiles:\n- {match: a, scope: pnic, profile: vdi}\n", "devices have the profile of their owner"},
		"profile without objects": {"profiles:\n- profile: vdi\n", ":2:3: this entry selects no objects: add match"},
		"no profile":              {"profiles:\n- tag: tier/gold\n", ":2:3: this entry has no profile"},
		"near key of these":       {"profiles:\n- {mtach: a, profile: vdi}\n", `:2:4: an entry of profiles has no key "mtach"; did you mean match?`},
		"contexts as a map":       {"contexts:\n  a: {url: vc}\n", ":2:3: contexts is not a list"},
		"a list":                  {"- a\n", ":1:1: the config file must consist of KEY: VALUE lines"},
		"text for a context":      {"contexts:\n- a\n", ":2:3: a context must consist of KEY: VALUE lines"},
		"alias":                   {"contexts:\n- &x\n  name: a\n  url: vc\n- *x\n", ":5:3: a context must consist"},
		"alias as a value":        {ok + "  username: *" + planted + "\n", "a value that begins with * needs quotes"},
		"no YAML":                 {"contexts: [\n", ":1:1: this is not valid YAML: "},
		"two documents":           {ok + "---\nx: y\n", ": a second YAML document begins here"},
		"thumbprint":              {ok + "  tls-thumbprint: AA:BB\n", ":4:19: the thumbprint is not a SHA-1 or SHA-256 digest"},
		"command":                 {ok + "  password-command: cat x | head\n", ":4:21: the password command has |"},
		"two places":              {ok + "  username: u\n  keyring: true\n  password-file: x\n", "has several password sources"},
		"keyring without a user":  {ok + "  keyring: true\n", ":4:12: the keyring stores passwords by user and server: add a username"},
	} {
		t.Run(name, func(t *testing.T) {
			path := clean(t, tc.text)
			_, err := Load()
			require.ErrorContains(t, err, tc.want)
			for line := range strings.Lines(err.Error()) {
				require.True(t, strings.HasPrefix(line, path+":"), "no place in %q", line)
			}
			require.NotContains(t, err.Error(), planted)
		})
	}
}

func TestAllMistakesAreTold(t *testing.T) {
	clean(t, "contexts:\n- name: a\n  url: vc\n  x1: y\n  insecure: 7\n  y1: z\n")
	_, err := Load()
	require.Len(t, strings.Split(err.Error(), "\n"), 3)
}

func TestFileThatOthersMayWrite(t *testing.T) {
	for mode, refused := range map[os.FileMode]bool{0o600: false, 0o644: false, 0o660: true, 0o602: true} {
		path := clean(t, "contexts: []\n")
		require.NoError(t, os.Chmod(path, mode))
		_, err := Load()
		if !refused {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, "can be written by other users")
		require.ErrorContains(t, err, "chmod go-w "+path)
	}
	path := clean(t, "contexts: []\n")
	t.Setenv("VPERF_CONFIG", filepath.Dir(path))
	_, err := Load()
	require.ErrorContains(t, err, "reading the config file: ")
}

func TestEditing(t *testing.T) {
	path := clean(t, `# what we look after
current: prod # the real one

contexts:
  # the data centre
  - name: prod
    url: https://vc.example.com # behind the firewall
    username: audit@vsphere.local
  # under the desk
  - name: lab
    url: lab
`)
	file, err := Load()
	require.NoError(t, err)
	no := false
	require.NoError(t, file.Add(&Context{Name: "dr", URL: "dr", Username: "007", PasswordFile: "/s", Insecure: &no}))
	require.NoError(t, file.Use("lab"))
	require.NoError(t, file.Save())
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, `# what we look after
current: lab # the real one
contexts:
  # the data centre
  - name: prod
    url: https://vc.example.com # behind the firewall
    username: audit@vsphere.local
  # under the desk
  - name: lab
    url: lab
  - name: dr
    url: dr
    username: "007"
    password-file: /s
    insecure: false
`, string(text))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	require.NoError(t, file.Remove("prod"))
	require.NoError(t, file.Remove("lab"))
	require.NoError(t, file.Save())
	text, err = os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "# what we look after\ncontexts:\n  - name: dr\n    url: dr\n    username: \"007\"\n    password-file: /s\n    insecure: false\n", string(text))

	require.ErrorIs(t, file.Add(&Context{Name: "dr", URL: "x"}), ErrContextExists)
	require.ErrorContains(t, file.Add(&Context{Name: "x", URL: "https://u:" + planted + "@vc"}), "this file must not contain a password")
	require.ErrorContains(t, file.Use("nowhere"), "there is no context")
	require.ErrorContains(t, file.Remove("nowhere"), "there is no context")
}

func TestAddingTheFirst(t *testing.T) {
	for _, before := range []string{"", "# mine\n", "contexts: []\n", "contexts:\n"} {
		path := clean(t, before)
		file, err := Load()
		require.NoError(t, err)
		require.NoError(t, file.Add(&Context{Name: "a", URL: "vc"}))
		require.NoError(t, file.Save())
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Contains(t, string(text), "contexts:\n  - name: a\n    url: vc\n", before)
		require.NotContains(t, string(text), "current:", "adding a context does not make it current")
		require.Equal(t, strings.HasPrefix(before, "#"), strings.HasPrefix(string(text), "# mine\n"))
		file, err = Load()
		require.NoError(t, err)
		require.Empty(t, file.Current)
		require.NoError(t, file.Remove("a"))
		require.NoError(t, file.Save())
		file, err = Load()
		require.NoError(t, err)
		require.Empty(t, file.Contexts)
	}
}

func TestSavingKeepsTheLink(t *testing.T) {
	path := clean(t, "contexts: []\n")
	kept := filepath.Join(t.TempDir(), "kept.yaml")
	require.NoError(t, os.Rename(path, kept))
	require.NoError(t, os.Symlink(kept, path))
	file, err := Load()
	require.NoError(t, err)
	require.NoError(t, file.Add(&Context{Name: "a", URL: "vc"}))
	require.NoError(t, file.Save())
	text, err := os.ReadFile(kept)
	require.NoError(t, err)
	require.Contains(t, string(text), "name: a")
	target, err := os.Readlink(path)
	require.NoError(t, err)
	require.Equal(t, kept, target)
}

func TestSavingWhereItCannotBe(t *testing.T) {
	clean(t, "")
	file := &File{Path: write(t, "", 0o600) + "/config.yaml"}
	require.NoError(t, file.Add(&Context{Name: "a", URL: "vc"}))
	require.ErrorContains(t, file.Save(), "writing the config file "+file.Path)
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(twoContexts))
	f.Add([]byte("contexts: [{name: a, url: b, keyring: yes}]"))
	f.Add([]byte("a: &x [*x]"))
	f.Add([]byte("\xfe\xff"))
	f.Add([]byte("\xef\xbb\xbf"))
	f.Add([]byte("\xef\xbb\xbf# mine\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := parse("f", text)
		if err != nil || file.Add(&Context{Name: "fuzz-added", URL: "vc"}) != nil {
			return
		}
		if _, err := file.encode(); err != nil {
			t.Fatalf("a loaded file cannot be written: %v", err)
		}
	})
}
