package wire

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/methods"
)

// BenchmarkPage decodes a page of 250 VMs.
func BenchmarkPage(b *testing.B) {
	one := demoPages(b)["vm"]
	from, to := bytes.Index(one, []byte("<objects>")), bytes.LastIndex(one, []byte("</objects>"))+len("</objects>")
	page := bytes.Join([][]byte{one[:from], bytes.Repeat(one[from:to], 250), one[to:]}, nil)
	d := newReader().decoder
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, d.page(page, new(methods.RetrievePropertiesExBody)))
	}
}
