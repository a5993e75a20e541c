// Package session connects to vCenter Server and ESXi: it verifies certificates, logs in, and sends every request with deadlines,
// retries, re-login and counting, and translates faults into vperf's error messages.
//
// A [Session] is a soap.RoundTripper: packages above pass it to govmomi's methods. Requests to vCenter's REST API go through
// [Session.REST]. Sessions can be saved for the next command in the files that govc uses.
package session
