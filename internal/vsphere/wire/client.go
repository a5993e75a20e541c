package wire

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/xml"
)

// Client is a SOAP client that decodes pages of properties and counter samples itself, and limits the nesting of all answers.
// Connections and cookies are those of the embedded client, which must not send SOAP headers.
type Client struct {
	*soap.Client
	readers sync.Pool
}

// NewClient returns a Client that decodes answers to c.
func NewClient(c *soap.Client) *Client {
	return &Client{Client: c, readers: sync.Pool{New: func() any { return newReader() }}}
}

// RoundTrip implements soap.RoundTripper.
func (c *Client) RoundTrip(ctx context.Context, req, res soap.HasFault) error {
	if query, is := req.(*QueryPerfBody); is {
		if answer, is := res.(*QueryPerfBody); is {
			answer.Room = query.Room
		}
	}
	post, err := c.request(ctx, req)
	if err != nil {
		return err
	}
	return c.Do(ctx, post, func(answer *http.Response) error {
		if !isPage(res) {
			return plainly(answer.Body, res)
		}
		r := c.readers.Get().(*reader)
		defer c.keep(r)
		return r.read(answer.Body, max(answer.ContentLength, 0), res)
	})
}

// request builds the same request as soap.Client.
func (c *Client) request(ctx context.Context, body soap.HasFault) (*http.Request, error) {
	text, size, err := envelope(body)
	if err != nil {
		return nil, err
	}
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL().String(), text)
	if err != nil {
		return nil, err
	}
	post.ContentLength = size
	post.Header.Set("Content-Type", `text/xml; charset="utf-8"`)
	post.Header.Set("SOAPAction", fmt.Sprintf("%s/%s", c.Namespace, c.Version))
	return post, nil
}

// envelope returns the text of a request, and its length if that is known in advance.
func envelope(body soap.HasFault) (io.Reader, int64, error) {
	if q, ok := body.(*QueryPerfBody); ok && q.Req != nil {
		text, size := q.Req.envelope()
		return text, size, nil
	}
	text, err := xml.Marshal(soap.Envelope{Body: body})
	if err != nil {
		return nil, 0, err
	}
	return io.MultiReader(strings.NewReader(xml.Header), bytes.NewReader(text)), -1, nil
}

// keep keeps a reader for the next answer, unless the garbage collector needs its memory before.
func (c *Client) keep(r *reader) {
	if r.body.Cap() > maxKept {
		return
	}
	if size := r.body.Cap(); size > smallKept && size > 4*r.body.Len() { // pages are read for a while, samples always
		r.body = bytes.Buffer{}
	}
	c.readers.Put(r)
}
