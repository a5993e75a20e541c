package session

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"

	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
	"github.com/vmware/govmomi/vim25/xml"

	soapwire "github.com/vperf/vperf/internal/vsphere/wire"
)

// Describe returns the description of a method, to be followed by the server's name.
func Describe(method string) string {
	if words, known := reads[method]; known {
		return words
	}
	if words, known := writes[method]; known {
		return words
	}
	return "calling " + method + " on"
}

// reads maps the methods that change nothing to their descriptions for [Describe].
var reads = map[string]string{
	"RetrieveServiceContent":            "connecting to",
	"Login":                             "logging in to",
	"Logout":                            "logging out of",
	"CurrentTime":                       "reading the clock of",
	"CreateContainerView":               "reading properties from",
	"DestroyView":                       "reading properties from",
	"RetrievePropertiesEx":              "reading properties from",
	"ContinueRetrievePropertiesEx":      "reading properties from",
	"CancelRetrievePropertiesEx":        "reading properties from",
	"CreatePropertyCollector":           "reading properties from",
	"CreateFilter":                      "reading properties from",
	"WaitForUpdatesEx":                  "reading properties from",
	"DestroyPropertyCollector":          "reading properties from",
	"QueryPerf":                         "reading counters from",
	restLogin:                           "logging in over REST to",
	RESTTags:                            "reading tags from",
	RESTLibraries:                       "reading content libraries from",
	RESTProfiles:                        "reading configuration profiles from",
	"QueryConfiguredModuleOptionString": "reading driver options through",
	"QueryServiceList":                  "asking for esxtop's counters through",
	"ExecuteSimpleCommand":              "asking for esxtop's counters through",
	"RetrieveManagedMethodExecuter":     "asking hosts through",
	"RetrieveDynamicTypeManager":        "asking hosts through",
	"ExecuteSoap":                       "asking hosts through",
}

// writes maps the methods that change something to their descriptions for [Describe].
var writes = map[string]string{
	"UpdateOptions":                   "writing options through",
	"ConfigurePowerPolicy":            "setting the power policy through",
	"UpdateModuleOptionString":        "writing driver options through",
	"EnableHyperThreading":            "turning hyper-threading on through",
	"DisableHyperThreading":           "turning hyper-threading off through",
	"UpdateVmfsUnmapPriority":         "setting the unmap priority through",
	"EnableNetworkResourceManagement": "switching Network I/O Control through",
	"ReconfigureComputeResource_Task": "reconfiguring the cluster through",
	"UpdateConfig":                    "reconfiguring the resource pool through",
	"ReconfigVM_Task":                 "reconfiguring the virtual machine through",
	"PowerOnVM_Task":                  "powering the virtual machine on through",
	"ShutdownGuest":                   "shutting the guest down through",
	"EnterMaintenanceMode_Task":       "entering maintenance mode through",
	"ExitMaintenanceMode_Task":        "leaving maintenance mode through",
	"RebootHost_Task":                 "rebooting the host through",
	"BackupFirmwareConfiguration":     "saving the host's configuration through",
	"LogUserEvent":                    "posting an event through",
	"CancelTask":                      "cancelling a task of",
}

// explain converts the error of a request to one of this package. It returns nil only for nil.
func (c *call) explain(method string, err error) error {
	var t *TLSError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &t):
		return t
	case soap.IsSoapFault(err):
		return c.explainFault(method, err)
	}
	return c.explainTransport(method, err)
}

func (c *call) explainFault(method string, err error) error {
	return c.faultError(method, FaultOf(err), faultText(err))
}

// faultError converts a fault to an error; text is the server's explanation.
func (c *call) faultError(method string, f types.BaseMethodFault, text string) error {
	switch f := f.(type) {
	case *types.NotAuthenticated:
		return &ExpiredError{Host: c.host, Operation: Describe(method)}
	case *types.InvalidLogin:
		return &LoginError{Host: c.host, User: c.user}
	case types.BaseNoPermission:
		p, o := missingPrivilege(f.GetNoPermission())
		return &PermissionError{Privilege: p, Object: o, Host: c.host, Operation: Describe(method), Write: writes[method] != ""}
	}
	return &ServerError{Host: c.host, Operation: Describe(method), Words: FaultWords(f, text), Fault: f}
}

func (c *call) explainTransport(method string, err error) error {
	e := &ConnectError{Host: c.host, Operation: Describe(method), Err: err}
	e.Why, e.Try, e.transient = c.transportWords(method, err)
	e.sent = maySent(method, err)
	if a, damaged := errors.AsType[*soapwire.AnswerError](err); damaged && !a.Form {
		c.note(&c.damage, e.Why)
	}
	return e
}

// firstCall is the call after whose answer it is known that the server is a vCenter Server or an ESXi host.
const firstCall = "RetrieveServiceContent"

// Undecodable reports whether err is about an answer that cannot be decoded.
func Undecodable(err error) bool {
	_, answer := errors.AsType[*soapwire.AnswerError](err)
	_, content := errors.AsType[*contentError](err)
	return answer || content
}

const tryURL = "is it a vCenter Server or an ESXi host, and is the port right? The URL is https://HOST[:PORT]/sdk"

// transportWords returns what went wrong in transit, what to try, and whether a retry may succeed.
func (c *call) transportWords(method string, err error) (why, try string, transient bool) {
	var (
		status  *StatusError
		content *contentError
		record  tls.RecordHeaderError
		dns     *net.DNSError
		timeout net.Error
		size    *AnswerSizeError
	)
	switch {
	case errors.As(err, &size):
		return size.Error(), "", false
	case errors.As(err, &status):
		return status.Error(), tryURL, status.temporary()
	case errors.As(err, &content) && content.want == "SOAP" && method != firstCall:
		return "its answer to " + method + " is no SOAP from byte 1 on: it is " + content.kind, "", false
	case errors.As(err, &content):
		return content.Error(), tryURL, false
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return "it does not speak TLS on this port", tryURL, false
	case errors.As(err, &dns):
		return dnsWords(dns), "check the name, or give the IP address", false
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused", tryURL, false
	case errors.Is(err, context.DeadlineExceeded):
		return TimeoutWords(c.limit(method)), "the server accepts requests but does not respond: check its health, and the proxies and firewalls on the way", false
	case errors.As(err, &timeout) && timeout.Timeout():
		return TimeoutWords(dialTimeout), "check address, port and firewall", false
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "the connection was interrupted", "", true
	}
	return answerWords(method, err)
}

func dnsWords(e *net.DNSError) string {
	if e.IsNotFound {
		return "no such host"
	}
	return "its name cannot be resolved: " + Plain(e.Err)
}

// answerWords classifies a decoder's error: a truncated answer may be complete the next time; an answer in another format is
// never valid.
func answerWords(method string, err error) (why, try string, transient bool) {
	var (
		syntax  *xml.SyntaxError
		damaged *soapwire.AnswerError
	)
	switch {
	case errors.As(err, &damaged) && (!damaged.Form || method != firstCall):
		return "its answer to " + method + " " + Plain(damaged.Error()), "", soapwire.Early(err)
	case soapwire.Early(err):
		return "the answer was cut off", "", true
	case errors.Is(err, io.EOF):
		return "the connection ended without an answer", "", true
	case damaged != nil, errors.As(err, &syntax), strings.Contains(err.Error(), "expected element type"):
		return "it did not answer in SOAP", tryURL, false
	}
	return Plain(fmt.Sprint(innermost(err))), "", false
}

// innermost unwraps an error: net/http's wrappers repeat method and URL.
func innermost(err error) error {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err
}
