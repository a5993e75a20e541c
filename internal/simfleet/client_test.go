package simfleet

import (
	"context"
	"crypto/x509"
	"net/url"
	"os"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/session"
	"github.com/vmware/govmomi/view"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if f, err := commonFleet(); err == nil {
		f.Close()
	}
	workshops.close()
	trials.close()
	os.Exit(code)
}

// start starts a fleet with a vCenter for one test.
func start(t *testing.T, cfg Config) *Fleet {
	t.Helper()
	cfg.VCenterOnly = true
	return startAll(t, cfg)
}

// startAll starts a fleet with its ESXi hosts.
func startAll(t *testing.T, cfg Config) *Fleet {
	t.Helper()
	began := time.Now()
	f, err := Start(cfg)
	require.NoError(t, err)
	t.Cleanup(f.Close)
	t.Logf("started in %s", time.Since(began).Round(time.Millisecond))
	return f
}

// connect opens a connection that trusts only the given certificate.
func connect(t *testing.T, u *url.URL, pem []byte) *vim25.Client {
	t.Helper()
	s := soap.NewClient(u, false)
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM(pem))
	s.DefaultTransport().TLSClientConfig.RootCAs = pool
	c, err := vim25.NewClient(t.Context(), s)
	require.NoError(t, err)
	return c
}

// login connects and logs in.
func login(t *testing.T, f *Fleet) *vim25.Client {
	t.Helper()
	c := connect(t, f.URL(), f.CertificatePEM())
	m := session.NewManager(c)
	require.NoError(t, m.Login(t.Context(), url.UserPassword(f.User(), f.Password())))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = m.Logout(ctx) // the fleet may be closed already
	})
	return c
}

// endpoint returns one of the fleet's endpoints by name.
func endpoint(t *testing.T, f *Fleet, name string) Endpoint {
	t.Helper()
	for _, e := range f.Endpoints() {
		if e.Name == name {
			return e
		}
	}
	t.Fatalf("no endpoint %s", name)
	return Endpoint{}
}

// tryLogin logs in with the correct password.
func tryLogin(t *testing.T, e Endpoint) error {
	t.Helper()
	return session.NewManager(connect(t, e.URL, e.CertificatePEM)).Login(t.Context(), url.UserPassword(e.User, e.Password))
}

// loginTo connects to an endpoint and logs in.
func loginTo(t *testing.T, f *Fleet, name string) *vim25.Client {
	t.Helper()
	e := endpoint(t, f, name)
	c := connect(t, e.URL, e.CertificatePEM)
	require.NoError(t, session.NewManager(c).Login(t.Context(), url.UserPassword(e.User, e.Password)))
	return c
}

// retrieve reads properties of all objects of a kind, in the vCenter's order.
func retrieve[T any](t *testing.T, c *vim25.Client, kind string, properties ...string) []T {
	t.Helper()
	v, err := view.NewManager(c).CreateContainerView(t.Context(), c.ServiceContent.RootFolder, []string{kind}, true)
	require.NoError(t, err)
	defer func() { _ = v.Destroy(t.Context()) }()
	var all []T
	require.NoError(t, v.Retrieve(t.Context(), []string{kind}, properties, &all))
	return all
}

// inventoryRead holds the properties read of a whole fleet.
type inventoryRead struct {
	hosts map[string]mo.HostSystem
	vms   map[string]mo.VirtualMachine
}

func readAll(t *testing.T, c *vim25.Client) inventoryRead {
	t.Helper()
	r := inventoryRead{hosts: map[string]mo.HostSystem{}, vms: map[string]mo.VirtualMachine{}}
	for _, h := range retrieve[mo.HostSystem](t, c, "HostSystem", nil...) {
		r.hosts[h.Name] = h
	}
	for _, vm := range retrieve[mo.VirtualMachine](t, c, "VirtualMachine", nil...) {
		r.vms[vm.Name] = vm
	}
	return r
}

var commonFleet = sync.OnceValues(func() (*Fleet, error) { return Start(Config{Now: noon}) })

// common returns a fleet at noon that tests share; they must not change its inventory.
func common(t *testing.T) *Fleet {
	t.Helper()
	f, err := commonFleet()
	require.NoError(t, err)
	return f
}

var pristine struct {
	sync.Once
	inventoryRead
}

// untouched returns the common fleet's inventory, read once for all tests that only read.
func untouched(t *testing.T) inventoryRead {
	t.Helper()
	pristine.Do(func() { pristine.inventoryRead = readAll(t, login(t, common(t))) })
	require.NotEmpty(t, pristine.vms, "the first reader failed")
	return pristine.inventoryRead
}

func vmx(vm mo.VirtualMachine) map[string]string {
	all := map[string]string{}
	for _, o := range vm.Config.ExtraConfig {
		all[o.GetOptionValue().Key] = o.GetOptionValue().Value.(string)
	}
	return all
}

func option(h mo.HostSystem, key string) any {
	for _, o := range h.Config.Option {
		if o.GetOptionValue().Key == key {
			return o.GetOptionValue().Value
		}
	}
	return nil
}

func definition(h mo.HostSystem, key string) types.BaseOptionType {
	for _, d := range h.Config.OptionDef {
		if d.Key == key {
			return d.OptionType
		}
	}
	return nil
}

// requireFault requires that err is a SOAP fault of a type.
func requireFault[F any](t *testing.T, err error) F {
	t.Helper()
	require.Error(t, err)
	require.True(t, soap.IsSoapFault(err), "not a SOAP fault: %v", err)
	// faults arrive as values
	got := soap.ToSoapFault(err).VimFault()
	want := reflect.TypeFor[F]().Elem()
	require.Equal(t, want, reflect.TypeOf(got), "%v", err)
	p := reflect.New(want)
	p.Elem().Set(reflect.ValueOf(got))
	return p.Interface().(F)
}
