package session

import (
	"fmt"
	"io"
	"log/slog"
)

// Secret is text that must never be shown. It masks itself when it is printed, logged or encoded.
type Secret string

const mask = "***"

// String returns the mask.
func (Secret) String() string { return mask }

// GoString returns the mask.
func (Secret) GoString() string { return mask }

// Format writes the mask for every verb: %x and %q would bypass String.
func (Secret) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, mask) }

// LogValue returns the mask.
func (Secret) LogValue() slog.Value { return slog.StringValue(mask) }

// MarshalText returns the mask.
func (Secret) MarshalText() ([]byte, error) { return []byte(mask), nil }

// MarshalJSON returns the mask.
func (Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + mask + `"`), nil }
