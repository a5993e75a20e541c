package session

import (
	"context"
	"errors"
	"net"
)

// Reasons for missing data, as single words for labels.
const (
	ReasonTimeout    = "timeout"    // no answer in time
	ReasonRefused    = "refused"    // the server refused the request
	ReasonDenied     = "denied"     // the user lacks a privilege
	ReasonConnection = "connection" // the server could not be reached
	ReasonSession    = "session"    // not logged in, or the password was refused
	ReasonHostDown   = "host_down"  // the host is not connected
	ReasonNotKept    = "not_kept"   // the server no longer has samples of that time
	ReasonNoValue    = "no_value"   // the server has samples without values
	ReasonOther      = "other"
)

// MissReason returns why a host in a round's troubles has no samples, as a single word. A nil error means that the host has not
// answered yet. Samples lost because a VM moved, or because they are too old, cannot be recognized by an error.
func MissReason(err error) string {
	if err == nil {
		return ReasonTimeout
	}
	return Reason(err)
}

// Reason returns why an operation failed, as a single word.
func Reason(err error) string {
	var (
		denied *PermissionError
		login  *LoginError
		over   *ExpiredError
		broken *ConnectError
		own    interface{ Reason() string }
		cert   *TLSError
		said   *ServerError
		late   net.Error
	)
	switch {
	case err == nil:
		return ReasonOther
	case errors.As(err, &own):
		return own.Reason()
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &late) && late.Timeout():
		return ReasonTimeout
	case errors.As(err, &denied):
		return ReasonDenied
	case errors.As(err, &login), errors.As(err, &over):
		return ReasonSession
	case errors.As(err, &broken), errors.As(err, &cert):
		return ReasonConnection
	case errors.As(err, &said):
		return ReasonRefused
	}
	return ReasonOther
}
