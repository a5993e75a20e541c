package probe

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
)

func table(t *testing.T) *inventory.OptionTable {
	t.Helper()
	out, err := inventory.ParseOptionTable("releases  8.0U3 8.0U3g 9.0.1\nNet.A  all: 1 [0..1]\nNet.B  8.0U3: 2; 8.0U3g-9.0.1: 3\nNet.C  all: rbc\nNet.D  all: True\n")
	require.NoError(t, err)
	return out
}

// host of a probe that defines all options of the table but Net.D.
func host(version string) Host {
	return Host{Name: "host-1", Version: version, Build: "123", OptionsRead: true, Options: []Option{
		{Key: "Net.A", Type: "long", Default: new("1"), Min: new(int64(0)), Max: new(int64(1))},
		{Key: "Net.B", Type: "int", Default: new("4")},
		{Key: "Net.C", Type: "string", Default: new("rbc")},
		{Key: "Net.New", Type: "bool", Default: new("true")},
	}, Calls: []Call{
		{Name: "QueryModules", Outcome: Answered}, {Name: "QueryServiceList Esxtop", Outcome: Skipped, Fault: "NotOffered"},
		{Name: "esxcli a b", Outcome: Refused, Fault: "NoPermission"}, {Name: "odd; name", Outcome: Answered}, {Name: "X", Outcome: Unanswered},
	}}
}

func loaded(path string, hosts ...Host) *Loaded {
	return &Loaded{File: &File{Schema: Schema, Hosts: hosts}, Path: path, Digest: "sha256:" + path}
}

func none(t *testing.T) *Capabilities {
	t.Helper()
	c, err := ParseCapabilities("")
	require.NoError(t, err)
	return c
}

func TestImportOfANewRelease(t *testing.T) {
	t.Parallel()
	x, err := Import(table(t), none(t), []*Loaded{loaded("a", host("9.1.0"))}, "")
	require.NoError(t, err)
	require.Equal(t, []string{"9.1.0"}, x.Added)
	require.Equal(t, "releases  8.0U3 8.0U3g 9.0.1 9.1.0\nprobe  9.1.0 123 sha256:a\n\nNet.A  all: 1 [0..1]\nNet.B  8.0U3: 2; 8.0U3g-9.0.1: 3; 9.1.0: 4\n"+
		"Net.C  all: rbc\nNet.D  8.0U3-9.0.1: True; 9.1.0: absent\n", x.Table.String())
	require.Equal(t, []Note{
		{NoteAdded, "9.1.0", "", "4 options of 4, from a host-1"},
		{NoteUnknown, "9.1.0", "", "1 tuning options that the table does not have, in no release: Net.New"},
	}, x.Notes)
	require.Equal(t, []string{"QueryModules", "QueryServiceList Esxtop"}, x.Capabilities.Calls(), "a missing privilege says nothing about a release")
	outcome, _ := x.Capabilities.At("QueryServiceList Esxtop", "9.1.0")
	require.Equal(t, "NotOffered", outcome)

	again, err := ParseCapabilities(x.Capabilities.String())
	require.NoError(t, err)
	require.Equal(t, x.Capabilities, again)

	// The same again, and another that contradicts: nothing is overwritten.
	y, err := Import(x.Table, x.Capabilities, []*Loaded{loaded("a", host("9.1.0"))}, "")
	require.NoError(t, err)
	require.Equal(t, NoteAgrees, y.Notes[0].Kind)
	other := host("9.1.0")
	other.Options[1].Default, other.Calls[0] = new("5"), Call{Name: "QueryModules", Outcome: Refused, Fault: "NotSupported"}
	y, err = Import(x.Table, x.Capabilities, []*Loaded{loaded("b", other)}, "")
	require.NoError(t, err)
	require.Equal(t, x.Table, y.Table)
	require.Equal(t, 2, y.Conflicts())
	require.Contains(t, y.Notes, Note{NoteConflict, "9.1.0", "Net.B", "the table: 4; b host-1: 5"})
	require.Contains(t, y.Notes, Note{NoteConflict, "9.1.0", "QueryModules", "the table: answered; b host-1: NotSupported"})
}

func TestImportLeavesOutWhatIsUnclear(t *testing.T) {
	t.Parallel()
	a, b := host("9.1.0"), host("9.1.0")
	b.Options[0].Max = new(int64(2))
	a.Options[2] = Option{Key: "Net.C", Type: "string", Hidden: true}
	a.Options[1] = Option{Key: "Net.B", Type: "string", Default: new("rbc")}
	x, err := Import(table(t), none(t), []*Loaded{loaded("a", a), loaded("b", b)}, "")
	require.NoError(t, err)
	require.Equal(t, 1, x.Conflicts())
	require.Contains(t, x.Notes, Note{NoteConflict, "9.1.0", "Net.A", "a host-1: 1 [0..1]; b host-1: 1 [0..2]"})
	for _, key := range []string{"Net.A", "Net.B", "Net.C"} {
		d, _ := x.Table.Lookup(key)
		_, ok := d.At("9.1.0")
		require.False(t, ok, key)
	}
	d, _ := x.Table.Lookup("Net.D")
	e, ok := d.At("9.1.0")
	require.True(t, ok && e.Absent)
	require.Len(t, x.Table.Sources(), 2)

	unread := host("9.1.0")
	unread.OptionsRead = false
	x, err = Import(table(t), none(t), []*Loaded{loaded("a", unread)}, "")
	require.NoError(t, err)
	require.Empty(t, x.Added, "without its options, none of them is absent")
}

func TestImportComparesWithTheShippedTable(t *testing.T) {
	t.Parallel()
	h := host("8.0.3")
	h.Options[1].Default = new("3")
	h.Options = append(h.Options, Option{Key: "Net.D", Type: "bool", Default: new("true")})
	x, err := Import(table(t), none(t), []*Loaded{loaded("a", h)}, "")
	require.NoError(t, err)
	require.Equal(t, []Note{{NoteAgrees, "8.0U3g", "", "the table has this release, and agrees with a host-1"}}, x.Notes)
	require.Equal(t, table(t), x.Table)

	x, err = Import(table(t), none(t), []*Loaded{loaded("a", h)}, "8.0U3h")
	require.NoError(t, err)
	require.Equal(t, []string{"8.0U3", "8.0U3g", "8.0U3h", "9.0.1"}, x.Table.Releases())

	_, err = Import(table(t), none(t), []*Loaded{loaded("a", h, host("9.1.0"))}, "8.0U3h")
	require.ErrorContains(t, err, "versions 8.0.3 and 9.1.0: one release cannot be both")
	_, err = Import(table(t), none(t), []*Loaded{loaded("a", h)}, "next\nrelease")
	require.Error(t, err)
}

func TestReleaseNames(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{"9.1.0": "9.1.0", "9.0.0": "9.0.0", "8.0.3": "8.0U3", "7.0.0": "7.0", "6.7.0": "6.7U3"} {
		h := Host{Version: version, Update: "3"}
		got, err := h.ReleaseName()
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := (&Host{Version: "6.7.0"}).ReleaseName()
	require.ErrorContains(t, err, "did not report its update level")
	_, err = (&Host{}).ReleaseName()
	require.ErrorContains(t, err, "did not report its version")
}

func TestShippedCapabilities(t *testing.T) {
	t.Parallel()
	require.NotNil(t, ShippedCapabilities())
	for _, wrong := range []string{"a: b", "call  9.1.0", "call  9.1.0: maybe", "c;d  9.1.0: answered", "c  9.1.0: answered\nc  9.1.0: answered"} {
		_, err := ParseCapabilities(wrong)
		require.Error(t, err, wrong)
	}
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"":                             "it is not a probe file",
		"{}":                           "the field schema is missing",
		`{"schema": "vperf.audit/v1"}`: `its schema is "vperf.audit/v1"`,
		`{"schema": "vperf.probe/v1", "hosts": [{"name": "esx01.example.com"}]}`:                                "want host-NUMBER",
		`{"schema": "vperf.probe/v1", "hosts": [{"name": "host-1", "version": "9.1.0; 9.2"}]}`:                  "version",
		`{"schema": "vperf.probe/v1", "hosts": [{"name": "host-1", "build": "1 simulated"}]}`:                   "want a number",
		`{"schema": "vperf.probe/v1", "hosts": [{"name": "host-1", "options": [{"key": "Net.A\nNet.B"}]}]}`:     "want a key",
		`{"schema": "vperf.probe/v1", "hosts": [{"name": "host-1", "options": [{"key":"A.B"},{"key":"A.B"}]}]}`: "option A.B is duplicated",
	} {
		_, err := Load(strings.NewReader(file), "x.json")
		require.ErrorContains(t, err, want, file)
		require.ErrorContains(t, err, "x.json")
	}
}

func TestWriteIsRead(t *testing.T) {
	t.Parallel()
	f := &File{Schema: Schema, Counters: []Counter{{Name: "a.b.c"}}, Hosts: []Host{host("9.1.0")}, Server: Server{Calls: []Call{{Name: `odd } ] "`}}}}
	var b bytes.Buffer
	require.NoError(t, Write(&b, f))
	require.Contains(t, b.String(), `        {"key": "Net.A", "type": "long", "default": "1", "min": 0, "max": 1},`+"\n")
	l, err := Load(&b, "x")
	require.NoError(t, err)
	require.Equal(t, f, l.File)
	require.Len(t, l.Digest, len("sha256:")+64)
}

// FuzzProbe: anybody may have written a probe file. Whatever is imported from it can be read again.
func FuzzProbe(f *testing.F) {
	var b bytes.Buffer
	if err := Write(&b, &File{Schema: Schema, Hosts: []Host{host("9.1.0"), host("8.0.3")}}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.String())
	f.Add(`{"schema":"vperf.probe/v1","hosts":[{"name":"host-1","version":"9.9.9","optionsRead":true,"options":[{"key":"Net.C","type":"string","default":"x; y: z"}]}]}`)
	f.Fuzz(func(t *testing.T, file string) {
		l, err := Load(strings.NewReader(file), "x")
		if err != nil {
			return
		}
		_ = Summary(l)
		x, err := Import(inventory.ShippedOptions(), ShippedCapabilities(), []*Loaded{l}, "")
		if err != nil {
			return
		}
		again, err := inventory.ParseOptionTable(x.Table.String())
		if err != nil || again.String() != x.Table.String() {
			t.Fatalf("the table of an import cannot be read again: %v", err)
		}
		if _, err := ParseCapabilities(x.Capabilities.String()); err != nil {
			t.Fatal(err)
		}
	})
}
