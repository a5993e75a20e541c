package session

import (
	"fmt"
	"io"
	"log/slog"
)

// Secret is text that must never be shown. It masks itself wherever it could be printed, logged or encoded.
type Secret string

const mask = "***"

// String is the mask.
func (Secret) String() string { return mask }

// GoString is the mask.
func (Secret) GoString() string { return mask }

// Format writes the mask whatever the verb: %x and %q would go round String.
func (Secret) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, mask) }

// LogValue is the mask.
func (Secret) LogValue() slog.Value { return slog.StringValue(mask) }

// MarshalText is the mask.
func (Secret) MarshalText() ([]byte, error) { return []byte(mask), nil }

// MarshalJSON is the mask.
func (Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + mask + `"`), nil }
