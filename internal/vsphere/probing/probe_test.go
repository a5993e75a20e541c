package probing

import (
	"bytes"
	"context"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/view"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/probe"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
)

// secret is a part of all names and values that the test plants.
const secret = "Hemlock"

// TestNoSecretIsInTheFile renames what the API lets it rename, writes options, reads every string that identifies something from
// the server, and finds none of them in the probes of all hosts with all rows.
func TestNoSecretIsInTheFile(t *testing.T) {
	t.Parallel()
	for _, endpoint := range []string{"vcenter", "esxi-a", "esxi-c"} {
		t.Run(endpoint, func(t *testing.T) {
			t.Parallel()
			s := vspheretest.Fleet(t, endpoint)
			plant(t, s)
			secrets := identities(t, s)
			require.Greater(t, len(secrets), 50)
			file, _ := probed(t, s, Options{AllRows: endpoint != "vcenter"}) // all rows of 16 hosts take a minute to search
			lower := strings.ToLower(file)
			require.NotContains(t, lower, strings.ToLower(secret))
			for text, where := range secrets {
				if strings.Contains(lower, strings.ToLower(text)) {
					t.Errorf("the file contains %q, which is %s", text, where)
				}
			}
			require.NotRegexp(t, `naa\.|eui\.|\bt10\.|[0-9a-f]{2}(:[0-9a-f]{2}){5}|192\.0\.2\.|198\.1[89]\.|demo\.local|/vmfs/|vsphere\.local`, file)
		})
	}
}

// probed probes all hosts of a server, or the first few.
func probed(t *testing.T, s *session.Session, o Options) (string, *probe.File) {
	t.Helper()
	o.Version, o.Day, o.Limit = "test", "2026-11-24", time.Minute
	if o.Notify == nil {
		o.Notify = func(string) {}
	}
	var hosts []mo.HostSystem
	retrieve(t, s, "HostSystem", []string{"name", "config.product"}, &hosts)
	var targets []Target
	for _, h := range hosts {
		targets = append(targets, Target{ID: h.Self.Value, Name: h.Name})
	}
	f, err := Probe(t.Context(), s, targets, o)
	require.NoError(t, err)
	require.Len(t, f.Hosts, len(hosts))
	var b bytes.Buffer
	require.NoError(t, probe.Write(&b, f))
	return b.String(), f
}

func retrieve(t *testing.T, s *session.Session, kind string, paths []string, into any) {
	t.Helper()
	m := view.NewManager(s.Client())
	v, err := m.CreateContainerView(t.Context(), s.Client().ServiceContent.RootFolder, []string{kind}, true)
	require.NoError(t, err)
	defer func() { _ = v.Destroy(context.WithoutCancel(t.Context())) }()
	require.NoError(t, v.Retrieve(t.Context(), []string{kind}, paths, into))
}

// plant renames VMs, datastores, networks, folders and clusters, and writes the secret to text options.
func plant(t *testing.T, s *session.Session) {
	t.Helper()
	var all []mo.ManagedEntity
	retrieve(t, s, "ManagedEntity", []string{"name"}, &all)
	renamed := 0
	for i, e := range all {
		if e.Self.Type == "HostSystem" || e.Self.Type == "VirtualApp" {
			continue
		}
		to := secret + e.Self.Type + string(rune('a'+i%26)) + e.Name
		task, err := object.NewCommon(s.Client(), e.Self).Rename(t.Context(), to)
		if err != nil {
			continue // such as a folder that the simulator does not rename
		}
		// One at a time: the simulator compares a new name with those of other objects, and reads them without a lock.
		require.NoError(t, task.Wait(t.Context()))
		renamed++
	}
	require.Positive(t, renamed)
	var hosts []mo.HostSystem
	retrieve(t, s, "HostSystem", []string{"configManager.advancedOption"}, &hosts)
	for _, h := range hosts {
		for _, key := range []string{"Syslog.global.logHost", "Annotations.WelcomeMessage", "Net.NetTuneThreshold", "Net.CoalesceParams"} {
			_, err := methods.UpdateOptions(t.Context(), s, &types.UpdateOptions{
				This: *h.ConfigManager.AdvancedOption, ChangedValue: []types.BaseOptionValue{&types.OptionValue{Key: key, Value: "/vmfs/" + secret + ".example.com"}},
			})
			if err != nil && key == "Syslog.global.logHost" {
				require.Equal(t, "RestrictedVersion", session.FaultName(err), "a free licence allows no writes")
			}
		}
	}
}

// identifyingField are fields of vSphere's objects whose texts identify something.
var identifyingField = regexp.MustCompile(`(?i)(^name$|uuid|mac$|macaddress|ip$|ipaddress|address|serial|wwn|worldwide|url|user|domain|hostname|licen[sc]e|identifiervalue|canonicalname|displayname|iscsiname|iscsialias|vmpathname|filename|instance|moid|portgroup$|dvsname|dvportgroup|datastorepath|logdirectory|welcome|remotehost|remotepath)`)

// common are texts of such fields that identify nothing: words of vSphere, devices that every host numbers in the same way, and
// parts of the hardware.
var common = regexp.MustCompile(`^(vm(nic|k|hba)?[0-9]*|host|network|datastore|vSwitch[0-9]+|Resources|local|true|false|[0-9]{1,9}|.{0,3}|root|default|defaultTcpipStack|VMware.*|Dell.*|static|dynamic|low|custom|vmhba[0-9]+:C[0-9]+:T[0-9]+:L[0-9]+|vMotion|vSAN|Memory|PMem|NVMe|[a-z]+\.[a-zA-Z.]+\.(label|summary)|automatic|manual|assigned|generated)$`)

// identities reads all objects and returns the texts that identify something, with the field of each.
func identities(t *testing.T, s *session.Session) (whereByText map[string]string) {
	t.Helper()
	found := map[string]string{}
	for _, kind := range []string{"HostSystem", "VirtualMachine", "Datastore", "Network", "DistributedVirtualSwitch", "ComputeResource", "Datacenter", "Folder", "ResourcePool"} {
		var all []mo.ManagedEntity
		retrieve(t, s, kind, []string{"name"}, &all)
		for _, e := range all {
			var content []types.ObjectContent
			require.NoError(t, property.DefaultCollector(s.Client()).Retrieve(t.Context(), []types.ManagedObjectReference{e.Self}, nil, &content))
			for _, c := range content {
				for _, p := range c.PropSet {
					if p.Name == "network" || p.Name == "capability" {
						continue
					}
					walk(kind+"."+p.Name, p.Name, reflect.ValueOf(p.Val), func(where, text string) {
						if !common.MatchString(text) {
							found[text] = where
						}
					})
				}
			}
		}
	}
	return found
}

// walk calls use for each text in a field that identifies something.
func walk(where, field string, v reflect.Value, use func(where, text string)) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			walk(where, field, v.Elem(), use)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walk(where, field, v.Index(i), use)
		}
	case reflect.Struct:
		if ref, ok := reflect.TypeAssert[types.ManagedObjectReference](v); ok {
			_ = ref // the demo fleet's ids are short words such as host-20
			return
		}
		element := strings.Contains(v.Type().Name(), "Description") || strings.Contains(v.Type().Name(), "SensorInfo") ||
			strings.Contains(v.Type().Name(), "CpuId") || strings.Contains(v.Type().Name(), "PciDevice") || strings.Contains(v.Type().Name(), "DataObjectRef")
		if element {
			return
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				walk(where+"."+f.Name, f.Name, v.Field(i), use)
			}
		}
	case reflect.String:
		if text := v.String(); text != "" && identifyingField.MatchString(field) {
			use(where, text)
		}
	}
}

// TestProbeOfTheDemo: what a probe of the demo fleet contains.
func TestProbeOfTheDemo(t *testing.T) {
	t.Parallel()
	s := vspheretest.Fleet(t, "esxi-c")
	var notes []string
	text, f := probed(t, s, Options{Notify: func(note string) { notes = append(notes, note) }})
	require.NotEmpty(t, notes)
	require.True(t, f.Simulated)
	require.Equal(t, "esxi", f.Server.Kind)
	require.NotEmpty(t, f.Counters)
	h := f.Hosts[0]
	require.Equal(t, []string{"host-1", "9.1.0", "25100000", "0"}, []string{h.Name, h.Version, h.Build, h.Update})
	require.True(t, h.OptionsRead)
	at := slices.IndexFunc(h.Options, func(o probe.Option) bool { return o.Key == "DataMover.HardwareAcceleratedMove" })
	require.Equal(t, "0", *h.Options[at].Default)
	require.Equal(t, []string{"long", "0", "1"}, []string{h.Options[at].Type, number(h.Options[at].Min), number(h.Options[at].Max)})
	require.NotZero(t, h.OtherOptions)
	outcomes := map[string]string{}
	for _, c := range h.Calls {
		outcomes[c.Name] = strings.TrimSpace(c.Outcome + " " + c.Fault)
	}
	for call, want := range map[string]string{
		"HostSystem properties": "answered", "QueryOptions Vperf.NoSuchOption": "refused InvalidName", "QueryModules": "answered",
		"esxcli system module parameters list -m nmlx5_core": "answered", "ExecuteSimpleCommand Esxtop FetchStats": "answered",
		"esxcli network nic list": "refused NoCommand", "FetchCLIInfo hardware cpu": "refused NotFound",
	} {
		require.Equal(t, want, outcomes[call], call)
	}
	require.NotEmpty(t, h.Esxtop.Sample)
	require.Zero(t, h.Esxtop.Strange)
	require.NotEmpty(t, h.Drivers)
	require.True(t, slices.ContainsFunc(h.Modules, func(m probe.Module) bool { return m.Name == "nmlx5_core" && len(m.Parameters) > 3 }))
	require.Less(t, len(text), 200_000)
	fitsSchema(t, text)
	loaded, err := probe.Load(strings.NewReader(text), "x.json")
	require.NoError(t, err)
	require.Equal(t, f, loaded.File)
}

func number(n *int64) string {
	if n == nil {
		return "absent"
	}
	return strconv.FormatInt(*n, 10)
}

// TestProbeGoesOn: a call that is refused or not answered is recorded, and the rest is read.
func TestProbeGoesOn(t *testing.T) {
	t.Parallel()
	t.Run("nobody answers", func(t *testing.T) {
		s := vspheretest.Fleet(t, "esxi-b")
		ctx, cancel := context.WithCancel(t.Context())
		p := &prober{session: s, redactor: probe.NewRedactor(), options: Options{Limit: time.Minute}}
		h := p.host(Target{ID: "host-1", Name: "h"})
		cancel()
		out := h.probe(ctx)
		require.NotEmpty(t, out.Calls)
		require.Equal(t, map[string]bool{probe.Skipped: true}, outcomesOf(out.Calls))
		require.False(t, out.OptionsRead)
	})
	t.Run("a host that does not exist", func(t *testing.T) {
		s := vspheretest.Fleet(t, "vcenter")
		f, err := Probe(t.Context(), s, []Target{{ID: "host-99999", Name: "gone"}}, Options{Limit: time.Minute, Notify: func(string) {}})
		require.NoError(t, err)
		require.False(t, f.Hosts[0].OptionsRead)
		require.Contains(t, outcomesOf(f.Hosts[0].Calls), probe.Refused)
		var b bytes.Buffer
		require.NoError(t, probe.Write(&b, f))
		fitsSchema(t, b.String())
		require.NotEmpty(t, f.Counters)
	})
	t.Run("three calls without an answer are enough", func(t *testing.T) {
		r := new(recorder)
		for range 5 {
			r.call(t.Context(), "X", func(context.Context) error { return context.DeadlineExceeded })
		}
		var all []string
		for _, c := range r.calls {
			all = append(all, c.Outcome)
		}
		require.Equal(t, []string{"unanswered", "unanswered", "unanswered", "skipped", "skipped"}, all)
	})
}

func outcomesOf(calls []probe.Call) map[string]bool {
	all := map[string]bool{}
	for _, c := range calls {
		all[c.Outcome] = true
	}
	return all
}

// fitsSchema checks a probe file by its schema, which has all fields of the format and no others.
func fitsSchema(t *testing.T, text string) {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile("../../../docs/schema/vperf.probe-v1.schema.json")
	require.NoError(t, err)
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	require.NoError(t, err)
	require.NoError(t, schema.Validate(document))
}
