package measure

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/faulty"
	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/vsphere/read"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	soapwire "github.com/vperf/vperf/internal/vsphere/wire"
	"github.com/vperf/vperf/pkg/inventory"
)

// answering is a transport that answers every request with the same text.
type answering []byte

func (a answering) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/xml"}}, Body: io.NopCloser(bytes.NewReader(a))}, nil
}

// decodeAsSessionsDo decodes an answer as it comes from a server.
func decodeAsSessionsDo(t *testing.T, answer []byte) (soap.HasFault, error) {
	t.Helper()
	c := soap.NewClient(&url.URL{Scheme: "https", Host: "vc.example"}, false)
	c.Transport = answering(answer)
	body := bodyOf(answer)
	return body, soapwire.NewClient(c).RoundTrip(t.Context(), new(methods.CurrentTimeBody), body)
}

// recordedPages returns the answers of a real host that others recorded.
func recordedPages(t *testing.T) (pages [][]byte) {
	t.Helper()
	for _, file := range []string{"host.xml", "vm.xml"} {
		if page, err := os.ReadFile("../../../../shared/testdata/field/soap-8.0.3/" + file); err == nil {
			pages = append(pages, page)
		}
	}
	if len(pages) == 0 {
		t.Log("the recorded answers of ESXi 8.0.3 are not present: only simulated ones are damaged")
	}
	return pages
}

// pagesOf reads the inventory and the roster of a server, and returns the answers.
func pagesOf(t *testing.T, s *session.Session) [][]byte {
	t.Helper()
	s.SetForTest(session.TestSettings{PageLimit: 4})
	x := listen(s)
	_, err := read.Inventory(t.Context(), s, tree.Scope{}, inventory.Everything(), nil)
	require.NoError(t, err)
	r, err := WatchRoster(t.Context(), s)
	require.NoError(t, err)
	require.NoError(t, r.Refresh(t.Context()))
	return x.pages
}

// TestProveDamageStaysWithItsValue: of each page, only the property with the damaged value differs, and its reason says what is damaged.
func TestProveDamageStaysWithItsValue(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	tries := proof.Count(t, 200, 2_000)
	if proof.Long(t) {
		tries = 10_000
	}
	recorded := recordedPages(t)
	seen := damageOnlyItself(t, slices.Concat(pagesOf(t, vspheretest.Demo(t)), recorded), tries*3/4)
	require.Greater(t, seen["unread"], tries/10)
	require.Positive(t, seen["replaced"])
	if len(recorded) > 0 { // the simulator has few times
		require.Positive(t, seen["same"])
	}
	t.Run("recorded vCenter", func(t *testing.T) {
		pages := pagesOf(t, vspheretest.Start(t, vspheretest.Recorded(t), nil).Dial(t))
		require.Greater(t, damageOnlyItself(t, pages, tries/4)["unread"], tries/40)
	})
}

// damageOnlyItself damages one value of a page, as often as given, and returns how often that led to what.
func damageOnlyItself(t *testing.T, pages [][]byte, tries int) map[string]int {
	t.Helper()
	var err error
	spots := make([][]faulty.Spot, len(pages))
	decoded := make([]soap.HasFault, len(pages))
	dice := rand.New(rand.NewPCG(33, 1)) //nolint:gosec // for a test
	seen := map[string]int{}
	for range tries {
		i := dice.IntN(len(pages))
		if spots[i] == nil {
			spots[i] = faulty.Spots(pages[i])
			decoded[i], err = decodeReflectively(pages[i])
			require.NoError(t, err)
		}
		if len(spots[i]) == 0 {
			continue
		}
		spot := spots[i][dice.IntN(len(spots[i]))]
		answer, now := spot.Damage(pages[i], dice)
		if soapwire.Page(answer, bodyOf(answer)) == nil {
			seen["valid"]++ // a word in the place of another one
			continue
		}
		got, err := decodeAsSessionsDo(t, answer)
		require.NoError(t, err, "%+v is %q", spot, now)
		seen[requireOnlyDamagedAt(t, decoded[i], got, spot, now)]++
	}
	t.Log(seen)
	return seen
}

// pageProperty is a property of an object in a page or an update.
type pageProperty struct {
	object, name string
	value        any
}

func propertiesOf(page soap.HasFault) (list []pageProperty) {
	objects := func(all []types.ObjectContent) {
		for _, o := range all {
			for _, p := range o.PropSet {
				list = append(list, pageProperty{o.Obj.Value, p.Name, p.Val})
			}
			list = append(list, pageProperty{o.Obj.Value, "the missing ones", o.MissingSet})
		}
	}
	switch page := page.(type) {
	case *methods.RetrievePropertiesExBody:
		objects(page.Res.Returnval.Objects)
	case *methods.ContinueRetrievePropertiesExBody:
		objects(page.Res.Returnval.Objects)
	case *methods.WaitForUpdatesExBody:
		for _, f := range page.Res.Returnval.FilterSet {
			for _, o := range f.ObjectSet {
				for _, p := range o.ChangeSet {
					list = append(list, pageProperty{o.Obj.Value, p.Name, p.Val})
				}
			}
		}
	}
	return list
}

// requireOnlyDamagedAt compares two pages and returns what the damage led to.
func requireOnlyDamagedAt(t *testing.T, want, got soap.HasFault, spot faulty.Spot, now string) string {
	t.Helper()
	before, after := propertiesOf(want), propertiesOf(got)
	require.Len(t, after, len(before))
	result := "same"
	for i, b := range before {
		a := after[i]
		require.Equal(t, b.object, a.object)
		require.Equal(t, b.name, a.name)
		if reflect.DeepEqual(b.value, a.value) || b.name == "the missing ones" {
			continue
		}
		require.Equal(t, spot.Object, b.object, "%+v is %q", spot, now)
		require.Equal(t, spot.Property, b.name, "%+v is %q", spot, now)
		require.Equal(t, "same", result, "one property")
		damage, is := a.value.(*soapwire.DamageError)
		inside, replaced := damages(reflect.ValueOf(a.value))
		require.Equal(t, 1, inside+replaced, "%+v is %q: %+v", spot, now, a.value)
		switch {
		case is:
			result = "unread"
			require.True(t, damage.Member == "" || strings.HasSuffix(damage.Member, "."+spot.Element) || strings.HasSuffix(damage.Member, "]"), "%+v: %s", spot, damage.Member)
			require.True(t, strings.Contains(damage.Error(), "is not ") || strings.Contains(damage.Error(), "damaged character"), damage.Error())
		case inside == 1:
			result = "inside"
		default:
			result = "replaced"
		}
	}
	return result
}

// damages counts the damaged values and the replaced characters inside a value.
func damages(v reflect.Value) (inside, replaced int) {
	add := func(of reflect.Value) {
		i, r := damages(of)
		inside, replaced = inside+i, replaced+r
	}
	switch v.Kind() {
	case reflect.String:
		replaced = strings.Count(v.String(), "\uFFFD")
	case reflect.Pointer, reflect.Interface:
		if _, is := reflect.TypeAssert[*soapwire.DamageError](v); is {
			return 1, 0
		}
		if !v.IsNil() {
			add(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				add(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			add(v.Index(i))
		}
	}
	return inside, replaced
}
