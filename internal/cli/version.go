package cli

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// Version is set when a release is built; a build from source reports Go's build information.
var Version = ""

type versionInfo struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func newVersion(f *Factory) *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "version",
		Short: "Print version information",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			v := thisVersion()
			if output == "json" {
				return json.NewEncoder(f.IO.Out).Encode(v)
			}
			_, err := fmt.Fprintln(f.IO.Out, v)
			return err
		},
	}
	textOrData(f, c, &output, "text")
	return c
}

// String is the version as `vperf version` and `vperf --version` print it.
func (v versionInfo) String() string {
	return fmt.Sprintf("vperf %s (%s, %s)", v.Version, v.Go, v.Platform)
}

func thisVersion() versionInfo {
	v := versionInfo{Version: Version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if v.Version == "" {
		v.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			v.Revision = s.Value
		}
	}
	return v
}
