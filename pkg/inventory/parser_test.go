package inventory

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// TestParserGivesWhatJSONGives: what the parser accepts, encoding/json accepts too, with the same values.
func TestParserGivesWhatJSONGives(t *testing.T) {
	t.Parallel()
	for text, accepted := range map[string]bool{
		`{}`: true,
		`{"id": "vm-1", "name": "web", "tags": ["a", "b"], "attributes": {"vperf.profile": "latency"}}`:                       true,
		`{"vcpus": 4, "cpuHotAdd": false, "cpuAffinity": [], "cpuLimitMHz": -1, "powerState": ""}`:                            true,
		`{"evcMode": {"$absent": true}, "vcpus": {"$unread": "no permission"}, "vmx": {}}`:                                    true,
		"{\n \"disks\": [\n  {\n   \"key\": 2000,\n   \"lunUuid\": {\n    \"$absent\": true\n   }\n  }\n ]\n}":                true,
		`{"bootTime": "2026-01-18T06:00:00Z", "live": {"cpu.ready": {"median": 1.5, "p95": 2, "worst": 3e1, "samples": 20}}}`: true,
		`{"name": "öß 😀"}`: true,

		`{"name": "a\"b"}`:                    false,
		`{"n\u0061me": "a"}`:                  false,
		`{"Name": "a"}`:                       false,
		`{"name": "a", "name": "b"}`:          false,
		`{"name": null}`:                      false,
		`{"vcpus": null}`:                     false,
		`{"vcpus": 1.0}`:                      false,
		`{"vcpus": 01}`:                       false,
		`{"vcpus": "4"}`:                      false,
		`{"vcpus": 9223372036854775808}`:      false,
		`{"cpuHotAdd": TRUE}`:                 false,
		`{"evcMode": {"$absent": false}}`:     false,
		`{"evcMode": {"$unread": 1}}`:         false,
		`{"disks": [null]}`:                   false,
		`{"disks": [{"key": 1}, {"kay": 1}]}`: false,
		`{"vmx": {"a": "1", "a": "2"}}`:       false,
		`{"other": 1}`:                        false,
		`{"vcpus": 4,}`:                       false,
		`{"vcpus": 4} {}`:                     false,
		`{"tags": ["a" "b"]}`:                 false,
		"{\"name\": \"\xff\"}":                false,
		"{\"name\": \"a\tb\"}":                false,
		`{"bootTime": "yesterday"}`:           false,
		`{`:                                   false,
		`[]`:                                  false,
	} {
		var fast, want VM
		p := parser{text: []byte(text), shared: newSharedValues()}
		require.Equal(t, accepted, p.value(&fast) && p.ended(), text)
		if accepted {
			require.NoError(t, strictly([]byte(text), &want), text)
			require.Equal(t, want, fast, text)
		}
	}
}

// TestFactsAreParsedAsJSON: facts decode themselves for encoding/json, so their values are compared with it one by one.
func TestFactsAreParsedAsJSON(t *testing.T) {
	t.Parallel()
	sameValue[[]string](t, `[]`, `["a", ""]`, `[null]`, `["\n"]`, `{}`)
	sameValue[[]int64](t, `[]`, `[1,-2 , 3]`, `[1.5]`, `[1,]`)
	sameValue[map[string]string](t, `{}`, `{"a": "1", "b": ""}`, `{"a": 1}`, `{"a": "1", "a": "2"}`)
	sameValue[[]NUMAHome](t, `[{"nodes": [0, 1], "samples": 3}]`, `[{"nodes": null}]`, `[{}]`)
	sameValue[map[string]Series](t, `{"a": {"median": 1e-3, "samples": 2, "worstAt": "2026-01-18T06:00:00Z"}}`, `{"a": {"Median": 1}}`)
	sameValue[[]*MemoryTier](t, `[]`, `[{}, {}]`)
	sameValue[float64](t, `1.5 `, `true`)
	sameValue[*int64](t, `7`, `null`)
}

func sameValue[T any](t *testing.T, texts ...string) {
	t.Helper()
	accepted := 0
	for _, text := range texts {
		var fast, want T
		if p := (parser{text: []byte(text)}); !p.value(&fast) || !p.ended() {
			continue
		}
		accepted++
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		require.NoError(t, d.Decode(&want), text)
		require.Equal(t, want, fast, text)
	}
	require.Positive(t, accepted)
}

// TestLoadFindsTheEndsOfObjects: neither the sizes of reads nor unusual objects change what is loaded.
func TestLoadFindsTheEndsOfObjects(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	require.NoError(t, Save(&b, fleet()))
	good := b.String()
	for name, text := range map[string]string{
		"as it was saved": good,
		"compact":         compact(t, good),
		"an escape":       strings.Replace(good, `"web-02"`, `"w\u0065b-02"`, 1),
		"a long text":     strings.Replace(good, `"source"`, strings.Repeat(" ", 300_000)+`"source"`, 1),
		"a large object":  strings.Replace(good, `"web-02"`, strings.Repeat(" ", 300_000)+`"web-02"`, 1),
		"other names":     strings.Replace(good, `"hostId"`, `"HostID"`, 1),
	} {
		s, err := Load(strings.NewReader(text))
		require.NoError(t, err, name)
		require.Equal(t, fleet(), s, name)
	}
	s, err := Load(iotest.OneByteReader(strings.NewReader(good)))
	require.NoError(t, err)
	require.Equal(t, fleet(), s)
}

// TestLoadOfAPart: a file that ends anywhere is reported as cut off, and one that cannot be read with the reason.
func TestLoadOfAPart(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	require.NoError(t, Save(&b, fleet()))
	good := strings.TrimSpace(b.String())
	for n := range len(good) {
		_, err := Load(strings.NewReader(good[:n]))
		require.ErrorContains(t, err, "the file ends in the middle", n)
	}
	_, err := Load(io.MultiReader(strings.NewReader(good[:len(good)/2]), iotest.ErrReader(iotest.ErrTimeout)))
	require.ErrorIs(t, err, iotest.ErrTimeout)
	for _, wrong := range []string{`7`, `"a"`, `[]`, `{"hostId":}`, `{]}`, `{"id":"a"}}`} {
		_, err := Load(strings.NewReader(`{"schema":"vperf.snapshot/v1","vcenters":[{"vms":[{"id":"a"},` + wrong + `,{"id":"b"}]}]}`))
		require.Error(t, err, wrong)
	}
	_, err = Load(strings.NewReader(`{"schema":"vperf.snapshot/v1","vcenters":[{"vms":[{"id":"a"}],"hosts":7}]}`))
	require.ErrorContains(t, err, "after 71 bytes there is no list")
}

func compact(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, json.Compact(&b, []byte(text)))
	return b.String()
}

// BenchmarkLoad loads 1,000 VMs with a device each.
func BenchmarkLoad(b *testing.B) {
	s := fleet()
	for range 10 - 2 {
		s.VCenters[0].VMs = append(s.VCenters[0].VMs, s.VCenters[0].VMs[:min(len(s.VCenters[0].VMs), 500)]...)
	}
	var text bytes.Buffer
	require.NoError(b, Save(&text, s))
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Load(bytes.NewReader(text.Bytes())); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(s.VCenters[0].VMs)), "VMs/op")
}
