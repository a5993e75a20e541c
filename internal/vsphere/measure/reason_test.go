package measure

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

	"github.com/vperf/vperf/internal/vsphere/session"
)

func TestMissReason(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"not answered yet":    {nil, "timeout"},
		"slow":                {&slowError{time.Second}, "timeout"},
		"no turn":             {errNoTurn, "timeout"},
		"deadline on the way": {&session.ConnectError{Err: context.DeadlineExceeded}, "timeout"},
		"dial timeout":        {&session.ConnectError{Err: &net.OpError{Op: "dial", Err: &net.DNSError{IsTimeout: true}}}, "timeout"},
		"refused connection":  {&session.ConnectError{Why: "connection refused", Err: errors.New("refused")}, "connection"},
		"certificate":         {&session.TLSError{Err: x509.UnknownAuthorityError{}}, "connection"},
		"no privilege":        {fmt.Errorf("reading counters of esx: %w", &session.PermissionError{}), "denied"},
		"fault":               {fmt.Errorf("reading counters of esx: %w", &session.ServerError{Fault: &types.SystemError{}}), "refused"},
		"session":             {&session.RestartError{Cause: &session.ExpiredError{}}, "session"},
		"password":            {fmt.Errorf("the session has expired: %w", &session.LoginError{}), "session"},
		"host down":           {hostIsDown("host disconnected (state disconnected)"), "host_down"},
		"host gone":           {errNotThere, "host_down"},
		"nothing new":         {errNoSamples, "not_kept"},
		"no Esxtop service":   {fmt.Errorf("reading counters of esx: %w", errNoService), "host_down"},
		"another":             {errors.New("what"), "other"},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, test.want, session.MissReason(test.err)) })
	}
}
