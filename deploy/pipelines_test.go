package deploy

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// gate is the part of a pipeline that audits: its command, its environment, and the report that the pipeline reads.
type gate struct {
	command, report string
	env             map[string]string
	all             string // the whole file
}

func githubGate(t *testing.T) (g gate) {
	t.Helper()
	const file = "pipelines/github-actions.yml"
	var f struct {
		Jobs struct {
			Audit struct {
				Steps []struct {
					Run, Uses, If string
					Env           map[string]string
					With          map[string]string
				}
			}
		}
	}
	read(t, file, &f)
	for _, s := range f.Jobs.Audit.Steps {
		switch {
		case strings.HasPrefix(s.Run, "vperf "):
			g.command, g.env = s.Run, s.Env
		case strings.Contains(s.Uses, "/upload-sarif@"):
			g.report = s.With["sarif_file"]
			require.Contains(t, s.If, "!cancelled()", "a failed gate uploads too")
		}
		if s.Uses != "" {
			require.Regexp(t, `@[0-9a-f]{40}$`, s.Uses)
		}
	}
	g.all = textOf(t, file)
	return g
}

func gitlabGate(t *testing.T) (g gate) {
	t.Helper()
	const file = "pipelines/gitlab-ci.yml"
	var f struct {
		Job struct {
			Script    []string
			Artifacts struct {
				When    string
				Reports struct{ Junit string }
			}
		} `yaml:"vsphere-audit"`
	}
	read(t, file, &f)
	require.Len(t, f.Job.Script, 1)
	require.Equal(t, "always", f.Job.Artifacts.When, "a failed gate keeps its report")
	return gate{command: f.Job.Script[0], report: f.Job.Artifacts.Reports.Junit, all: textOf(t, file)}
}

func textOf(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}

// TestPipelines runs the gates with the demo fleet: they fail with the exit status for findings, and write the report that the pipeline reads.
func TestPipelines(t *testing.T) {
	t.Parallel()
	for name, g := range map[string]gate{"github": githubGate(t), "gitlab": gitlabGate(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.NotContains(t, g.command, "password", "a password is in a variable")
			require.Contains(t, g.all, "sha256sum --check --strict")
			for _, variable := range []string{"VPERF_URL", "VPERF_USERNAME", "VPERF_PASSWORD"} {
				require.Contains(t, g.all, variable)
			}
			if g.env != nil {
				require.Equal(t, map[string]string{"VPERF_URL": "${{ vars.VPERF_URL }}", "VPERF_USERNAME": "${{ vars.VPERF_USERNAME }}", "VPERF_PASSWORD": "${{ secrets.VPERF_PASSWORD }}"}, g.env)
			}
			dir := t.TempDir()
			words := strings.Fields(g.command)
			c := exec.CommandContext(t.Context(), os.Args[0], append(words[1:], "--demo")...)
			c.Dir = dir
			c.Env = append(os.Environ(), asVperf+"=1", "VPERF_CONFIG="+filepath.Join(dir, "config.yaml"))
			out, err := c.CombinedOutput()
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit, "%s", out)
			require.Equal(t, 3, exit.ExitCode(), "%s", out)
			require.FileExists(t, filepath.Join(dir, "audit.md"))
			report, err := os.ReadFile(filepath.Join(dir, g.report))
			require.NoError(t, err)
			require.Positive(t, failures(t, report))
		})
	}
}

// failures returns the number of failures in a JUnit or SARIF report.
func failures(t *testing.T, report []byte) int {
	t.Helper()
	var suites struct {
		Failures int `xml:"failures,attr"`
	}
	if strings.HasPrefix(string(report), "<?xml") {
		require.NoError(t, xml.Unmarshal(report, &suites))
		return suites.Failures
	}
	var sarif struct {
		Runs []struct {
			Results []struct{ Locations []any }
		}
	}
	require.NoError(t, json.Unmarshal(report, &sarif))
	for _, r := range sarif.Runs[0].Results {
		require.NotEmpty(t, r.Locations, "code scanning needs a location")
	}
	return len(sarif.Runs[0].Results)
}

// TestPipelinesAreShown checks that docs/pipelines.md shows the commands of the files.
func TestPipelinesAreShown(t *testing.T) {
	page := textOf(t, "../docs/pipelines.md")
	for _, g := range []gate{githubGate(t), gitlabGate(t)} {
		require.Contains(t, page, g.command)
	}
	for _, m := range regexp.MustCompile(`vperf_([\d.]+)_linux`).FindAllStringSubmatch(githubGate(t).all+gitlabGate(t).all, -1) {
		require.Equal(t, "0.1.0", m[1])
	}
}
