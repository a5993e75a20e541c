package cli

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A server that takes the request and never answers must not hold up Ctrl-C.
func TestInterruptEndsAHangingAudit(t *testing.T) {
	asked := make(chan struct{}, 1)
	server := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case asked <- struct{}{}:
		default:
		}
		<-r.Context().Done()
	}))
	t.Cleanup(server.CloseClientConnections)

	self, err := os.Executable()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, "audit", "--insecure", "--url", server.URL)
	cmd.Args[0] = "vperf" // the name under which the test binary is vperf
	home := t.TempDir()
	cmd.Env = []string{
		"HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_CACHE_HOME=" + home, "XDG_STATE_HOME=" + home,
		"GORACE=atexit_sleep_ms=0", "GOVC_USERNAME=audit", "GOVC_PASSWORD=pa55",
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Start())
	select {
	case <-asked:
	case <-ctx.Done():
		t.Fatal("the server was never asked")
	}
	interrupted := time.Now()
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	err = cmd.Wait()
	t.Logf("ended %v after the signal", time.Since(interrupted))
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, exitInterrupted, exit.ExitCode(), stderr.String())
	require.Equal(t, "reading "+strings.TrimPrefix(server.URL, "https://")+" (flag --url)\nvperf: interrupted\n", stderr.String())
	require.Less(t, time.Since(interrupted), 15*time.Second, "it waited for the server")
}
