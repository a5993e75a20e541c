package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/iostreams"
)

// A renamed flag would silently lose its completion words.
func TestFlagsOfferTheirWords(t *testing.T) {
	io, _, _ := iostreams.Test()
	root := newRoot(NewFactory(io))
	for command, flags := range map[string]string{
		"audit":      "category profile severity fail-on output rule context",
		"plan":       "category profile output rule set context",
		"apply":      "category profile output rule set allow on-error context",
		"rollback":   "output allow context",
		"snapshot":   "context scenario",
		"top":        "source panel cluster context scenario",
		"sim":        "scenario",
		"rules lint": "output",
		"rules list": "category scope profile activation output",
		"rules new":  "scope category",
	} {
		c, _, err := root.Find(strings.Fields(command))
		require.NoError(t, err)
		for flag := range strings.FieldsSeq(flags) {
			_, offered := c.GetFlagCompletionFunc(flag)
			require.True(t, offered, "%s --%s", command, flag)
		}
	}
}
