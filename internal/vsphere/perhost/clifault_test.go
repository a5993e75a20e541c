package perhost

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/cli/esx"
)

func TestFaultsOfTheCommandLine(t *testing.T) {
	const xsi = `xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"`
	for name, c := range map[string]struct {
		fault esx.Fault
		want  string
	}{
		"a fault of the API": {esx.Fault{
			Message: "The object or item referred to could not be found.",
			Detail: `<LocalizedMethodFault><fault xmlns:_XMLSchema-instance="http://www.w3.org/2001/XMLSchema-instance" _XMLSchema-instance:type="NotFound"></fault>` +
				`<localizedMessage>The object or item referred to could not be found.</localizedMessage></LocalizedMethodFault>`,
		}, "not found: The object or item referred to could not be found."},
		"the command's own": {esx.Fault{
			Message: cliSummary,
			Detail:  `<?xml version="1.0" encoding="UTF-8"?><obj ` + xsi + ` xsi:type="VimEsxCLICLIFault"><errMsg>Unknown NIC vmnic9</errMsg><errMsg>Try list</errMsg></obj>`,
		}, "Unknown NIC vmnic9; Try list"},
		"with a prefix and without a message": {esx.Fault{Message: cliSummary, Detail: `<fault ` + xsi + ` xsi:type="vim25:HostConfigFault"/>`}, "host config fault"},
		"no message but the call's":           {esx.Fault{Message: "Refused.", Detail: `<fault ` + xsi + ` xsi:type="NotSupported"/>`}, "not supported: Refused."},
		"cut off":                             {esx.Fault{Message: cliSummary, Detail: `<obj><errMsg>Half a mess`}, "Half a mess"},
		"no document":                         {esx.Fault{Message: cliSummary, Detail: "Invalid argument"}, "Invalid argument"},
		"message and text":                    {esx.Fault{Message: "Refused", Detail: "Invalid argument"}, "Refused: Invalid argument"},
		"a message alone":                     {esx.Fault{Message: "The object or item referred to could not be found."}, "The object or item referred to could not be found."},
		"neither":                             {esx.Fault{Message: cliSummary}, "the host gave no reason"},
		"control characters":                  {esx.Fault{Message: cliSummary, Detail: "<obj><errMsg>a\tb&#xA;c</errMsg></obj>"}, "a b c"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, "esxcli network nic get: "+c.want, cliError("network nic get", &c.fault).Error())
		})
	}
}
