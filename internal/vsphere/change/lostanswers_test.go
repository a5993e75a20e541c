package change

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/read"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// lossy loses the answers to some requests, or the requests themselves.
type lossy struct {
	next   soap.RoundTripper
	loses  func(req soap.HasFault) bool
	before error // the request is lost, with this error
	lost   atomic.Int64
}

func (l *lossy) RoundTrip(ctx context.Context, req, res soap.HasFault) error {
	if !l.loses(req) {
		return l.next.RoundTrip(ctx, req, res)
	}
	l.lost.Add(1)
	if l.before != nil {
		return l.before
	}
	if err := l.next.RoundTrip(ctx, req, res); err != nil {
		return err
	}
	return io.ErrUnexpectedEOF
}

// losing loses the answers to a method; for a host's command line, those to one command.
func (w *workshop) losing(method string, before error) *lossy {
	l := &lossy{next: w.Transport(), before: before, loses: func(req soap.HasFault) bool { return isRequest(req, method) }}
	w.SetTransport(l)
	return l
}

// isRequest reports a request of a method, or of METHOD followed by a word of its arguments.
func isRequest(req soap.HasFault, what string) bool {
	name, word, _ := strings.Cut(what, " ")
	return vspheretest.MethodOf(req) == name && (word == "" || strings.Contains(fmt.Sprintf("%+v", reflect.ValueOf(req).Elem().FieldByName("Req")), word))
}

// watching calls seen after each request of a kind.
type watching struct {
	next soap.RoundTripper
	what string // as for isRequest
	seen func()
}

func (w watching) RoundTrip(ctx context.Context, req, res soap.HasFault) error {
	err := w.next.RoundTrip(ctx, req, res)
	if isRequest(req, w.what) {
		w.seen()
	}
	return err
}

// oneOfEach has a change of every kind and the method that makes it.
var oneOfEach = []struct {
	method string
	kind   inventory.Scope
	on     string
	write  tuning.Assignment
}{
	{"UpdateOptions", inventory.ScopeHost, "host02", tuning.Assignment{Address: tuning.Address{Setting: pinOption}, Value: aLong(40)}},
	{"ConfigurePowerPolicy", inventory.ScopeHost, "host02", assign("power-policy", "", "low")},
	{"DisableHyperThreading", inventory.ScopeHost, "host02", tuning.Assignment{Address: tuning.Address{Setting: "hyperthreading"}, Value: aBool(false)}},
	{"UpdateModuleOptionString", inventory.ScopeHost, "host02", assign("driver-options/RSS", mellanox, "8")},
	{"UpdateVmfsUnmapPriority", inventory.ScopeDatastore, "san02", assign("datastore-unmap", "", "low")},
	{"EnableNetworkResourceManagement", inventory.ScopeSwitch, "dvs-lowlat", tuning.Assignment{Address: tuning.Address{Setting: "switch-nioc"}, Value: aBool(true)}},
	{"ReconfigureComputeResource_Task", inventory.ScopeCluster, "general", tuning.Assignment{Address: tuning.Address{Setting: "cluster-drs-rate"}, Value: aLong(3)}},
	{"UpdateConfig", inventory.ScopePool, "batch", tuning.Assignment{Address: tuning.Address{Setting: "pool-cpu-limit"}, Value: aLong(-1)}},
	{"UpdateConfig", inventory.ScopePool, "batch", tuning.Assignment{Address: tuning.Address{Setting: "pool-memory-limit"}, Value: aLong(4096)}},
	{
		"ExecuteSoap vim.EsxCLI.storage.core.device.set", inventory.ScopeHost, "host02",
		tuning.Assignment{Address: tuning.Address{Setting: "lun-outstanding-ios", Device: demoDisk}, Value: aLong(16)},
	},
}

// A write whose answer is lost is not repeated. The error says that the write may have taken effect, which it did.
func TestLostAnswersOfWriters(t *testing.T) {
	t.Parallel()
	w := openWorkshop(t)
	require.Len(t, writers, len(vmSettings)+len(oneOfEach)+1, "DRS has two kinds")
	for _, c := range oneOfEach {
		t.Run(c.method, func(t *testing.T) {
			target, address := w.target(c.kind, c.on), []tuning.Address{c.write.Address}
			before, err := w.Read(t.Context(), target, address)
			require.NoError(t, err)
			next := w.Transport()

			w.losing(c.method, syscall.ECONNREFUSED)
			err = w.Write(t.Context(), target, []tuning.Assignment{c.write})
			require.Error(t, err)
			require.NotErrorIs(t, err, tuning.ErrUnsure, "it was never sent")
			w.SetTransport(next)
			found, err := w.Read(t.Context(), target, address)
			require.NoError(t, err)
			require.Equal(t, before, found)

			l := w.losing(c.method, nil)
			err = w.Write(t.Context(), target, []tuning.Assignment{c.write})
			require.ErrorIs(t, err, tuning.ErrUnsure)
			require.ErrorContains(t, err, "writing "+c.write.Setting+" of "+target.Name+": ")
			require.EqualValues(t, 1, l.lost.Load())
			w.SetTransport(next)
			found, err = w.Read(t.Context(), target, address)
			require.NoError(t, err)
			require.Equal(t, []valueFact{c.write.Value}, found)
		})
	}
}

// A task whose end was not observed may have taken effect.
func TestLostTask(t *testing.T) {
	t.Parallel()
	w := openWorkshop(t)
	w.SetForTest(session.TestSettings{RetryPause: time.Millisecond})
	w.limits.change, w.limits.cancel = 50*time.Millisecond, 50*time.Millisecond
	w.losing("RetrievePropertiesEx Type:Task", nil)
	err := w.Write(t.Context(), w.target(inventory.ScopeCluster, "general"), []tuning.Assignment{
		{Address: tuning.Address{Setting: "cluster-drs-rate"}, Value: aLong(3)},
	})
	require.ErrorIs(t, err, tuning.ErrUnsure)
}

// stuck makes tasks appear to run for ever.
type stuck struct {
	next soap.RoundTripper
	seen func() // called when a task is polled
}

func (s stuck) RoundTrip(ctx context.Context, req, res soap.HasFault) error {
	err := s.next.RoundTrip(ctx, req, res)
	body, ok := res.(*methods.RetrievePropertiesExBody)
	if err != nil || !ok || body.Res == nil || body.Res.Returnval == nil {
		return err
	}
	for _, o := range body.Res.Returnval.Objects {
		for i := range o.PropSet {
			if o.PropSet[i].Name == "info.state" {
				o.PropSet[i].Val = types.TaskInfoStateRunning
				s.seen()
			}
		}
	}
	return nil
}

// Waiting for a task has a time limit; its effect after that is unknown.
func TestTaskThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	w := openWorkshop(t)
	ctx, end := vspheretest.Ending(t)
	w.SetTransport(stuck{w.Transport(), end})
	w.limits.cancel = 50 * time.Millisecond
	err := w.Write(ctx, w.target(inventory.ScopeCluster, "general"), []tuning.Assignment{assign("cluster-drs-automation", "", "manual")})
	require.ErrorIs(t, err, tuning.ErrUnsure)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// The fault of a task is classified as the method's own fault would be; a missing privilege is one for writing.
func TestFaultsOfTasks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fault  types.BaseMethodFault
		unsure bool
		want   string
	}{
		{new(types.HostCommunication), true, "the connection to the host was lost"},
		{new(types.Timedout), true, "timedout"},
		{new(types.ConcurrentAccess), false, "somebody else changed the object at the same time"},
		{&types.NoPermission{PrivilegeId: "A.B"}, false, "privilege A.B is missing on (not named); assign the user a role with that privilege there"},
	} {
		s := estateOn(vspheretest.Start(t, vspheretest.SmallVPX(1), nil).Dial(t))
		s.SetTransport(failing{s.Transport(), c.fault})
		vm := tuning.Target{Kind: inventory.ScopeVM, ID: anyVM(t, s.Session)}
		err := (&settings{s}).Write(t.Context(), vm, asks("vm-cpu-limit=1000"))
		require.ErrorContains(t, err, c.want)
		require.Equal(t, c.unsure, errors.Is(err, tuning.ErrUnsure), err)
		err = (&power{s}).PowerOn(t.Context(), vm)
		require.ErrorContains(t, err, c.want)
		require.Equal(t, c.unsure, errors.Is(err, tuning.ErrUnsure), err)
	}
	given := timeLimitError(&session.UnsureError{Cause: &session.ServerError{Fault: new(types.Timedout)}})
	require.NotErrorIs(t, given, tuning.ErrUnsure)
	require.True(t, isLate(given))
	require.ErrorIs(t, timeLimitError(&session.UnsureError{Cause: io.EOF}), tuning.ErrUnsure)
}

func anyVM(t *testing.T, s *session.Session) string {
	t.Helper()
	all, err := read.Inventory(t.Context(), s, tree.Scope{}, vspheretest.NeedsOf("VM.vcpus"), nil)
	require.NoError(t, err)
	return all.VMs[0].ID
}

// failing has every task end with a fault.
type failing struct {
	next  soap.RoundTripper
	fault types.BaseMethodFault
}

func (f failing) RoundTrip(ctx context.Context, req, res soap.HasFault) error {
	err := f.next.RoundTrip(ctx, req, res)
	body, ok := res.(*methods.RetrievePropertiesExBody)
	if err != nil || !ok || body.Res == nil || body.Res.Returnval == nil {
		return err
	}
	for i, o := range body.Res.Returnval.Objects {
		if o.Obj.Type == "Task" {
			body.Res.Returnval.Objects[i].PropSet = []types.DynamicProperty{
				{Name: "info.state", Val: types.TaskInfoStateError}, {Name: "info.error", Val: types.LocalizedMethodFault{Fault: f.fault}},
			}
		}
	}
	return nil
}

func TestFailedTask(t *testing.T) {
	t.Parallel()
	w := openWorkshop(t)
	err := w.Write(t.Context(), w.target(inventory.ScopeCluster, "general"), []tuning.Assignment{assign("cluster-drs-automation", "", "wild")})
	require.NotErrorIs(t, err, tuning.ErrUnsure)
	require.ErrorContains(t, err, "writing cluster-drs-automation of general: reconfiguring the cluster through ")
	require.ErrorContains(t, err, ": the server does not accept this value (spec)")
}

// answering changes what the host's command line answers to one command.
type answering struct {
	lossy
	change func(returned reflect.Value)
}

func (a *answering) RoundTrip(ctx context.Context, req, res soap.HasFault) error {
	err := a.next.RoundTrip(ctx, req, res)
	if err == nil && a.loses(req) {
		a.change(reflect.ValueOf(res).Elem().FieldByName("Res").Elem().FieldByName("Returnval"))
	}
	return err
}

// The output of a command that writes is ignored unless it is a fault; output that cannot be parsed is an error.
func TestAnswersOfCommandsThatWrite(t *testing.T) {
	t.Parallel()
	w := openWorkshop(t)
	next := w.Transport()
	write := assign("lun-outstanding-ios", demoDisk, "16")
	for name, c := range map[string]struct {
		change func(returned reflect.Value)
		want   string
		unsure bool
	}{
		"true":         {func(reflect.Value) {}, "", false},
		"nothing":      {func(r reflect.Value) { r.Elem().FieldByName("Response").SetString("") }, "", false},
		"no answer":    {func(r reflect.Value) { r.SetZero() }, "", false},
		"half a one":   {func(r reflect.Value) { r.Elem().FieldByName("Response").SetString("<obj><a") }, "may have been made", true},
		"another form": {func(r reflect.Value) { r.Elem().FieldByName("Response").SetString("done") }, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			l := w.losing("ExecuteSoap vim.EsxCLI.storage.core.device.set", nil)
			w.SetTransport(&answering{lossy{next: next, loses: l.loses}, c.change})
			defer w.SetTransport(next)
			err := w.Write(t.Context(), w.target(inventory.ScopeHost, "host02"), []tuning.Assignment{write})
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
			require.Equal(t, c.unsure, errors.Is(err, tuning.ErrUnsure))
		})
	}
	err := w.Write(t.Context(), w.target(inventory.ScopeHost, "host02"), []tuning.Assignment{assign("lun-outstanding-ios", "naa.0", "16")})
	require.ErrorContains(t, err, "esxcli storage core device set: ")
	require.NotErrorIs(t, err, tuning.ErrUnsure)
}
