package wire

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"sync"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/xml"
)

// Client is a SOAP client that decodes pages of properties and counter samples itself, and limits the nesting of all answers.
// Connections and cookies are those of the embedded client, which must not send SOAP headers.
type Client struct {
	*soap.Client
	pool sync.Pool // of readers

	mu     sync.Mutex
	paging []*reader // of those between two pages
}

// NewClient returns a Client that decodes answers to c.
func NewClient(c *soap.Client) *Client {
	return &Client{Client: c, pool: sync.Pool{New: func() any { return newReader() }}}
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
		r := c.reader()
		defer func() { c.keep(r, res) }()
		err := r.read(answer.Body, max(answer.ContentLength, 0), res)
		cleanInside(res)
		return err
	})
}

// cleanInside removes what XML forbids from the answer of a host's command line, which is a document inside the document.
func cleanInside(res soap.HasFault) {
	body := reflect.ValueOf(res).Elem()
	if body.Type().Name() != "ExecuteSoapBody" {
		return
	}
	answer := reflect.Indirect(body.FieldByName("Res"))
	if !answer.IsValid() {
		return
	}
	result := reflect.Indirect(answer.FieldByName("Returnval"))
	if !result.IsValid() {
		return
	}
	if text, _ := cleaned([]byte(result.FieldByName("Response").String())); len(text) > 0 {
		result.FieldByName("Response").SetString(string(text))
	}
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

// reader returns a reader for an answer: that of the page before, or one from the pool.
func (c *Client) reader() *reader {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.paging); n > 0 {
		r := c.paging[n-1]
		c.paging = c.paging[:n-1]
		return r
	}
	return c.pool.Get().(*reader)
}

// mostPaging is how many readers wait for next pages, at most. If a reading ends before its last page, its reader serves the next call.
const mostPaging = 4

// keep keeps the reader of an answer: for the next page, if there is one, or in the pool, which the garbage collector empties. A large
// buffer is freed after the last page, and when samples do not fill a quarter of it.
func (c *Client) keep(r *reader, answer soap.HasFault) {
	page, followed := paged(answer)
	size := r.body.Cap()
	switch {
	case size > maxKept:
		return
	case followed:
		c.mu.Lock()
		defer c.mu.Unlock()
		if len(c.paging) < mostPaging {
			c.paging = append(c.paging, r)
		}
		return
	case size > smallKept && (page || size > 4*r.body.Len()):
		r.body = bytes.Buffer{}
	}
	c.pool.Put(r)
}

// paged reports whether an answer is a page of properties, and whether there is another one after it.
func paged(answer soap.HasFault) (page, followed bool) {
	switch a := answer.(type) {
	case *methods.RetrievePropertiesExBody:
		return true, a.Res != nil && a.Res.Returnval != nil && a.Res.Returnval.Token != ""
	case *methods.ContinueRetrievePropertiesExBody:
		return true, a.Res != nil && a.Res.Returnval.Token != ""
	}
	return false, false
}
