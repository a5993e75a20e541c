package mcp

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRecent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, reads := newRecent[int](), 0
		var failure error
		read := func(context.Context) (int, error) { reads++; return reads, failure }
		get := func() int {
			v, err := r.get(t.Context(), read)
			require.NoError(t, err)
			return v
		}
		require.Equal(t, 1, get())
		time.Sleep(cacheFor - time.Second)
		require.Equal(t, 1, get(), "it is recent")
		time.Sleep(time.Second)
		require.Equal(t, 2, get(), "it is a minute old")

		time.Sleep(cacheFor)
		failure = errors.New("no")
		_, err := r.get(t.Context(), read)
		require.EqualError(t, err, "no")
		failure = nil
		require.Equal(t, 4, get(), "a failure is not kept, and neither is what was before")
	})
}

// TestRecentIsSharedAndCanBeLeft: calls wait for the one that reads; one that ends does not wait.
func TestRecentIsSharedAndCanBeLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecent[int]()
		go func() {
			_, _ = r.get(t.Context(), func(context.Context) (int, error) { time.Sleep(time.Hour); return 7, nil })
		}()
		synctest.Wait()
		ended, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		never := func(context.Context) (int, error) { return 0, errors.New("read twice") }
		_, err := r.get(ended, never)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		v, err := r.get(t.Context(), never)
		require.NoError(t, err)
		require.Equal(t, 7, v)
	})
}

func TestClean(t *testing.T) {
	for from, to := range map[string]string{
		"db-01":                             "db-01",
		"a\r\n\tb":                          "a b",
		"\x1b[31mred\x1b[0m":                "[31mred[0m",
		"\u202egnp.exe":                     "gnp.exe",
		"zero\u200bwidth\u2060":             "zerowidth",
		"\U000e0069\U000e0067hidden\ufe0f":  "hidden",
		"bad\xffbyte":                       "bad\ufffdbyte",
		"Büro 東京":                           "Büro 東京",
		"para\u2029graph\u00a0space":        "para graph space",
		"123456789012345678901234567890123": "123456789012345678901234567…",
	} {
		require.Equal(t, to, clean(from, 30))
	}
	require.Equal(t, "ééééé…", clean("éééééééééé", 14), "it is cut at a character")
	require.Equal(t, "a\nb c", cleanLines("a\nb\tc\x00", 30))
	got, err := cleanJSON(map[string]any{"b\n": []any{"x\x1b", 1.5, nil, true, map[string]any{}}, "a": 12345678901234567})
	require.NoError(t, err)
	require.JSONEq(t, `{"a":12345678901234567,"b":["x",1.5,null,true,{}]}`, string(got))
}
