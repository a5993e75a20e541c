package measure

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
	"github.com/vmware/govmomi/vim25/xml"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/vsphere/read"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"

	soapwire "github.com/vperf/vperf/internal/vsphere/wire"
	"github.com/vperf/vperf/pkg/inventory"
)

// tape keeps answers with pages of properties.
type tape struct {
	next http.RoundTripper

	mu    sync.Mutex
	pages [][]byte
}

// listen records a session's answers from now on.
func listen(s *session.Session) *tape {
	x := &tape{next: s.Client().Transport}
	s.Client().Transport = x
	return x
}

func (x *tape) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := x.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	res.Body = io.NopCloser(bytes.NewReader(b))
	if bodyOf(b) != nil {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.pages = append(x.pages, b)
	}
	return res, err
}

// bodyOf returns the type to decode a page into, or nil for other answers.
func bodyOf(page []byte) soap.HasFault {
	switch {
	case bytes.Contains(page, []byte("<ContinueRetrievePropertiesExResponse")):
		return new(methods.ContinueRetrievePropertiesExBody)
	case bytes.Contains(page, []byte("<RetrievePropertiesExResponse")):
		return new(methods.RetrievePropertiesExBody)
	case bytes.Contains(page, []byte("<WaitForUpdatesExResponse")):
		return new(methods.WaitForUpdatesExBody)
	}
	return nil
}

func decodeReflectively(page []byte) (soap.HasFault, error) {
	body := bodyOf(page)
	d := xml.NewDecoder(bytes.NewReader(page))
	d.TypeFunc = types.TypeFunc()
	return body, d.Decode(&soap.Envelope{Body: body})
}

// testDecodedAlike compares both decoders on all answers of a read.
func testDecodedAlike(t *testing.T, s *session.Session, pages int) {
	t.Helper()
	x := listen(s)
	_, err := read.Inventory(t.Context(), s, tree.Scope{}, inventory.Everything(), nil)
	require.NoError(t, err)
	r, err := WatchRoster(t.Context(), s)
	require.NoError(t, err)
	require.NoError(t, r.Refresh(t.Context()))
	require.GreaterOrEqual(t, len(x.pages), pages+3)
	for _, page := range x.pages {
		want, err := decodeReflectively(page)
		require.NoError(t, err)
		got := bodyOf(page)
		require.NoError(t, soapwire.Page(page, got), "it is decoded without govmomi's decoder")
		require.Equal(t, want, got)
	}
}

func TestWireOfTheDemoFleet(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	s := vspheretest.Demo(t)
	s.SetForTest(session.TestSettings{PageLimit: 3})
	testDecodedAlike(t, s, 6)
}

func TestWireOfARecordedVCenter(t *testing.T) {
	t.Parallel()
	testDecodedAlike(t, vspheretest.Start(t, vspheretest.Recorded(t), nil).Dial(t), 3)
}

// BenchmarkPage decodes a page of 250 VMs with all properties that vperf reads.
func BenchmarkPage(b *testing.B) {
	f, err := simfleet.Start(simfleet.Config{VMs: 400})
	require.NoError(b, err)
	defer f.Close()
	u := *f.URL()
	u.User = nil
	s, err := session.Dial(b.Context(), session.Endpoint{URL: &u, User: f.User(), Password: session.Secret(f.Password()), CertificatePEM: f.CertificatePEM()})
	require.NoError(b, err)
	defer func() { _ = s.Close(b.Context()) }()
	x := listen(s)
	_, err = read.Inventory(b.Context(), s, tree.Scope{}, inventory.Everything(), nil)
	require.NoError(b, err)
	page := largest(x.pages)
	require.Equal(b, 250, strings.Count(string(page), "<obj "), "%d pages", len(x.pages))
	b.Run("wire", func(b *testing.B) {
		b.SetBytes(int64(len(page)))
		b.ReportAllocs()
		for b.Loop() {
			require.NoError(b, soapwire.Page(page, bodyOf(page)))
		}
	})
	b.Run("govmomi", func(b *testing.B) {
		b.SetBytes(int64(len(page)))
		b.ReportAllocs()
		for b.Loop() {
			_, err := decodeReflectively(page)
			require.NoError(b, err)
		}
	})
}

func largest(pages [][]byte) []byte {
	var page []byte
	for _, p := range pages {
		if len(p) > len(page) {
			page = p
		}
	}
	return page
}
