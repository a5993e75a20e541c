// Package session is the door to vCenter Server and ESXi: it connects, verifies certificates, logs in, and sends every
// request through one call, which owns deadline, retry, re-login, counting and the translation of faults into vperf's
// words.
//
// A [Session] is a soap.RoundTripper: the rooms above hand it to govmomi's methods. What only vCenter's REST API knows
// goes the same way, through [Session.REST]. Sessions can be kept for the next command in the files that govc uses.
package session
