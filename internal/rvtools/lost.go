package rvtools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/vperf/vperf/internal/rvtools/sheet"
	"github.com/vperf/vperf/internal/userfile"
	"github.com/vperf/vperf/pkg/inventory"
)

// lostSheets are the sheets that cannot be read, each with its error. What they would have told is unread for that reason.
type lostSheets map[string]error

// costsSheet reports whether an error costs no more than the sheet that it is about. Limits, encodings and the end of a command
// concern the whole export.
func costsSheet(err error) bool {
	for _, whole := range []error{sheet.ErrTooLarge, sheet.ErrKind, sheet.ErrEncoding, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, whole) {
			return false
		}
	}
	_, limit := errors.AsType[*userfile.Error](err)
	return !limit
}

// usable returns an error if neither the hosts nor the VMs of an export can be read.
func (l lostSheets) usable(at map[string]string) error {
	var first error
	for _, name := range []string{"vInfo", "vHost"} {
		if at[name] == "" {
			continue
		}
		if l[name] == nil {
			return nil
		}
		if first == nil {
			first = l[name]
		}
	}
	return explained(first)
}

// reason is the reason of facts that are in a lost or missing sheet.
func (l lostSheets) reason(name string) string {
	if errors.Is(l[name], errMissing) {
		return NotHere + ": it has no sheet " + name
	}
	return fmt.Sprintf("sheet %s of the export could not be read: %v", name, l[name])
}

// errMissing is the error of a sheet that an export does not have.
var errMissing = errors.New("it is missing")

// withMissing returns the lost sheets and those that an export does not have.
func (l lostSheets) withMissing(has map[string]bool) lostSheets {
	all := maps.Clone(l)
	for _, p := range parts {
		if !has[p.sheet] && all[p.sheet] == nil {
			all[p.sheet] = errMissing
		}
	}
	return all
}

// factsIn are the facts that a sheet has of objects in other sheets. Lost sheets that are not here have objects of their own.
var factsIn = map[string][]string{
	"vSource":    {"VCenter.version"},
	"vCPU":       factNames(cpuColumns),
	"vMemory":    factNames(memoryColumns),
	"vDisk":      {"VM.disks"},
	"vNetwork":   {"VM.vnics"},
	"vSnapshot":  {"VM.snapshots", "VM.snapshotBytes"},
	"vHBA":       {"Host.hbas"},
	"vNIC":       {"Host.pnics"},
	"vSwitch":    {"Host.vswitches"},
	"vSC_VMK":    {"Host.vmknics", "Host.addresses"},
	"vMultiPath": {"Host.luns"},
}

func factNames[O any](columns []column[O]) (names []string) {
	for _, c := range columns {
		names = append(names, c.facts...)
	}
	return names
}

// explain gives facts that the lost sheets would have had their reason, and marks an endpoint whose lists of objects are incomplete.
func (l lostSheets) explain(v *inventory.VCenter) {
	reasons := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(l)) {
		isMissing := errors.Is(l[name], errMissing)
		if factsIn[name] == nil && (!isMissing || name == "vInfo" || name == "vHost") {
			v.Unread = l.reason(name)
		}
		for _, fact := range factsIn[name] {
			reasons[fact] = l.reason(name)
		}
	}
	if len(reasons) == 0 {
		return
	}
	giveReasons(v, reasons)
	for _, h := range v.Hosts {
		giveReasons(h, reasons)
	}
	for _, x := range v.VMs {
		giveReasons(x, reasons)
	}
}

// giveReasons replaces the reason of those facts that are unread because the export does not have them.
func giveReasons(object any, reasons map[string]string) {
	of := reflect.ValueOf(object).Elem()
	eachFact(of, of.Type().Name(), func(name string, fact jsonFact) {
		if _, state, why := fact.Raw(); reasons[name] != "" && state == inventory.StateUnread && why == NotHere {
			setUnread(fact, reasons[name])
		}
	})
}

// jsonFact is a fact of any type.
type jsonFact interface {
	inventory.Reader
	json.Unmarshaler
}

// eachFact calls do for the facts of an object, with names as in inventory.Needs.
func eachFact(of reflect.Value, object string, do func(name string, fact jsonFact)) {
	for i := range of.NumField() {
		field := of.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous:
			eachFact(of.Field(i), object, do)
		case !field.IsExported() || name == "" || name == "-":
		default:
			if fact, ok := reflect.TypeAssert[jsonFact](of.Field(i).Addr()); ok {
				do(object+"."+name, fact)
			}
		}
	}
}

func setUnread(fact json.Unmarshaler, reason string) {
	if err := fact.UnmarshalJSON([]byte(`{"$unread":` + jsonText(reason) + `}`)); err != nil {
		panic(err) // the text is valid JSON
	}
}

func jsonText(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		return strconv.Quote(NotHere) // a string can always be encoded
	}
	return string(quoted)
}

// unreadOf returns an object all of whose facts are unread because the export does not have them. Facts in computed are left to
// Snapshot.Link.
func unreadOf[T any](computed ...string) T {
	object := new(T)
	of := reflect.ValueOf(object).Elem()
	eachFact(of, of.Type().Name(), func(name string, fact jsonFact) {
		if _, short, _ := strings.Cut(name, "."); !slices.Contains(computed, short) {
			setUnread(fact, NotHere)
		}
	})
	return *object
}
