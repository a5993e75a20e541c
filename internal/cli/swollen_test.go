package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/userfile"
)

// sparse writes a file that is large and takes no space.
func sparse(t *testing.T, path string, size int64) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.NoError(t, os.Truncate(path, size))
	return path
}

// swollenReaders are the commands that read each kind of file; %s is the file.
func swollenReaders() map[string][][]string {
	return map[string][][]string{
		userfile.Snapshot.Name:     {{"audit", "--from", "%s"}, {"advise", "--from", "%s"}, {"report", "--from", "%s", "--out", "-"}, {"diff", "%s", "%s"}},
		userfile.Baseline.Name:     {{"audit", "--demo", "--baseline", "%s"}},
		userfile.Waivers.Name:      {{"audit", "--demo", "--waivers", "%s"}},
		userfile.Rule.Name:         {{"audit", "--demo", "--rules", "%s.yaml"}, {"rules", "lint", "%s.yaml"}, {"rules", "test", "%s.yaml"}, {"explain", "x", "--rules", "%s.yaml"}},
		userfile.Config.Name:       {{"config", "show"}, {"audit", "--demo"}, {"context", "list"}},
		userfile.Table.Name:        {{"rules", "tables", "list"}, {"audit", "--demo"}},
		userfile.Settings.Name:     {{"top", "--demo", "--config", "%s"}},
		userfile.Entities.Name:     {{"top", "--demo", "--import-entity", "%s"}},
		userfile.WebConfig.Name:    {{"exporter", "--demo", "--config.check", "--web.config.file", "%s"}},
		userfile.Certificates.Name: {{"audit", "--url", "https://127.0.0.1:9", "--username", "u"}},
		userfile.KnownHosts.Name:   {{"audit", "--url", "https://127.0.0.1:9", "--username", "u"}},
		userfile.Counters.Name:     nil, // counters begin at 0: internal/exporter tests it
		userfile.Session.Name:      nil, // a session that cannot be read is made anew: internal/vsphere/session tests it
		userfile.Plan.Name:         {{"apply", "--plan", "%s", "--yes"}},
		userfile.Probe.Name:        {{"probe", "show", "%s"}, {"rules", "tables", "import", "%s"}},
		"a capture":                {{"advise", "--capture", "%s"}, {"top", "--replay", "%s", "--plain"}},
	}
}

// A file of the wrong kind, or damaged, may be of any size. No reader takes it whole: the error names the file, or its place, and the limit.
func TestSwollenFilesAreRefused(t *testing.T) {
	proof.NotRaced(t)
	limits := map[string]int64{"a capture": 1 << 30} // it has limits of its own, for lines
	for _, k := range userfile.Kinds() {
		limits[k.Name] = k.Limit
	}
	readers := swollenReaders()
	require.ElementsMatch(t, slices.Collect(maps.Keys(limits)), slices.Collect(maps.Keys(readers)), "each kind has its readers")
	for kind, commands := range readers {
		for _, command := range commands {
			t.Run(strings.Join(command, " "), func(t *testing.T) {
				ownHome(t)
				t.Setenv("VPERF_PASSWORD", "pa55")
				path := sparse(t, filepath.Join(t.TempDir(), "swollen"), limits[kind]+1)
				switch kind {
				case userfile.Rule.Name:
					require.NoError(t, os.Rename(path, path+".yaml"))
				case userfile.Config.Name:
					t.Setenv("VPERF_CONFIG", path)
				case userfile.Table.Name:
					t.Setenv("VPERF_TABLES", filepath.Dir(path))
					require.NoError(t, os.Rename(path, filepath.Join(filepath.Dir(path), "options.txt")))
				case userfile.Certificates.Name:
					t.Setenv("GOVC_TLS_CA_CERTS", path)
				case userfile.KnownHosts.Name:
					t.Setenv("GOVC_TLS_KNOWN_HOSTS", path)
				}
				code, stdout, stderr := vperf(t, replaced(command, path)...)
				require.Contains(t, []int{exitFailed, exitUsage}, code, "%s%s", stdout, stderr)
				require.Empty(t, stdout)
				require.Contains(t, stderr, filepath.Dir(path), "the file is named")
				require.Regexp(t, `larger than \d+ [KMG]i?B|longer than \d+ KiB|is no batch file|no capture|not a capture|not .*batch`, stderr)
				require.NotContains(t, stderr, "goroutine")
			})
		}
	}
}

func replaced(command []string, path string) []string {
	args := slices.Clone(command)
	for i := range args {
		args[i] = strings.Replace(args[i], "%s", path, 1)
	}
	return args
}

// bzip2OfOneLetter is 70 MiB of the letter x.
const bzip2OfOneLetter = "QlpoOTFBWSZTWbTrVKABX44AgIBAAAggADCATUZCoCWpCoCXMUFZJlNZySQz5QDSpYGAwAAAQAAIIAAgpTQZjjVCSJbFQkiXi7kinChIUHlNUgA="

// A capture that unpacks to much more than it is, as an attacker sends it, ends at the limit of what may be before its header.
// Package capture unpacks in its raced tests, too.
func TestSwollenCapturesAreRefused(t *testing.T) {
	proof.NotRaced(t)
	ownHome(t)
	packed, err := base64.StdEncoding.DecodeString(bzip2OfOneLetter)
	require.NoError(t, err)
	var zip bytes.Buffer
	z := gzip.NewWriter(&zip)
	for range 70 {
		_, err := z.Write(bytes.Repeat([]byte("x"), 1<<20))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	for name, content := range map[string][]byte{"x.csv.bz2": packed, "x.csv.gz": zip.Bytes()} {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, content, 0o600))
		requireClear(t, exitUsage, []string{path}, "advise", "--capture", path)
		requireClear(t, exitUsage, []string{path}, "top", "--replay", path, "--plain")
	}
}
