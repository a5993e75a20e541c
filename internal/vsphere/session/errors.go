package session

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"
)

// TLSError reports a certificate that is not trusted.
type TLSError struct {
	Host       string // host:port
	Thumbprint string // SHA-256
	Err        error

	pinned bool // the user named another certificate
}

// Error returns the message, with how to trust the certificate.
func (e *TLSError) Error() string {
	s := fmt.Sprintf("verifying the certificate of %s: %s; its SHA-256 thumbprint is %s", e.Host, Plain(e.Err.Error()), e.Thumbprint)
	if e.pinned {
		return s + "; if the certificate was replaced on purpose, pin the new thumbprint with --thumbprint, in the context or in the known hosts file"
	}
	return s + fmt.Sprintf("; set GOVC_TLS_CA_CERTS to the file of its authority, or pin it with --thumbprint or with a line %q in the file that "+
		"GOVC_TLS_KNOWN_HOSTS names, or accept any certificate with -k (GOVC_INSECURE=true)", e.Host+" "+e.Thumbprint)
}

// Pinned reports whether the user pinned another certificate.
func (e *TLSError) Pinned() bool { return e.pinned }

// Unwrap returns the error of the verification.
func (e *TLSError) Unwrap() error { return e.Err }

// LoginError reports a user name or password that the server refuses.
type LoginError struct {
	Host, User string
	Try        string // what to do instead of setting GOVC_*; may be empty
}

// Error returns the message, which never contains the password.
func (e *LoginError) Error() string {
	if e.User == "" {
		return "logging in to " + e.Host + ": no user name; set GOVC_USERNAME and GOVC_PASSWORD"
	}
	return fmt.Sprintf("logging in to %s as %s: wrong user name or password, or the account is locked; %s", e.Host, Plain(e.User),
		cmp.Or(e.Try, "set GOVC_USERNAME (with its domain, as in audit@vsphere.local) and GOVC_PASSWORD"))
}

// ConnectError reports a server that cannot be reached or is not a vSphere server.
type ConnectError struct {
	Host      string
	Operation string // "connecting to", "reading properties of"
	Why       string
	Try       string // what to type instead; may be empty
	Err       error

	transient bool
	sent      bool // the request may have reached the server
}

// Error returns what failed, why, and what to try.
func (e *ConnectError) Error() string {
	s := e.Operation + " " + e.Host + ": " + e.Why
	if e.Try != "" {
		s += "; " + e.Try
	}
	return s
}

// Unwrap returns the transport's error.
func (e *ConnectError) Unwrap() error { return e.Err }

// PermissionError reports a call for which the user lacks a privilege.
type PermissionError struct {
	Privilege string
	Object    string // Type:id
	Host      string
	Operation string

	Write bool
}

// Error returns which privilege is missing on which object. One role is enough to read everything; each kind of write requires a
// privilege of its own.
func (e *PermissionError) Error() string {
	try := "assign the user the role Read-only on the inventory's root, with propagation"
	if e.Write {
		try = "assign the user a role with that privilege there"
	}
	return fmt.Sprintf("%s %s: no permission: privilege %s is missing on %s; %s", e.Operation, e.Host, OrUnknown(e.Privilege), OrUnknown(e.Object), try)
}

// ExpiredError reports a session that timed out or was terminated by another user.
type ExpiredError struct{ Host, Operation string }

func (e *ExpiredError) Error() string {
	return e.Operation + " " + e.Host + ": the session has ended; run the command again"
}

// ServerError reports any other fault.
type ServerError struct {
	Host, Operation, Words string
	Fault                  any
}

func (e *ServerError) Error() string { return e.Operation + " " + e.Host + ": " + e.Words }

// Cause returns the cause in an error without the operation and the object: the reason of an unread fact.
func Cause(err error) string {
	var (
		denied *PermissionError
		fault  *ServerError
		broken *ConnectError
	)
	switch {
	case errors.As(err, &denied):
		return "no permission (privilege " + OrUnknown(denied.Privilege) + ")"
	case errors.As(err, &fault):
		return fault.Words
	case errors.As(err, &broken):
		return broken.Why
	}
	return err.Error()
}

// TimeoutWords returns the error text for a server that did not answer within d.
func TimeoutWords(d time.Duration) string { return "no answer within " + d.String() }

// OrUnknown returns s as Plain does, or a placeholder if s is empty.
func OrUnknown(s string) string {
	if s == "" {
		return "(not named)"
	}
	return Plain(s)
}

// Plain sanitizes text from elsewhere for output: one line, no control characters, limited length.
func Plain(s string) string { return OneLine(s, 300) }

// OneLine returns text without control characters and with at most longest characters.
func OneLine(s string, longest int) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) {
			return ' '
		}
		return r
	}, s)
	if r := []rune(s); len(r) > longest {
		s = string(r[:longest]) + "…"
	}
	return strings.TrimSpace(s)
}
