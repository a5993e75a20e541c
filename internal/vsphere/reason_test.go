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

// TestMissReasonOfTroubles: errors as sources give them.
func TestMissReasonOfTroubles(t *testing.T) {
	p := servePerf(t, 3)
	source := p.open(t, 1, everySample)
	source.patience, source.brief = 700*time.Millisecond, 700*time.Millisecond
	source.session.call.firstPause = time.Millisecond
	nextRound(t, source)
	for reason, strike := range map[string]func(){
		"refused":    func() { p.broken = true },
		"connection": func() { p.breaks = true },
		"timeout":    func() { p.hangs[source.hosts[0].moid] = true },
	} {
		p.set(strike)
		for _, h := range source.hosts {
			h.alone, h.again = false, time.Time{}
		}
		r := nextRound(t, source)
		require.NotEmpty(t, r.Troubles, reason)
		require.Equal(t, reason, MissReason(r.Troubles[0].Err), "%v", r.Troubles[0].Err)
		p.set(func() { p.broken, p.breaks = false, false; clear(p.hangs) })
	}
}
