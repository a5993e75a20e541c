package deploy

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const role = "ansible/roles/vperf/"

// roleSample is the configuration that the role writes for ansible/group_vars/all.yml.
const roleSample = "testdata/ansible-config.yaml"

// roleVariables are the variables in group_vars/all.yml.
type roleVariables struct {
	Contexts  []map[string]any  `yaml:"vperf_contexts"`
	Passwords map[string]string `yaml:"vperf_passwords"`
	Exporter  map[string]any    `yaml:"vperf_exporter"`
}

// roleConfig is a configuration without the types of vperf.
type roleConfig struct {
	Contexts []map[string]any
	Exporter map[string]any
}

// TestAnsibleConfig checks the sample of the configuration that the role writes: it is what the variables say, and vperf accepts it.
func TestAnsibleConfig(t *testing.T) {
	var variables roleVariables
	read(t, "ansible/group_vars/all.yml", &variables)
	var constants map[string]any
	read(t, role+"vars/main.yml", &constants)
	require.NotEmpty(t, variables.Passwords)
	want := roleConfig{Contexts: variables.Contexts, Exporter: variables.Exporter}
	for _, c := range want.Contexts {
		name := c["name"].(string)
		require.NotContains(t, c, "password")
		require.Regexp(t, `^\{\{ vault_\w+ \}\}$`, variables.Passwords[name], "a password in a file that is no vault")
		c["password-file"] = constants["vperf_credentials_dir"].(string) + "/" + name
	}
	var sample roleConfig
	read(t, roleSample, &sample)
	require.Equal(t, want, sample, "write the sample again: docs/ansible.md has the command")
	text, err := os.ReadFile(roleSample)
	require.NoError(t, err)
	parses(t, string(text))
}

// TestAnsibleAgrees checks that the role uses the paths, names and options of packages, unit and releases.
func TestAnsibleAgrees(t *testing.T) {
	unit, err := os.ReadFile("systemd/vperf-exporter.service")
	require.NoError(t, err)
	copied, err := os.ReadFile(role + "files/vperf-exporter.service")
	require.NoError(t, err)
	require.Equal(t, string(unit), string(copied), "copy deploy/systemd/vperf-exporter.service to the role's files")

	var constants map[string]any
	read(t, role+"vars/main.yml", &constants)
	dir, credentials := constants["vperf_config_dir"].(string), constants["vperf_credentials_dir"].(string)
	require.Contains(t, string(unit), "\nEnvironment=VPERF_CONFIG="+dir+"/config.yaml\n")
	require.Contains(t, string(unit), "\nLoadCredential=vc01:"+dir+"/vc01.password\n")
	require.Contains(t, string(unit), "password-file: "+credentials+"/vc01\n")
	program := constants["vperf_program"].(string)
	require.Contains(t, program, "'/usr/local/bin/vperf'")
	require.Contains(t, string(unit), "\nExecStart=/usr/local/bin/vperf exporter ")
	require.Contains(t, program, "'/usr/bin/vperf'")

	goreleaser, err := os.ReadFile("../.goreleaser.yaml")
	require.NoError(t, err)
	for _, words := range []string{"bindir: /usr/bin\n", "dst: " + dir + ",", `file_name_template: "vperf_{{ .Version }}_{{ .Arch }}"`, `name_template: "vperf_{{ .Version }}_{{ .Os }}_{{ .Arch }}"`, "formats: [deb, rpm]", "formats: [tar.xz]", "name_template: checksums.txt", "wrap_in_directory: true"} {
		require.Contains(t, string(goreleaser), words)
	}
	require.Equal(t, "vperf_{{ vperf_version }}_{{ 'linux_' if vperf_install_from == 'archive' else '' }}{{ vperf_architecture }}", constants["vperf_base"])

	conf, err := os.ReadFile(role + "templates/credentials.conf.j2")
	require.NoError(t, err)
	require.Contains(t, string(conf), "LoadCredential={{ name }}:{{ vperf_config_dir }}/{{ name }}.password\n")

	var defaults map[string]any
	read(t, role+"defaults/main.yml", &defaults)
	var specs struct {
		Specs struct {
			Main struct{ Options map[string]any }
		} `yaml:"argument_specs"`
	}
	read(t, role+"meta/argument_specs.yml", &specs)
	require.Equal(t, slices.Sorted(maps.Keys(defaults)), slices.Sorted(maps.Keys(specs.Specs.Main.Options)))
}

// TestAnsibleSecrets checks that secrets are only in files of root with mode 0600, in tasks that log nothing, and never in an argument.
func TestAnsibleSecrets(t *testing.T) {
	paths, err := filepath.Glob(role + "tasks/*.yml")
	require.NoError(t, err)
	var written int
	for _, path := range paths {
		var tasks []map[string]any
		read(t, path, &tasks)
		for _, task := range tasks {
			require.NotContains(t, task, "ansible.builtin.command", path)
			require.NotContains(t, task, "ansible.builtin.shell", path)
			text, err := json.Marshal(task)
			require.NoError(t, err)
			if task["ansible.builtin.assert"] != nil || !regexp.MustCompile(`vperf_passwords|vperf_web_files`).Match(text) {
				continue
			}
			written++
			file, is := task["ansible.builtin.copy"].(map[string]any)
			require.True(t, is, "%s: %s", path, task["name"])
			require.Equal(t, true, task["no_log"], task["name"])
			require.Equal(t, "0600", file["mode"], task["name"])
			require.Equal(t, "root", file["owner"], task["name"])
		}
	}
	require.Equal(t, 2, written)
}

// ansible returns a program of Ansible. It is not a tool of this project: without it, the test is skipped, also in CI.
func ansible(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("skipped: %s is missing (pip install ansible-core ansible-lint)", name)
	}
	return path
}

// TestAnsibleLint lints the role and the playbook.
func TestAnsibleLint(t *testing.T) {
	t.Parallel()
	runAnsible(t, ansible(t, "ansible-lint"), "--strict")
}

// TestAnsibleRenders renders the templates of the role with Ansible, and compares the configuration with its sample.
func TestAnsibleRenders(t *testing.T) {
	t.Parallel()
	program := ansible(t, "ansible")
	dir := t.TempDir()
	here, err := filepath.Abs(role)
	require.NoError(t, err)
	extra := filepath.Join(dir, "vault.yml")
	require.NoError(t, os.WriteFile(extra, []byte("{vault_vperf_vc01: one, vault_vperf_lab: two, vperf_web_config: {}, vperf_web_files: {tls.key: three}}\n"), 0o600))
	for _, name := range []string{"config.yaml", "credentials.conf"} {
		module, err := json.Marshal(map[string]string{"src": filepath.Join(here, "templates", name+".j2"), "dest": filepath.Join(dir, name)})
		require.NoError(t, err)
		runAnsible(t, program, "localhost", "--connection=local", "--module-name=ansible.builtin.template", "--args="+string(module),
			"--extra-vars=@"+here+"/vars/main.yml", "--extra-vars=@"+here+"/../../group_vars/all.yml", "--extra-vars=@"+extra)
	}
	have, err := os.ReadFile(filepath.Join(dir, "config.yaml"))
	require.NoError(t, err)
	want, err := os.ReadFile(roleSample)
	require.NoError(t, err)
	require.Equal(t, string(want), string(have))
	dropIn, err := os.ReadFile(filepath.Join(dir, "credentials.conf"))
	require.NoError(t, err)
	_, lines, _ := strings.Cut(string(dropIn), "\n")
	require.Equal(t, "[Service]\nLoadCredential=\nLoadCredential=vc01:/etc/vperf/vc01.password\nLoadCredential=lab:/etc/vperf/lab.password\nLoadCredential=tls.key:/etc/vperf/tls.key\n", lines)
}

func runAnsible(t *testing.T, program string, args ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), program, args...)
	c.Dir = "ansible"
	c.Env = append(os.Environ(), "ANSIBLE_NOCOLOR=1", "ANSIBLE_LOCALHOST_WARNING=0", "LC_ALL=C.UTF-8")
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s %v:\n%s", program, args, out)
}

// TestAnsibleFilesAreYAML reads every YAML file of the folder.
func TestAnsibleFilesAreYAML(t *testing.T) {
	for _, pattern := range []string{"ansible/*.yml", "ansible/group_vars/*.yml", role + "*/*.yml"} {
		paths, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, paths, pattern)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			var v any
			require.NoError(t, yaml.Unmarshal(text, &v), path)
			require.NotNil(t, v, path)
		}
	}
}
