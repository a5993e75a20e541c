package inventory

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// State is the state of a fact.
type State uint8

// The three states of a fact. Unread is the zero value on purpose.
const (
	StateUnread State = iota // not read, or reading failed
	StateKnown               // the value was read
	StateAbsent              // this release or device does not have it
)

// notRead is the reason of a fact that was not read.
const notRead = "not read"

// Fact is a value that was read, does not exist, or could not be read. Its zero value is unread.
type Fact[T any] struct {
	value  T
	status *status
}

// status is the state of a fact, and of an unread one the reason: nil is unread without a reason. It is a pointer, because a large
// fleet has millions of facts, and only few different ones.
type status struct {
	state  State
	reason string // shared by all the facts that one failed call leaves unread
}

var (
	isKnown  = &status{state: StateKnown}
	isAbsent = &status{state: StateAbsent}
)

func statusOf(state State, reason string) *status {
	switch {
	case state == StateKnown:
		return isKnown
	case state == StateAbsent:
		return isAbsent
	case reason == "":
		return nil
	}
	return &status{reason: reason}
}

func (s *status) get() (State, string) {
	if s == nil {
		return StateUnread, ""
	}
	return s.state, s.reason
}

// Known returns a fact that was read.
func Known[T any](v T) Fact[T] { return Fact[T]{v, isKnown} }

// Absent returns a fact that the release or the device does not have.
func Absent[T any]() Fact[T] { return Fact[T]{status: isAbsent} }

// Unread returns a fact that could not be read; reason is a text for the user.
func Unread[T any](reason string) Fact[T] { return Fact[T]{status: &status{reason: reason}} }

// missing returns a fact of another type with the same state and reason.
func missing[T any](state State, reason string) Fact[T] {
	return Fact[T]{status: statusOf(state, reason)}
}

// Get returns the value, the state, and for an unread fact the reason ("" where only its object knows it).
func (f Fact[T]) Get() (value T, state State, reason string) {
	state, reason = f.status.get()
	return f.value, state, reason
}

// Value returns the value and whether it is known.
func (f Fact[T]) Value() (T, bool) { return f.value, f.status == isKnown }

// String returns the value as fmt prints it, "absent", or "unread" with the reason in brackets.
func (f Fact[T]) String() string {
	if f.status == isKnown {
		return fmt.Sprint(f.value)
	}
	return f.status.missingText()
}

// The methods of a status, and factFrom, are what the methods of all types of facts share: code for each type would be large.
func (s *status) missingText() string {
	switch state, reason := s.get(); {
	case state == StateAbsent:
		return "absent"
	case reason == "":
		return "unread"
	default:
		return "unread (" + reason + ")"
	}
}

// IsZero reports whether a fact is unread without a reason; such facts are omitted from a saved snapshot.
func (f Fact[T]) IsZero() bool { return f.status == nil }

// Reader gives access to a fact, whatever its type. *Fact[T] implements it.
type Reader interface {
	Raw() (value any, state State, reason string)
	ValueType() reflect.Type
}

// Raw is Get without the type.
func (f *Fact[T]) Raw() (value any, state State, reason string) { return f.Get() }

// ValueType is the type of a known value.
func (f *Fact[T]) ValueType() reflect.Type { return reflect.TypeFor[T]() }

// In JSON, a known fact is its bare value; the other states are objects with one key that no fact's value can have.
const (
	wireAbsent = "$absent"
	wireUnread = "$unread"
)

// MarshalJSON writes the bare value, {"$absent":true} or {"$unread":"reason"}.
func (f Fact[T]) MarshalJSON() ([]byte, error) {
	if f.status == isKnown {
		return json.Marshal(f.value)
	}
	return f.status.missingJSON()
}

func (s *status) missingJSON() ([]byte, error) {
	state, reason := s.get()
	if state == StateAbsent {
		return json.Marshal(map[string]bool{wireAbsent: true})
	}
	return json.Marshal(map[string]string{wireUnread: reason})
}
