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

// TestMistakes: a mistake is reported with its place, in words that are not Go's.
func TestMistakes(t *testing.T) {
	t.Parallel()
	for vm, want := range map[string]string{
		`{"vcpus": "4"}`:                      `/vcenters/0/vms/1/vcpus: have string, want a whole number`,
		`{"vcpus": 1.5}`:                      `/vcenters/0/vms/1/vcpus: 1.5 is not a whole number`,
		`{"vcpus": 9223372036854775808}`:      `/vcenters/0/vms/1/vcpus: 9223372036854775808 is not a whole number`,
		`{"vcpus": null}`:                     `/vcenters/0/vms/1/vcpus: null is not a fact`,
		`{"vcpus": {"$absent": false}}`:       `/vcenters/0/vms/1/vcpus: have an object, want a whole number`,
		`{"evcMode": {"$unread": 1}}`:         `/vcenters/0/vms/1/evcMode: have an object, want a string`,
		`{"cpuHotAdd": 1}`:                    `/vcenters/0/vms/1/cpuHotAdd: have number, want true or false`,
		`{"disks": [{"key": 1}, {"kay": 1}]}`: `/vcenters/0/vms/1/disks/1: unknown field "kay"`,
		`{"disks": {"key": 1}}`:               `/vcenters/0/vms/1/disks: have an object, want a list`,
		`{"Name": "a"}`:                       `/vcenters/0/vms/1: unknown field "Name"`,
		`{"vmx": {"a": {"b": 1}}}`:            `/vcenters/0/vms/1/vmx/a: have an object, want a string`,
		`{"bootTime": "yesterday"}`:           `/vcenters/0/vms/1/bootTime: `,
		`{"name": "a", "name": "b"}`:          `duplicate object member name "name" within "/vcenters/0/vms/1"`,
		`{"vmx": {"a": "1", "a": "2"}}`:       `duplicate object member name "a" within "/vcenters/0/vms/1/vmx"`,
		`{"vcpus": 01}`:                       `invalid character '1'`,
		"{\"name\": \"\xff\"}":                `invalid UTF-8`,
		`7`:                                   `/vcenters/0/vms/1: have number, want an object`,
		`{]}`:                                 `invalid character ']'`,
	} {
		_, err := Load(strings.NewReader(`{"schema":"vperf.snapshot/v1","vcenters":[{"vms":[{"id":"a"},` + vm + `,{"id":"b"}]}]}`))
		require.ErrorContains(t, err, want, vm)
		require.NotContains(t, err.Error(), "inventory.", vm)
	}
}

// TestLoadOfOtherText loads the same snapshot in small reads, and with escapes and spaces. The facts are the same each time.
func TestLoadOfOtherText(t *testing.T) {
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
		_, err = Load(strings.NewReader(good[:n] + "\n")) // as an editor saves it
		require.ErrorContains(t, err, "the file ends in the middle", n)
	}
	_, err := Load(io.MultiReader(strings.NewReader(good[:len(good)/2]), iotest.ErrReader(iotest.ErrTimeout)))
	require.EqualError(t, err, "reading snapshot: timeout")
	require.ErrorIs(t, err, iotest.ErrTimeout)
	for _, wrong := range []string{`7`, `"a"`, `[]`, `{"hostId":}`, `{]}`, `{"id":"a"}}`} {
		_, err := Load(strings.NewReader(`{"schema":"vperf.snapshot/v1","vcenters":[{"vms":[{"id":"a"},` + wrong + `,{"id":"b"}]}]}`))
		require.Error(t, err, wrong)
	}
	_, err = Load(strings.NewReader(`{"schema":"vperf.snapshot/v1","vcenters":[{"vms":[{"id":"a"}],"hosts":7}]}`))
	require.ErrorContains(t, err, "/vcenters/0/hosts: have number, want a list")
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
