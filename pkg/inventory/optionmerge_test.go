package inventory

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOptionTableIsWrittenAsItWasRead(t *testing.T) {
	require.Equal(t, optionText, ShippedOptions().Rewrite(optionText))
	again, err := ParseOptionTable(ShippedOptions().String())
	require.NoError(t, err)
	require.Equal(t, ShippedOptions(), again)
}

func TestAddRelease(t *testing.T) {
	old, err := ParseOptionTable("# head\nreleases  8.0 9.0.1\n\nA.B  all: 1 [0..1]\nA.C  all: 5\nA.D  8.0: absent; 9.0.1: True\nA.E  all: word\n")
	require.NoError(t, err)
	one, zero := int64(1), int64(0)
	from := OptionSource{Release: "9.1.0", Build: "25100000", Digest: "sha256:ab"}
	added, err := old.AddRelease("9.1.0", map[string]OptionEra{
		"A.B": {Default: LongValue(1), Min: &zero, Max: &one}, "A.C": {Default: LongValue(6)}, "A.D": {Absent: true},
	}, from)
	require.NoError(t, err)
	const want = "# head\nreleases  8.0 9.0.1 9.1.0\nprobe  9.1.0 25100000 sha256:ab\n\nA.B  all: 1 [0..1]\nA.C  8.0-9.0.1: 5; 9.1.0: 6\n" +
		"A.D  8.0: absent; 9.0.1: True; 9.1.0: absent\nA.E  8.0-9.0.1: word\n"
	require.Equal(t, want, added.Rewrite("# head\nreleases  8.0 9.0.1\n\nA.B  all: 1 [0..1]\nA.C  all: 5\nA.D  8.0: absent; 9.0.1: True\nA.E  all: word\n"))
	require.Equal(t, []string{"8.0", "9.0.1"}, old.Releases(), "the old table is unchanged")
	require.Empty(t, old.Sources())
	again, err := ParseOptionTable(want)
	require.NoError(t, err)
	require.Equal(t, added, again)
	d, _ := added.Lookup("A.E")
	_, ok := d.At("9.1.0")
	require.False(t, ok, "of a key without a definition, the table says nothing")

	middle, err := added.AddRelease("8.0U3", map[string]OptionEra{"A.C": {Default: LongValue(5)}})
	require.NoError(t, err)
	require.Equal(t, []string{"8.0", "8.0U3", "9.0.1", "9.1.0"}, middle.Releases())
	d, _ = middle.Lookup("A.C")
	require.Equal(t, "9.0.1", d.Eras[0].To, "an equal definition between two others joins them")
	d, _ = middle.Lookup("A.B")
	require.Len(t, d.Eras, 2, "equal definitions on both sides of a gap stay apart")

	_, err = added.AddRelease("9.1.0", nil)
	require.ErrorContains(t, err, "release 9.1.0 is in the table")
	_, err = added.AddRelease("next", nil)
	require.Error(t, err)
	_, err = added.AddRelease("9.2.0", map[string]OptionEra{"A.B": {Default: StringValue("x")}})
	require.ErrorContains(t, err, "A.B is a long in other releases, a string in release 9.2.0")
}

func TestTableWithAnother(t *testing.T) {
	shipped, err := ParseOptionTable("releases  9.0.1\nA.B  all: 1\nA.C  all: 2\n")
	require.NoError(t, err)
	own, err := NewOptionTable([]string{"A.B", "A.Z"}).AddRelease("9.1.0", map[string]OptionEra{"A.B": {Default: LongValue(3)}, "A.Z": {Absent: true}},
		OptionSource{Release: "9.1.0", Build: "1", Digest: "sha256:x", Simulated: true})
	require.NoError(t, err)
	own, err = own.AddRelease("9.0.1", map[string]OptionEra{"A.B": {Default: LongValue(9)}})
	require.NoError(t, err)
	own, err = ParseOptionTable(own.String())
	require.NoError(t, err)
	both := shipped.With(own)
	require.Equal(t, "releases  9.0.1 9.1.0\nprobe  9.1.0 1 sha256:x simulated\n\nA.B  9.0.1: 1; 9.1.0: 3\nA.C  9.0.1: 2\n", both.String())
	require.Equal(t, []string{"9.1.0"}, both.ReleasesOf(Version{9, 1, 0}))
	require.Empty(t, shipped.ReleasesOf(Version{9, 1, 0}))
	require.True(t, shipped.Newer(Version{9, 1, 0}))
	require.False(t, both.Newer(Version{9, 1, 0}))
	require.Equal(t, []string{"6.7", "6.7U1", "6.7U2", "6.7U3"}, ShippedOptions().ReleasesOf(Version{6, 7, 0}))
	require.Equal(t, []string{"8.0U3", "8.0U3g"}, ShippedOptions().ReleasesOf(Version{8, 0, 3}))
}

// FuzzParseOptionTable: a user's own table is a file that anybody may have written.
func FuzzParseOptionTable(f *testing.F) {
	f.Add("releases  9.0.1\nprobe  9.0.1 1 sha256:x simulated\nA.B  all: 1 [0..2]\nA.C  all: \"\"\nA.D  all: True\n")
	f.Add("A.B  all: 1")
	f.Add("releases  \n")
	f.Fuzz(func(_ *testing.T, text string) {
		table, err := ParseOptionTable(text)
		if err != nil {
			return
		}
		table.Newer(Version{9, 1, 0})
		_ = ShippedOptions().With(table).String()
		for _, key := range table.Keys() {
			d, _ := table.Lookup(key)
			_, _ = d.At(table.Newest())
		}
	})
}
