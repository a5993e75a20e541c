package sheet

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWhole(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "12": 12, "-1": -1, "\u22121": -1, "1234": 1234, "1.234": 1234, "1,234": 1234, "1 234": 1234, "1\u00a0234": 1234, "1\u202f234": 1234, "1'234": 1234,
		"1’234": 1234, "1.234.567": 1234567, "1,234,567": 1234567, "1.234,5": 1234, "1,234.5": 1234, "1 234,5": 1234, "12,5": 12, "12.50": 12, "0.125": 0, "0,125": 0,
		"1234.567": 1234567 / 1000, "-1.234": -1234, "1.6384E4": 16384, "1E3": 1000, "16384.0": 16384, "  7 ": 7,
	} {
		if text == "1234.567" { // four digits before a group of three: neither grouped nor certain
			_, ok := Whole(text)
			require.False(t, ok, text)
			continue
		}
		got, ok := Whole(text)
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", " ", "x", "1x", "0x10", "1,23,4", "1.23.456", "1,234.567,890", ",5", "5,", "--1", "1e", "1e99", "e5", "NaN", "Inf", "99999999999999999999", "1 234 MB", "٣"} {
		_, ok := Whole(text)
		require.False(t, ok, text)
	}
}

func TestBool(t *testing.T) {
	for text, want := range map[string]bool{"True": true, "FALSE": false, "WAHR": true, "Falsch": false, "vrai": true, "Faux": false, "Yes": true, "No": false} {
		got, ok := Bool(text)
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
	}
	padded, ok := Bool(" true ")
	require.True(t, ok && padded)
	for _, text := range []string{"", "0", "1", "maybe", "tru"} {
		_, ok := Bool(text)
		require.False(t, ok, text)
	}
}

func TestDate(t *testing.T) {
	want := time.Date(2025, 4, 13, 9, 5, 30, 0, time.UTC)
	for _, text := range []string{
		"2025/04/13 09:05:30", "2025-04-13 09:05:30", "13.04.2025 09:05:30", "13.4.2025 9:05:30", "13/04/2025 09:05:30", "4/13/2025 9:05:30 AM", "2025-04-13T09:05:30Z",
		"45760.37881944444",
	} {
		got, ok := Date(text)
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "3/4/2025 10:00:00", "03-04-2025", "3/4/2025 10:00:00 AM", "0001/01/01 00:00:00", "31.13.2025", "tomorrow", "12", "1e9", "NaN"} {
		_, ok := Date(text)
		require.False(t, ok, text)
	}
	same, ok := Date("04/04/2025")
	require.True(t, ok)
	require.Equal(t, time.Date(2025, 4, 4, 0, 0, 0, 0, time.UTC), same)
}

// FuzzCells checks that no text of a cell stops the parsers, and that numbers survive any grouping.
func FuzzCells(f *testing.F) {
	for _, text := range []string{"1.234,5", "1,234.5", "1 234", "WAHR", "2025/04/13 09:05:30", "-1", "", "1e5", "\xff", "45760.378"} {
		f.Add(text, int64(1234567))
	}
	f.Fuzz(func(t *testing.T, text string, n int64) {
		_, _ = Whole(text)
		_, _ = Bool(text)
		if at, ok := Date(text); ok {
			require.True(t, plausible(at), text)
		}
		for _, group := range []string{"", ".", ",", " ", "\u00a0", "\u202f", "'"} {
			digits := strconv.FormatInt(n, 10)
			if n == -n && n != 0 {
				continue // the smallest number has no positive counterpart
			}
			grouped := digits
			for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
				grouped = grouped[:i] + group + grouped[i:]
			}
			got, ok := Whole(grouped)
			require.True(t, ok, grouped)
			require.Equal(t, n, got, "%q", grouped)
		}
	})
}
