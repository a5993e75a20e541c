package perhost

import (
	"encoding/xml"
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/vmware/govmomi/cli/esx"

	"github.com/vperf/vperf/internal/vsphere/session"
)

// cliSummary is the key that hosts send in place of a message.
const cliSummary = "EsxCLI.CLIFault.summary"

// cliFaultWords returns the text of a command line's fault: its name and its messages. The detail is an XML document or plain
// text.
func cliFaultWords(f *esx.Fault) string {
	name, messages := f.Message, []string(nil)
	if name == cliSummary {
		name = ""
	}
	if strings.HasPrefix(strings.TrimSpace(f.Detail), "<") {
		var d cliDetail
		d.read(f.Detail)
		if len(d.messages) == 0 && f.Message != cliSummary {
			d.messages = []string{f.Message}
		}
		name, messages = d.name, d.messages
	} else if f.Detail != "" {
		messages = []string{f.Detail}
	}
	return session.Plain(joinWords(name, strings.Join(messages, "; ")))
}

// CLIFaultName returns the name of the fault that a host refused a command with: that of the fault itself, or CLIFault if the host
// returned only a message. It is empty for an error that is no refusal.
func CLIFaultName(err error) string {
	fault, ok := errors.AsType[*esx.Fault](err)
	if !ok {
		return session.FaultName(err)
	}
	var d cliDetail
	if strings.HasPrefix(strings.TrimSpace(fault.Detail), "<") {
		d.read(fault.Detail)
	}
	if d.kind == "" {
		return "CLIFault"
	}
	return d.kind
}

// joinWords returns "name: message", or the one that is not empty.
func joinWords(name, message string) string {
	switch {
	case message == "" && name == "":
		return "the host gave no reason"
	case message == "":
		return name
	case name == "" || strings.EqualFold(name, strings.TrimSuffix(message, ".")):
		return message
	}
	return name + ": " + message
}

// cliDetail holds the content of a fault's document.
type cliDetail struct {
	name     string
	kind     string   // the fault's type
	messages []string // of the command, or otherwise of the fault
}

// read collects names and messages from a document of any form, even a truncated one.
func (d *cliDetail) read(document string) {
	var own, localized []string
	decoder := xml.NewDecoder(strings.NewReader(document))
	decoder.Strict = false
	within := ""
	for {
		token, err := decoder.Token()
		if err != nil {
			break
		}
		switch t := token.(type) {
		case xml.StartElement:
			within = t.Name.Local
			d.takeName(t.Attr)
		case xml.EndElement:
			within = ""
		case xml.CharData:
			switch text := session.Plain(string(t)); {
			case text == "" || text == cliSummary:
			case within == "errMsg":
				own = append(own, text)
			case slices.Contains(localizedElements, within):
				localized = append(localized, text)
			}
		}
	}
	if d.messages = own; len(own) == 0 {
		d.messages = localized
	}
}

// localizedElements hold the message of the fault, as opposed to the command's own.
var localizedElements = []string{"localizedMessage", "faultMessage", "message"}

// takeName takes the fault's name from the attributes of an element, unless one was found before.
func (d *cliDetail) takeName(attributes []xml.Attr) {
	for _, a := range attributes {
		if a.Name.Local == "type" && d.name == "" {
			d.name, d.kind = cliFaultName(a.Value), cliFaultType(a.Value)
		}
	}
}

// cliFaultType returns NotFound for vim25:NotFound, and nothing for the generic CLI fault.
func cliFaultType(kind string) string {
	if _, name, prefixed := strings.Cut(kind, ":"); prefixed {
		kind = name
	}
	if strings.HasSuffix(kind, "CLIFault") || strings.ContainsFunc(kind, func(r rune) bool { return !unicode.IsLetter(r) }) {
		return ""
	}
	return kind
}

// cliFaultName turns vim25:NotFound into "not found". The generic CLI fault has no name.
func cliFaultName(kind string) string {
	_, name, prefixed := strings.Cut(kind, ":")
	if !prefixed {
		name = kind
	}
	if strings.HasSuffix(name, "CLIFault") {
		return ""
	}
	return session.Plain(session.SplitName(name))
}
