package session

import (
	"context"
	"errors"
	"net"
)

// Reasons why something was not had, in a word each: for labels, where sentences have no place.
const (
	ReasonTimeout    = "timeout"    // it was asked and did not answer in time
	ReasonRefused    = "refused"    // the server said no
	ReasonDenied     = "denied"     // the user lacks a privilege
	ReasonConnection = "connection" // the server was not reached
	ReasonSession    = "session"    // nobody is logged in, or the password is refused
	ReasonHostDown   = "host_down"  // the host is not connected
	ReasonNotKept    = "not_kept"   // the server has no samples of that time
	ReasonOther      = "other"
)

// MissReason is why a host of a round's troubles has no samples there, in a word. One of which nothing was heard has not answered yet.
// Which samples were lost since a VM moved, or since they are too old, no error can tell.
func MissReason(err error) string {
	if err == nil {
		return ReasonTimeout
	}
	return Reason(err)
}

// Reason is why something failed, in a word.
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
