package advice

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice/internal/mark"
)

func TestGlobs(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"web-01", "WEB-01", true},
		{"web-01", "web-011", false},
		{"web-*", "web-", true},
		{"web-*", "my-web-01", false},
		{"web-0?", "web-01", true},
		{"web-0?", "web-0", false},
		{"*", "", true},
		{"/dc/vm/*", "/dc/vm/prod/web-01", true},
		{"[prod] *", "[prod] db", true},
		{"[prod] *", "p db", false},
		{"a.c*", "abc", false},
		{`a\*`, `a\b`, true},
		{"two*lines", "two\nlines", true},
		{"bad\xff*", "bad", false},
	} {
		require.Equal(t, c.want, mark.NewGlob(c.pattern).Matches(c.name), "%q of %q", c.pattern, c.name)
	}
	require.True(t, mark.NewGlob("b*").Matches("a", "bc"))
}

// TestEveryScopeHasABearer: objects of a scope without an entry would lose their tags.
func TestEveryScopeHasABearer(t *testing.T) {
	for _, s := range Scopes() {
		require.NotEmpty(t, mark.TaggedTypes[s], s)
	}
}
