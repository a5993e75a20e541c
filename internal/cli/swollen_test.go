package cli

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/iostreams"
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
				usedFrom(t, kind, path)
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

// usedFrom makes vperf use a file that no flag names.
func usedFrom(t *testing.T, kind, path string) {
	t.Helper()
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
}

// bombs are files of a few MiB that readers without limits turn into far more, or into a deep recursion.
func bombs(size int) map[string]string {
	laughs := bytes.NewBufferString("a0: &a0 [x, x, x, x, x, x, x, x, x]\n")
	for i := range 9 {
		fmt.Fprintf(laughs, "a%[2]d: &a%[2]d [%[1]s]\n", strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 9), ", "), i+1)
	}
	many := func(before, each string) string { return before + strings.Repeat(each, (size-len(before)-8)/len(each)) }
	all := map[string]string{
		"deep lists": many("", "["), "deep objects": many("", `{"a":`), "deep blocks": many("", "- "), "aliases": laughs.String(),
		"a huge number": many(`{"schema":1`, "0"), "a huge exponent": `{"schema":"vperf.snapshot/v1","takenAt":1e999999999}`,
	}
	for name, list := range map[string]string{"vcenters": "snapshot", "findings": "findings", "steps": "plan", "hosts": "probe", "waivers": "waivers", "contexts": "config"} {
		all["many empty "+name] = many(`{"schema":"vperf.`+list+`/v1","`+name+`":[`, "{},") + "{}]}"
	}
	return all
}

// mostHeap is far less than what a reader without limits needs, and more than the garbage that the collector leaves.
const mostHeap = 3 << 29

// TestProveBombs names bombs as files of every kind. Each is refused by its name, without much memory, and in time.
func TestProveBombs(t *testing.T) {
	proof.NotRaced(t)
	type bomb struct{ kind, name string }
	limits := map[string]int64{"a capture": 1 << 30}
	for _, k := range userfile.Kinds() {
		limits[k.Name] = k.Limit
	}
	var all []bomb
	readers := swollenReaders()
	delete(readers, userfile.KnownHosts.Name) // lines about other hosts are skipped
	for _, kind := range slices.Sorted(maps.Keys(readers)) {
		for _, name := range slices.Sorted(maps.Keys(bombs(1 << 10))) {
			all = append(all, bomb{kind, name})
		}
	}
	for _, x := range proof.SampleLong(t, 4, 80, all) {
		for _, command := range readers[x.kind] {
			t.Run(x.kind+", "+x.name+", "+strings.Join(command, " "), func(t *testing.T) {
				ownHome(t)
				t.Setenv("VPERF_PASSWORD", "pa55")
				path := filepath.Join(t.TempDir(), "bomb")
				require.NoError(t, os.WriteFile(path, []byte(bombs(int(min(limits[x.kind], 4<<20)))[x.name]), 0o600))
				usedFrom(t, x.kind, path)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				stop := heapWatch()
				streams, stdout, stderr := iostreams.Test()
				began := time.Now()
				code := run(ctx, NewFactory(streams), replaced(command, path))
				most := stop()
				require.NoError(t, ctx.Err(), "it takes too long")
				require.Less(t, most, uint64(mostHeap))
				require.Contains(t, []int{exitFailed, exitUsage}, code, stderr)
				require.NotContains(t, stderr.String(), "goroutine")
				require.Less(t, stderr.Len(), 64<<10)
				require.Contains(t, stdout.String()+stderr.String(), filepath.Dir(path), "the file is named")
				t.Logf("%s, %d MiB: %.200s", time.Since(began).Round(time.Millisecond), most>>20, stderr)
			})
		}
	}
}

// heapWatch returns a function that returns by how much the heap has grown at most since the call. Garbage is collected as usual
// meanwhile: tests may run with few collections.
func heapWatch() func() uint64 {
	percent := debug.SetGCPercent(100)
	runtime.GC()
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	before := sample[0].Value.Uint64()
	end, most := make(chan struct{}), make(chan uint64)
	go func() {
		largest := uint64(0)
		for {
			metrics.Read(sample)
			largest = max(largest, sample[0].Value.Uint64())
			select {
			case <-end:
				most <- largest - min(before, largest)
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}()
	return func() uint64 {
		close(end)
		debug.SetGCPercent(percent)
		return <-most
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
