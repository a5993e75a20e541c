package wire

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/methods"
)

// TestTextOfACommand: a text of a host's service is the one that govmomi reads, also from another form.
func TestTextOfACommand(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		here   bool
		text   string
	}{
		"rows":             {`<returnval>==COUNTER-DATA==` + "\n" + `|Server|a &lt; b &amp; &#34;c&#34;|1.5|` + "\n" + `|größer|</returnval>`, true, "==COUNTER-DATA==\n|Server|a < b & \"c\"|1.5|\n|größer|"},
		"long":             {`<returnval>` + strings.Repeat("|1|0|\n", 1<<18) + `</returnval>`, true, strings.Repeat("|1|0|\n", 1<<18)},
		"empty":            {`<returnval></returnval>`, true, ""},
		"nothing":          {``, true, ""},
		"carriage returns": {"<returnval>a\r\nb</returnval>", false, "a\nb"},
		"cdata":            {`<returnval><![CDATA[<a>]]></returnval>`, false, "<a>"},
	} {
		t.Run(name, func(t *testing.T) {
			answer := head + `<ExecuteSimpleCommandResponse xmlns="urn:vim25">` + c.answer + `</ExecuteSimpleCommandResponse>` + foot
			want, got := new(methods.ExecuteSimpleCommandBody), new(methods.ExecuteSimpleCommandBody)
			require.NoError(t, plainly(strings.NewReader(answer), want))
			require.NoError(t, newReader().read(strings.NewReader(answer), 0, got))
			require.Equal(t, c.text, want.Res.Returnval)
			require.Equal(t, want, got)
			require.Equal(t, c.here, Page([]byte(answer), new(methods.ExecuteSimpleCommandBody)) == nil, "decoded here")
			require.Error(t, newReader().read(strings.NewReader(answer[:len(answer)-len(foot)-5]), 0, got), "cut off")
		})
	}
	require.True(t, isPage(new(methods.ExecuteSimpleCommandBody)))
}
