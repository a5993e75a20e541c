package cli

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// Version is set when a release is built; a build from source says what Go knows of it.
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
		Short: "Say which vperf this is",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			v := thisVersion()
			switch output {
			case "text":
				fmt.Fprintf(f.IO.Out, "vperf %s (%s, %s)\n", v.Version, v.Go, v.Platform)
				return nil
			case "json":
				return json.NewEncoder(f.IO.Out).Encode(v)
			}
			return usage(fmt.Errorf("--output: no format %q; there are text, json", output), c)
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "text", "`FORMAT`: text or json")
	return c
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
