package tuning

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// ErrNotPlan is returned by LoadPlan for input that is not a plan of this version, or was edited.
var ErrNotPlan = errors.New("not a vperf plan")

// ErrEdited is returned by LoadPlan for a plan that was edited after it was made. It wraps ErrNotPlan.
var ErrEdited = fmt.Errorf("%w any more: the file was edited after it was made", ErrNotPlan)

// Save writes the plan as JSON.
func (p *Plan) Save(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	if err := e.Encode(p); err != nil {
		return fmt.Errorf("writing plan: %w", err)
	}
	return nil
}

// largestPlan limits what LoadPlan reads, in bytes: a plan of ten thousand VMs has a tenth of it.
const largestPlan = 1 << 28

// mostSteps limits the steps of a plan before they are decoded: an empty one needs several hundred times its text.
const mostSteps = 200_000

// LoadPlan reads a plan that Save wrote. It refuses input that is truncated, edited, written by a newer vperf, or not a
// plan.
func LoadPlan(r io.Reader) (*Plan, error) {
	all, err := io.ReadAll(io.LimitReader(r, largestPlan+1))
	if err != nil {
		return nil, fmt.Errorf("reading plan: %w", err)
	}
	if len(all) > largestPlan {
		return nil, fmt.Errorf("%w: it is larger than %d MB", ErrNotPlan, largestPlan>>20)
	}
	if err := checkSchema(all); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(all))
	d.DisallowUnknownFields()
	p := new(Plan)
	if err := d.Decode(p); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotPlan, err)
	}
	if d.More() {
		return nil, fmt.Errorf("%w: more text after its end", ErrNotPlan)
	}
	digest, err := digestOf(all)
	if err != nil {
		return nil, err
	}
	if digest != p.Digest {
		return nil, ErrEdited
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	return p, nil
}

// checkSchema checks the schema first, so that the error for a newer file names its version instead of its first
// unknown field.
func checkSchema(b []byte) error {
	var head struct {
		Schema string            `json:"schema"`
		Steps  []json.RawMessage `json:"steps"`
	}
	err := json.Unmarshal(b, &head)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax) && syntax.Offset >= int64(len(b)):
		return fmt.Errorf("%w: the file ends in the middle (after %d bytes); save it again", ErrNotPlan, len(b))
	case err != nil:
		return fmt.Errorf("%w: %w", ErrNotPlan, err)
	case len(head.Steps) > mostSteps:
		return fmt.Errorf("%w: it has %d steps, and no plan has more than %d", ErrNotPlan, len(head.Steps), mostSteps)
	case head.Schema == PlanSchema:
		return nil
	case strings.HasPrefix(head.Schema, "vperf.plan/"):
		return fmt.Errorf("%w of this version: it is %s, this vperf reads %s; use the vperf that wrote it, or make a new one",
			ErrNotPlan, head.Schema, PlanSchema)
	}
	return &inventory.SchemaError{Not: ErrNotPlan, Have: head.Schema, Want: PlanSchema}
}

// digest computes the plan's digest, ignoring its Digest field.
func (p *Plan) digest() (string, error) {
	b, err := json.Marshal(p)
	if err != nil {
		return "", fmt.Errorf("writing plan: %w", err)
	}
	return digestOf(b)
}

// digestOf returns the SHA-256 of a plan's JSON text without its digest, with sorted keys and without white space. It
// uses the text and not a Plan, so that it covers everything in the file.
func digestOf(text []byte) (string, error) {
	var all map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&all); err != nil {
		return "", fmt.Errorf("%w: %w", ErrNotPlan, err)
	}
	delete(all, "digest")
	b, err := json.Marshal(all)
	if err != nil {
		return "", fmt.Errorf("writing plan: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// check refuses plans with missing parts.
func (p *Plan) check() error {
	for i, s := range p.Steps {
		switch {
		case s.ID != i+1:
			return fmt.Errorf("%w: step %d is numbered %d", ErrNotPlan, i+1, s.ID)
		case s.Target.Kind == "" || s.Target.ID == "":
			return fmt.Errorf("%w: step %d has no target", ErrNotPlan, s.ID)
		case len(s.Changes) == 0:
			return fmt.Errorf("%w: step %d changes nothing", ErrNotPlan, s.ID)
		}
		for _, c := range s.Changes {
			if err := c.check(); err != nil {
				return fmt.Errorf("%w: step %d: %w", ErrNotPlan, s.ID, err)
			}
		}
	}
	return nil
}

func (c Change) check() error {
	if _, err := inventory.LookupSetting(c.Setting); err != nil {
		return err
	}
	for name, f := range map[string]inventory.Fact[inventory.Value]{"before": c.Before, "after": c.After} {
		if _, state, _ := f.Get(); state == inventory.StateUnread {
			return fmt.Errorf("%s has no value %s", c.Setting, name)
		}
	}
	if len(c.Causes) == 0 {
		return fmt.Errorf("%s has no rule that asks for it", c.Setting)
	}
	return nil
}
