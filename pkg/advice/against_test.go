package advice

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestConjuncts(t *testing.T) {
	for source, want := range map[string][]string{
		`a > 1`:                        {`a > 1`},
		"a > 1 &&\n  b":                {`a > 1`, `b`},
		`(a && b) && c.all(x, x && y)`: {`(a && b)`, `c.all(x, x && y)`},
		`a && b || c`:                  {`a && b || c`},
		`a ? b && c : d`:               {`a ? b && c : d`},
		`a == "x && y" && b`:           {`a == "x && y"`, `b`},
		`a == ')' && b`:                {`a == ')'`, `b`},
		`[a, b].exists(x, x || y) && findings["z"]`: {`[a, b].exists(x, x || y)`, `findings["z"]`},
	} {
		require.Equal(t, want, conjuncts(source), source)
	}
}
