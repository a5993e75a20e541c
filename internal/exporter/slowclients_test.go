package exporter

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/exposition"
)

// pipes is a listener whose connections are in memory, so that their deadlines go by the clock of a test.
type pipes struct {
	conns chan net.Conn
	over  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.over:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.over); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "unix"} }

// dial connects a client.
func (p *pipes) dial() net.Conn {
	client, server := net.Pipe()
	p.conns <- server
	return client
}

// slowly writes or reads a byte a second until the server ends the connection, and returns how long that took.
func slowly(step func([]byte) (int, error), all []byte) time.Duration {
	began := time.Now()
	for i := range all {
		if _, err := step(all[i : i+1]); err != nil {
			break
		}
		time.Sleep(time.Second)
	}
	return time.Since(began)
}

// TestSlowClients has hundreds of clients that send their requests, or read their pages, one byte a second. Each is disconnected at a
// limit. Meanwhile another client gets every page at once.
func TestSlowClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const slow = 300 // more than pages may be made at once
		content := bytes.Repeat([]byte("vperf_up 1\n"), 10_000)
		demo := named("demo")
		demo.page = func(context.Context, []module.Name, exposition.Format, bool) (*Page, error) {
			return &Page{ContentType: "text/plain", Length: int64(len(content)), Body: bytes.NewReader(content)}, nil
		}
		s, _ := aServer(t, ServerOptions{}, demo)
		s.now = time.Now
		ctx, abandon := context.WithCancel(t.Context())
		h := s.newHTTP(ctx, s.handler())
		at := &pipes{conns: make(chan net.Conn), over: make(chan struct{})}
		served := make(chan error, 1)
		go func() { served <- h.Serve(at) }()

		var ends atomic.Int32
		for i := range slow {
			go func() {
				c := at.dial()
				defer func() { _ = c.Close() }()
				switch i % 3 {
				case 0: // sends its header slowly
					go func() { _, _ = io.Copy(io.Discard, c) }() // a real connection has a buffer for the answer, and a pipe has none
					took := slowly(c.Write, bytes.Repeat([]byte("GET /probe?target=demo HTTP/1.1\r\nX: "), 20))
					assert.Less(t, took, readLimit+2*time.Second)
				case 1: // reads its page slowly
					_, err := io.WriteString(c, "GET /probe?target=demo HTTP/1.1\r\nHost: x\r\n\r\n")
					assert.NoError(t, err)
					took := slowly(c.Read, make([]byte, 1000))
					assert.Less(t, took, writeLimit+2*time.Second)
				default: // asks, reads, and stays
					_, err := io.WriteString(c, "GET /-/healthy HTTP/1.1\r\nHost: x\r\n\r\n")
					assert.NoError(t, err)
					began := time.Now()
					_, _ = io.Copy(io.Discard, c)
					assert.Less(t, time.Since(began), idleLimit+2*time.Second)
				}
				ends.Add(1)
			}()
		}
		for range 20 {
			time.Sleep(15 * time.Second)
			began := time.Now()
			c := at.dial()
			go func() {
				_, _ = io.WriteString(c, "GET /probe?target=demo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
			}()
			answer, err := http.ReadResponse(bufio.NewReader(c), nil)
			require.NoError(t, err)
			page, err := io.ReadAll(answer.Body)
			require.NoError(t, errors.Join(err, answer.Body.Close(), c.Close()))
			require.Len(t, page, len(content))
			require.Zero(t, time.Since(began), "slow clients delay nobody")
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		require.EqualValues(t, slow, ends.Load(), "no slow client is left")
		abandon()
		require.NoError(t, h.Close())
		require.ErrorIs(t, <-served, http.ErrServerClosed)
	})
}

// TestPagesOfManyFormsAreForgotten: requests for each combination of modules do not fill the memory, and do not displace the page that is
// asked for all the time.
func TestPagesOfManyFormsAreForgotten(t *testing.T) {
	at, rendered := noon, 0
	p := pages{kept: map[form]*rendering{}, now: func() time.Time { at = at.Add(time.Millisecond); return at }}
	get := func(modules string) {
		_, err := p.get(form{modules: modules}, func() version { return version{} }, func() (body, error) {
			rendered++
			return body{[]byte(modules)}, nil
		})
		require.NoError(t, err)
	}
	get("basic")
	for i := range 1000 {
		get(strconv.Itoa(i))
		get("basic")
		require.LessOrEqual(t, len(p.kept), maxForms)
	}
	require.Equal(t, 1001, rendered, "the page of the scraper stays")
}
