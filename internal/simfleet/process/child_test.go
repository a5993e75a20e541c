package process

import (
	"bytes"
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/session"
	"github.com/vmware/govmomi/view"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/soap"

	"github.com/vperf/vperf/internal/simfleet"
)

// roleEnv makes the test binary play the child.
const roleEnv = "VPERF_TEST_SIMCHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(roleEnv) {
	case "":
		os.Exit(m.Run())
	case "serve":
		if err := Serve(os.Stdin, os.Stdout, simfleet.Config{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case "replay":
		if err := ServeReplay(os.Stdin, os.Stdout, simfleet.Config{}, replayed); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case "parent": // one that is killed
		c, err := Spawn(context.Background(), []string{os.Args[0]}, childEnv("serve"), 0)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(c.URL.Host)
		select {}
	case "fail":
		fmt.Fprintln(os.Stderr, "out of luck")
		os.Exit(1)
	case "babble":
		fmt.Println("hello")
		time.Sleep(time.Minute)
	case "silent":
		time.Sleep(time.Minute)
	}
}

// The race detector would make each child sleep for a second at its end.
func childEnv(role string) []string {
	return append(os.Environ(), roleEnv+"="+role, "GORACE=atexit_sleep_ms=0")
}

func TestSpawn(t *testing.T) {
	began := time.Now()
	c, err := Spawn(t.Context(), []string{os.Args[0]}, childEnv("serve"), 0)
	require.NoError(t, err)
	defer c.Close()
	t.Logf("served after %s", time.Since(began).Round(time.Millisecond))

	s := soap.NewClient(c.URL, false)
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM(c.CertificatePEM))
	s.DefaultTransport().TLSClientConfig.RootCAs = pool
	client, err := vim25.NewClient(t.Context(), s)
	require.NoError(t, err)
	require.NoError(t, session.NewManager(client).Login(t.Context(), url.UserPassword(c.User, c.Password)))
	all, err := view.NewManager(client).CreateContainerView(t.Context(), client.ServiceContent.RootFolder, []string{"HostSystem"}, true)
	require.NoError(t, err)
	hosts, err := all.Find(t.Context(), nil, nil)
	require.NoError(t, err)
	require.Len(t, hosts, 16)
	require.Nil(t, c.URL.User)
	require.NotContains(t, strings.Join(c.cmd.Args, " "), c.Password)
	require.NotContains(t, strings.Join(c.cmd.Env, " "), c.Password)

	c.Close()
	c.Close()
	requireGone(t, c.URL.Host)
	require.True(t, c.cmd.ProcessState.Success(), "it ended by itself: %s", c.cmd.ProcessState)
}

// requireGone waits until nothing listens at the address.
func requireGone(t *testing.T, address string) {
	t.Helper()
	require.Eventually(t, func() bool {
		conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(t.Context(), "tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	}, 30*time.Second, 10*time.Millisecond)
}

func TestChildDiesWithAKilledParent(t *testing.T) {
	parent := exec.CommandContext(t.Context(), os.Args[0])
	files := t.TempDir()
	parent.Env = append(childEnv("parent"), "TMPDIR="+files)
	out, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	var host string
	_, err = fmt.Fscanln(out, &host)
	require.NoError(t, err)
	require.NoError(t, parent.Process.Kill())
	_ = parent.Wait()
	requireGone(t, host)
	require.Eventually(t, func() bool {
		left, err := os.ReadDir(files)
		return err == nil && len(left) == 0
	}, 30*time.Second, 10*time.Millisecond, "files stay behind")
}

func TestSpawnFails(t *testing.T) {
	_, err := Spawn(t.Context(), []string{os.Args[0]}, childEnv("fail"), 0)
	require.ErrorContains(t, err, "out of luck")
	_, err = Spawn(t.Context(), []string{os.Args[0]}, childEnv("babble"), 0)
	require.ErrorContains(t, err, "greeting")
	_, err = Spawn(t.Context(), []string{t.TempDir() + "/none"}, nil, 0)
	require.Error(t, err)
	_, err = Spawn(t.Context(), nil, nil, 0)
	require.Error(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = Spawn(ctx, []string{os.Args[0]}, childEnv("silent"), 0)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestServeEndsWithItsInput(t *testing.T) {
	in, closer := io.Pipe()
	var out bytes.Buffer
	done := make(chan error, 1)
	go func() { done <- Serve(in, &out, simfleet.Config{}) }()
	require.NoError(t, closer.Close())
	select {
	case err := <-done:
		require.NoError(t, err)
	case <-time.After(time.Minute):
		t.Fatal("still serving")
	}
	require.Equal(t, 1, bytes.Count(out.Bytes(), []byte("\n")))
	require.Contains(t, out.String(), `"certificate":"-----BEGIN CERTIFICATE-----`)
}

func TestGreetingIsBounded(t *testing.T) {
	_, err := readGreeting(t.Context(), strings.NewReader(strings.Repeat("x", 2*greetingLimit)))
	require.Error(t, err)
}

func TestTailKeepsTheEnd(t *testing.T) {
	var x tail
	_, _ = x.Write(bytes.Repeat([]byte("a"), stderrLimit))
	_, _ = x.Write([]byte("the end\n"))
	require.Len(t, x.String(), stderrLimit-1)
	require.True(t, strings.HasSuffix(x.String(), "the end"))
}
