package config

import (
	"errors"
	"fmt"
	"slices"
)

// Choice is a context to use, or none.
type Choice struct {
	*Context // nil: only flags and variables apply

	file string
	// named is true if the command line names it.
	named bool
}

// ErrNoContexts means that all contexts were requested and there are none.
var ErrNoContexts = errors.New("there are no contexts; add one with vperf context add")

// NoContext is the value of VPERF_CONTEXT that means no context, whatever the config file says. It is not a valid
// context name.
const NoContext = "--none"

// Choose finds the contexts to use: those named, or all, each once; else the one in VPERF_CONTEXT, else the current
// one, else a single Choice without a context. VPERF_CONTEXT=--none selects none.
func (f *File) Choose(names []string, all bool) ([]Choice, error) {
	if all {
		names = f.Names()
		if len(names) == 0 {
			return nil, fmt.Errorf("%s: %w", f.Path, ErrNoContexts)
		}
	}
	if len(names) == 0 {
		c, err := f.usual()
		return []Choice{c}, err
	}
	var chosen []Choice
	for i, name := range names {
		c, err := f.Find(name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(names[:i], name) {
			chosen = append(chosen, Choice{Context: c, file: f.Path, named: true})
		}
	}
	return chosen, nil
}

func (f *File) usual() (Choice, error) {
	env, err := environment(ownPrefix)
	if err != nil {
		return Choice{}, err
	}
	name := env.GetString(keyContext)
	if name == NoContext || name == "" && f.Current == "" {
		return Choice{}, nil
	}
	if name == "" {
		name = f.Current
	}
	c, err := f.Find(name)
	if err != nil {
		return Choice{}, fmt.Errorf("%s: %w", variable(ownPrefix, keyContext), err)
	}
	return Choice{Context: c, file: f.Path}, nil
}
