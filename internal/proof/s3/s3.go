// Package s3 stores proofs of delivery in a bucket of S3, or of another service with
// its protocol: MinIO, Ceph, R2, Garage. It only puts, gets and deletes objects, so
// it signs requests itself and does not need a client library of 3 MB.
package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/dropyard/dropyard/internal/foundation/pace"
	"github.com/dropyard/dropyard/internal/foundation/picture"
	"github.com/dropyard/dropyard/internal/proof"
)

// Config names the bucket and the credentials.
type Config struct {
	Endpoint *url.URL // scheme and host
	Bucket   string
	Prefix   string // of the objects' names; may be empty
	Region   string
	Key      string // the id of the access key
	Secret   string
	// VirtualHost puts the bucket's name before the host instead of into the path.
	VirtualHost bool

	Now func() time.Time
	// Pause waits between two tries, and returns an error if ctx ends before. If it
	// is nil a timer is used.
	Pause func(ctx context.Context, d time.Duration) error
	// PartBytes is the size of a part of a file that is larger, in bytes; 64 MiB if it is 0.
	PartBytes int64
	// Transport sends the requests; nil means a copy of http.DefaultTransport.
	Transport *http.Transport
}

// Store stores pictures as objects of a bucket. Many goroutines may use it.
type Store struct {
	config Config
	http   *http.Client
}

var _ proof.Store = (*Store)(nil)

const (
	// tryTimeout is how long one try may take, and tries is the number of tries. All
	// of them together take less than the 30 s of a request.
	tryTimeout = 8 * time.Second
	tries      = 3
	// firstPause is the pause before the second try. The next is four times as long.
	firstPause = 200 * time.Millisecond
	// maxAnswer is how many bytes of a response are read. Pictures are smaller.
	maxAnswer = 16 << 20
	// maxReason is how many bytes of an error response are read.
	maxReason = 2 << 10
)

// ErrDenied means that a bucket knows the access key, which does not have the right. A bucket whose objects the key may
// not list says so of an object that is not there, too.
var ErrDenied = errors.New("the access key does not have the right")

// New returns a store. It sends no request.
func New(config Config) *Store {
	if config.Pause == nil {
		config.Pause = pace.Pause
	}
	if config.PartBytes == 0 {
		config.PartBytes = partBytes
	}
	if config.Transport == nil {
		config.Transport = http.DefaultTransport.(*http.Transport).Clone()
	}
	config.Transport.DisableCompression = true // pictures are compressed already
	return &Store{config: config, http: &http.Client{
		Transport:     config.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Close closes idle connections.
func (s *Store) Close() { s.http.CloseIdleConnections() }

// Put stores a picture. The bucket does not accept a truncated one, because the
// digest of the body is signed.
func (s *Store) Put(ctx context.Context, name string, cleaned picture.Picture) error {
	_, err := s.ask(ctx, http.MethodPut, s.address(name), cleaned.Data, cleaned.Format.ContentType())
	return err
}

// Get returns a picture. The error is fs.ErrNotExist if there is none.
func (s *Store) Get(ctx context.Context, name string) (picture.Picture, error) {
	if !proof.IsName(name) {
		return picture.Picture{}, fs.ErrNotExist
	}
	data, err := s.ask(ctx, http.MethodGet, s.address(name), nil, "")
	return picture.Picture{Format: proof.FormatOf(name), Data: data}, err
}

// Delete removes a picture, if there is one. A bucket with versioning keeps it as an
// older version.
func (s *Store) Delete(ctx context.Context, name string) error {
	_, err := s.ask(ctx, http.MethodDelete, s.address(name), nil, "")
	return ignoreAbsent(err)
}

// ask sends a request until it succeeds or again gives up, and returns the body of the response.
func (s *Store) ask(
	ctx context.Context, method string, address *url.URL, body []byte, kind string,
) (answer []byte, err error) {
	err = s.again(ctx, func() error {
		answer, err = s.try(ctx, method, address, body, kind, tryTimeout)
		return err
	})
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%s an object: %w", method, ctx.Err())
	}
	return answer, err
}

// again tries something until it succeeds, fails for a reason that another try would not change, or has been tried
// often enough.
func (s *Store) again(ctx context.Context, try func() error) error {
	for wait, left := firstPause, tries-1; ; wait, left = wait*4, left-1 {
		err := try()
		if err == nil || left == 0 || ctx.Err() != nil || !errors.Is(err, proof.ErrUnavailable) {
			return err
		}
		if stopped := s.config.Pause(ctx, wait); stopped != nil {
			return err
		}
	}
}

func (s *Store) try(
	ctx context.Context, method string, address *url.URL, body []byte, kind string, within time.Duration,
) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, address.String(), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%s an object: %w", method, err)
	}
	if kind != "" {
		request.Header.Set("Content-Type", kind)
	}
	credentials{s.config.Key, s.config.Secret, s.config.Region}.sign(request, body, s.config.Now())
	response, err := s.http.Do(request)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", proof.ErrUnavailable, err)
	}
	defer func() { _ = response.Body.Close() }()
	if err := failure(method, response); err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", proof.ErrUnavailable, err)
	}
	return content, nil
}

// address returns the URL of an object.
func (s *Store) address(name string) *url.URL {
	where := url.URL{Scheme: s.config.Endpoint.Scheme, Host: s.config.Endpoint.Host}
	if s.config.VirtualHost {
		where.Host = s.config.Bucket + "." + where.Host
		where.Path = path.Join("/", s.config.Prefix, name)
	} else {
		where.Path = path.Join("/", s.config.Bucket, s.config.Prefix, name)
	}
	where.RawPath = escapePath(where.Path) // as it is signed: buckets differ in what they make of other escapes
	return &where
}

// reasonPattern finds the code in an error response, such as
// <Error><Code>AccessDenied</Code>…, and messagePattern the sentence beside it.
var (
	reasonPattern  = regexp.MustCompile(`<Code>([A-Za-z0-9.]{1,64})</Code>`)
	messagePattern = regexp.MustCompile(`<Message>([^<]{1,300})</Message>`)
)

// failure returns the error that a response means, or nil for a success.
func failure(method string, response *http.Response) error {
	if response.StatusCode >= 200 && response.StatusCode < 300 {
		return nil
	}
	reason := ""
	content, _ := io.ReadAll(io.LimitReader(response.Body, maxReason))
	if found := reasonPattern.FindSubmatch(content); found != nil {
		reason = string(found[1])
	}
	words := reason
	if found := messagePattern.FindSubmatch(content); found != nil {
		words = strings.TrimSpace(fmt.Sprintf("%s: %s", reason, strings.Map(printable, html.UnescapeString(string(found[1])))))
	}
	err := fmt.Errorf("%s an object: %s %s", method, response.Status, words)
	switch {
	case response.StatusCode == http.StatusNotFound && reason != "NoSuchBucket" &&
		method != http.MethodPut && method != http.MethodPost:
		return fs.ErrNotExist
	case reason == "AccessDenied":
		return fmt.Errorf("%w: %w", ErrDenied, err)
	case response.StatusCode >= 500, response.StatusCode == http.StatusTooManyRequests,
		response.StatusCode == http.StatusRequestTimeout:
		return fmt.Errorf("%w: %w", proof.ErrUnavailable, err)
	default:
		return err
	}
}

// printable replaces characters that cannot be seen by spaces.
func printable(r rune) rune {
	if !unicode.IsPrint(r) {
		return ' '
	}
	return r
}
