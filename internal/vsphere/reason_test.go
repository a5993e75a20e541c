package vsphere

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"
)

func TestMissReason(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"not answered yet":    {nil, "timeout"},
		"slow":                {&slowError{time.Second}, "timeout"},
		"no turn":             {errNoTurn, "timeout"},
		"deadline on the way": {&ConnectError{Err: context.DeadlineExceeded}, "timeout"},
		"dial timeout":        {&ConnectError{Err: &net.OpError{Op: "dial", Err: &net.DNSError{IsTimeout: true}}}, "timeout"},
		"refused connection":  {&ConnectError{Why: "connection refused", Err: errors.New("refused")}, "connection"},
		"certificate":         {&TLSError{Err: x509.UnknownAuthorityError{}}, "connection"},
		"no privilege":        {fmt.Errorf("reading counters of esx: %w", &PermissionError{}), "denied"},
		"fault":               {fmt.Errorf("reading counters of esx: %w", &serverError{fault: &types.SystemError{}}), "refused"},
		"session":             {&restartError{&sessionError{}}, "session"},
		"password":            {fmt.Errorf("the session has expired: %w", &LoginError{}), "session"},
		"host down":           {hostIsDown("host disconnected (state disconnected)"), "host_down"},
		"host gone":           {errNotThere, "host_down"},
		"nothing new":         {errNoSamples, "not_kept"},
		"no Esxtop service":   {fmt.Errorf("reading counters of esx: %w", errNoService), "host_down"},
		"another":             {errors.New("what"), "other"},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, test.want, MissReason(test.err)) })
	}
}
