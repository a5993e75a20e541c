package change

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// FuzzModuleOptions sets one option in an arbitrary string of options. The option then has that value, the others are unchanged,
// and undoing the change restores the string.
func FuzzModuleOptions(f *testing.F) {
	for _, s := range [][3]string{
		{"RSS=4 DRSS=4", "RSS", "8,8"}, {"", "a", "1"}, {"  RSS=4\t x ", "RSS", ""}, {"RSS", "RSS", "1"}, {"RSS=1 RSS=2", "RSS", "3"},
		{`a="b c"`, "a", "1"}, {"a=b=c", "a", "=x"}, {"=1", "", "2"}, {"A=1", "a", "2"}, {"a=1  b=2", "b", "3"}, {"a=\u00a01", "a", "\u2003"},
	} {
		f.Add(s[0], s[1], s[2])
	}
	f.Fuzz(func(t *testing.T, text, key, value string) {
		a := assign("driver-options/"+key, "m", value)
		before := optionOf(key)(text)
		p := driverPreview(a, before)
		_, state, _ := before.Get()
		if p.Refused != "" || state == inventory.StateUnread {
			return
		}
		after, err := withOption(text, key, p.After)
		require.NoError(t, err)
		require.Equal(t, p.After, optionOf(key)(after), "%q", after)
		require.Equal(t, otherOptions(text, key), otherOptions(after, key))
		back, err := withOption(after, key, before)
		require.NoError(t, err)
		require.Equal(t, before, optionOf(key)(back))
		require.Equal(t, otherOptions(text, key), otherOptions(back, key))
		if removed, _, _ := p.After.Get(); removed.Text != "" {
			require.Equal(t, text, back, "the undo restored the string")
		}
	})
}

// otherOptions returns all options of a string except one, in order.
func otherOptions(text, key string) []string {
	return slices.DeleteFunc(strings.Fields(text), func(w string) bool {
		k, _, _ := strings.Cut(w, "=")
		return k == key
	})
}

// FuzzNumbers parses an arbitrary list of CPUs. The parsed list is formatted as a sorted set with the same meaning.
func FuzzNumbers(f *testing.F) {
	for _, s := range []string{"0-3,8", "0 1 2", "", ",,", "5,3-4,4", "-1", "0-", "0-99999999", "4-3", "+1", "2147483647", "2147483648", "0x1", "1_0", "٣"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		all, err := numbers(text)
		if err != nil {
			require.Nil(t, all)
			return
		}
		v := numbersValue(all)
		again, err := numbers(v.Text)
		require.NoError(t, err)
		require.True(t, slices.IsSorted(again))
		require.Equal(t, v, numbersValue(again))
		for _, n := range all {
			require.Equal(t, n, int64(int32(n)), "as it is sent")
			require.Contains(t, again, n)
		}
		require.Subset(t, all, again)
		require.True(t, tuning.Same(tuning.Address{Setting: "vm-cpu-affinity"}, inventory.Known(v), inventory.Known(numbersValue(again))))
	})
}
