package cli

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/cli/manual"
	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/release"
)

// What a release build sets with -ldflags -X. Other builds take these values from Go's build information, if it has them.
var (
	Version = "" // with the v, as in v0.1.0
	Commit  = "" // the whole hash
	Date    = "" // of the commit, RFC 3339
)

type versionInfo struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"` // built from files that differ from the revision
	Date     string `json:"date,omitempty"`     // of the revision
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// versionCheck is the answer of vperf version --check.
type versionCheck struct {
	versionInfo
	Latest    string `json:"latest"`
	LatestURL string `json:"latestURL"`
	Outdated  *bool  `json:"outdated"` // null: this build is no release
}

func newVersion(f *Factory) *cobra.Command {
	var output string
	var check bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print version information",
		Long: `Print the version of vperf, the commit and its date, the version of Go and the
platform.

--check asks the project's release page for the latest release. It is the only
command that contacts the project, and only if you type --check.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			v := thisVersion()
			if check {
				return checkVersion(f, c, v, output)
			}
			return printVersion(f, v, v.String(), output)
		},
	}
	c.Flags().BoolVar(&check, "check", false, "ask the project's release page for the latest release")
	config.OnlyTyped(c.Flags(), "check")
	textOrData(f, c, &output, "text")
	return c
}

func printVersion(f *Factory, data any, text, output string) error {
	if output == "json" {
		return json.NewEncoder(f.IO.Out).Encode(data)
	}
	_, err := fmt.Fprintln(f.IO.Out, text)
	return err
}

func checkVersion(f *Factory, c *cobra.Command, v versionInfo, output string) error {
	latest, err := release.Ask(c.Context(), f.ReleasePage)
	if err != nil {
		return err
	}
	found := versionCheck{versionInfo: v, Latest: latest.Version, LatestURL: latest.URL}
	verdict := "This build is not a release. The latest release is " + latest.Version + ": " + latest.URL
	if release.IsRelease(v.Version) {
		outdated := latest.IsNewer(v.Version)
		found.Outdated = &outdated
		verdict = "This is the latest release."
		if outdated {
			verdict = "A newer release is available: " + latest.Version + ", " + latest.URL
		}
	}
	return printVersion(f, found, v.String()+"\n"+verdict, output)
}

// String is the version as `vperf version` and `vperf --version` print it.
func (v versionInfo) String() string {
	details := []string{v.Go, v.Platform}
	if v.Revision != "" {
		commit := "commit " + v.Revision[:min(len(v.Revision), 12)]
		if v.Modified {
			commit += " with changes"
		}
		if day, _, ok := strings.Cut(v.Date, "T"); ok {
			commit += " of " + day
		}
		details = append([]string{commit}, details...)
	}
	return fmt.Sprintf("vperf %s (%s)", v.Version, strings.Join(details, ", "))
}

func thisVersion() versionInfo {
	v := versionInfo{Version: Version, Revision: Commit, Date: Date, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		v.fill(info)
	}
	return v
}

// fill adds what a release build did not set.
func (v *versionInfo) fill(info *debug.BuildInfo) {
	if v.Version == "" {
		v.Version = info.Main.Version
	}
	if v.Revision != "" {
		return
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.time":
			v.Date = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
}

func newMan(f *Factory) *cobra.Command {
	v := thisVersion()
	return manual.Command(f.IO, func() (manual.Edition, error) { return manual.EditionOf(v.Version, v.Date) }, usage)
}
