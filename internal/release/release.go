// Package release asks the project's release page for the latest release of vperf.
package release

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

// Page is the address of the project's latest release. It redirects to the page of that release.
const Page = "https://github.com/vperf/vperf/releases/latest"

// limit is the longest time that a check takes. A person waits for it.
const limit = 10 * time.Second

// ErrNone reports that the page lists no release.
var ErrNone = errors.New("the project has published no release yet")

// Latest is the newest published release.
type Latest struct {
	Version string // with the v, as in v0.1.0
	URL     string // its page
}

// Ask makes one request to a release page. The page redirects to the page of a release, whose name is its version.
func Ask(ctx context.Context, page string) (Latest, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	latest, err := ask(ctx, page)
	switch {
	case err == nil || errors.Is(err, ErrNone):
		return latest, err
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = fmt.Errorf("no answer within %s", limit)
	}
	return Latest{}, fmt.Errorf("asking %s for the latest release: %w", page, err)
}

func ask(ctx context.Context, page string) (Latest, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, page, http.NoBody)
	if err != nil {
		return Latest{}, err
	}
	stay := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := stay.Do(request)
	if err != nil {
		// Without the address, which the caller adds.
		if failed, ok := errors.AsType[*url.Error](err); ok {
			err = failed.Err
		}
		return Latest{}, err
	}
	defer answer.Body.Close()
	to, err := answer.Location()
	switch {
	case answer.StatusCode == http.StatusNotFound:
		return Latest{}, ErrNone
	case err != nil:
		return Latest{}, fmt.Errorf("unexpected answer %s", answer.Status)
	case strings.HasSuffix(to.Path, "/releases"): // where the page leads while there is no release
		return Latest{}, ErrNone
	}
	version := path.Base(to.Path)
	if !semver.IsValid(version) {
		return Latest{}, fmt.Errorf("unexpected redirect to %q", to.String())
	}
	return Latest{Version: version, URL: to.String()}, nil
}

// IsRelease reports whether a version is that of a release. Builds from other commits have a version such as (devel) or
// v0.1.1-0.20261124185518-a7933874c8b1+dirty.
func IsRelease(version string) bool {
	return semver.IsValid(version) && semver.Prerelease(version) == "" && semver.Build(version) == ""
}

// IsNewer reports whether the latest release is newer than a release.
func (l Latest) IsNewer(version string) bool { return semver.Compare(l.Version, version) > 0 }
