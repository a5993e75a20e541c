package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// hint is what to type about an error of a library, which knows no commands and no flags.
func hint(err error) string {
	var (
		param  *advice.UnknownParamError
		value  *advice.ParamValueError
		schema *inventory.SchemaError
		stale  *tuning.StaleError
		two    *tuning.ConflictError
		run    *tuning.UnknownRunError
	)
	switch {
	case errors.As(err, &param) && len(param.Params) > 0:
		choices := make([]string, len(param.Params))
		for i, p := range param.Params {
			choices[i] = fmt.Sprintf("--set %s.%s=VALUE", param.Rule, p)
		}
		return "; there is " + strings.Join(choices, ", ")
	case errors.As(err, &value):
		return fmt.Sprintf("; type for example --set %s.%s=%v", value.Rule, value.Param, value.Example)
	case errors.As(err, &schema):
		return fmt.Sprintf(" (%s writes one)", writers[schema.Want])
	case errors.As(err, &stale):
		return "\nmake a new one with vperf plan"
	case errors.Is(err, tuning.ErrEdited):
		return "; make a new one with vperf plan"
	case errors.As(err, &two):
		return "; choose one with --rule"
	case errors.As(err, &run):
		return "; vperf history list shows all"
	}
	return ""
}

// writers are the commands that write files, by their schemas.
var writers = map[string]string{
	inventory.SnapshotSchema: "vperf snapshot --out FILE",
	advice.BaselineSchema:    "vperf audit --write-baseline FILE",
	tuning.PlanSchema:        "vperf plan -o json=FILE",
}
