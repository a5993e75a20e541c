package change

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
)

// Everything except the one option stays unchanged, blank for blank.
func TestOneOptionOfAModule(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		before valueFact
		value  valueFact
		want   string
		back   string // after the inverse
	}{
		"changed in its place":    {"a=1  RSS=4,4 b=2 ", aText("4,4"), aText("8"), "a=1  RSS=8 b=2 ", "a=1  RSS=4,4 b=2 "},
		"added to none":           {"", noValue(), aText("4"), "RSS=4", ""},
		"added to others":         {"a=1", noValue(), aText("4"), "a=1 RSS=4", "a=1"},
		"added after a blank":     {" a=1 ", noValue(), aText("4"), " a=1  RSS=4", " a=1 "},
		"the only one removed":    {"RSS=4", aText("4"), noValue(), "", "RSS=4"},
		"the last one removed":    {"a=1 RSS=4", aText("4"), noValue(), "a=1", "a=1 RSS=4"},
		"the first one removed":   {"RSS=4 a=1", aText("4"), noValue(), "a=1", "a=1 RSS=4"},
		"one of several removed":  {"a=1 RSS=4 b=2", aText("4"), noValue(), "a=1 b=2", "a=1 b=2 RSS=4"},
		"removed and never there": {"DRSS=4", noValue(), noValue(), "DRSS=4", "DRSS=4"},
		"not another's part":      {"DRSS=4 RSS_X=1", noValue(), aText("2"), "DRSS=4 RSS_X=1 RSS=2", "DRSS=4 RSS_X=1"},
		"empty is a value":        {"RSS= a=1", aText(""), aText("2"), "RSS=2 a=1", "RSS= a=1"},
		"a value with a sign":     {"x=a=b", noValue(), aText("c=d"), "x=a=b RSS=c=d", "x=a=b"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.before, optionOf("RSS")(c.text))
			text, err := withOption(c.text, "RSS", c.value)
			require.NoError(t, err)
			require.Equal(t, c.want, text)
			require.Equal(t, c.value, optionOf("RSS")(text))
			text, err = withOption(text, "RSS", c.before)
			require.NoError(t, err)
			require.Equal(t, c.back, text)
		})
	}
}

func TestModuleStringsThatAreLeftAlone(t *testing.T) {
	for text, why := range map[string]string{
		`RSS="4 4"`:   "contain quotes",
		`RSS=4 a='b'`: "contain quotes",
		`RSS a=1`:     "has no value",
		`RSS=4 RSS=8`: "more than once",
	} {
		_, state, reason := optionOf("RSS")(text).Get()
		require.Equal(t, inventory.StateUnread, state)
		require.Contains(t, reason, why)
		_, err := withOption(text, "RSS", aText("1"))
		require.ErrorContains(t, err, why)
	}
	_, err := withOption("a=1", "RSS", aText("1 b=2"))
	require.ErrorContains(t, err, `"RSS=1 b=2" is not one option of a module`)
	_, err = withOption("a=1", "RSS", valueFact{})
	require.ErrorIs(t, err, errNoValue)
}

// An option that is not in the string is "" in rules.
func TestEmptyOptionOfADriverGoes(t *testing.T) {
	p := driverPreview(assign("driver-options/RSS", mellanox, ""), aText("4"))
	require.Equal(t, noValue(), p.After)
	require.Empty(t, p.Refused)
}

// A value that could not be restored is not replaced.
func TestOptionThatCouldNotGoBack(t *testing.T) {
	p := driverPreview(assign("driver-options/RSS", mellanox, "4"), aText("4\x01"))
	require.Equal(t, `its value is "4", which vperf could not restore`, p.Refused)
}
