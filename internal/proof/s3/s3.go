// Package s3 keeps proofs of delivery in a bucket of S3, or of anything that
// speaks its protocol: MinIO, Ceph, R2, Garage. It needs to put, get and delete
// objects and no more, so it signs for itself rather than bring a client of
// 3 MB along.
package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"time"

	"github.com/dropyard/dropyard/internal/proof"
)

// Config says where the bucket is and who asks.
type Config struct {
	Endpoint *url.URL // scheme and host
	Bucket   string
	Prefix   string // of the objects' names; may be empty
	Region   string
	Key      string
	Secret   string
	// VirtualHost puts the bucket in front of the host rather than into the path.
	VirtualHost bool

	Now func() time.Time
	// Pause waits between two tries, unless ctx ends; nil really waits.
	Pause func(ctx context.Context, d time.Duration) error
	// Transport is how the bucket is reached; nil is the usual way.
	Transport *http.Transport
}

// Store keeps pictures as objects.
type Store struct {
	Config
	http *http.Client
}

var _ proof.Store = (*Store)(nil)

const (
	// tryTimeout is how long one try may take, and tries how many there are: all
	// of them fit into the 30 s that a request has.
	tryTimeout = 8 * time.Second
	tries      = 3
	// firstPause is what the first retry waits for; the next waits four times that.
	firstPause = 200 * time.Millisecond
	// maxAnswer bounds what is read of an answer, in bytes. No picture that was
	// put is as large.
	maxAnswer = 16 << 20
	// maxReason bounds what is read of a refusal.
	maxReason = 2 << 10
)

// New makes a store. Nothing is asked of the bucket yet.
func New(config Config) *Store {
	if config.Pause == nil {
		config.Pause = pause
	}
	if config.Transport == nil {
		config.Transport = http.DefaultTransport.(*http.Transport).Clone()
	}
	config.Transport.DisableCompression = true // pictures are compressed already
	return &Store{Config: config, http: &http.Client{
		Transport:     config.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close lets go of idle connections.
func (s *Store) Close() { s.http.CloseIdleConnections() }

// Put keeps a picture. The bucket acknowledges it only when it is whole: the
// digest of the body is signed.
func (s *Store) Put(ctx context.Context, name string, picture proof.Picture) error {
	_, err := s.ask(ctx, http.MethodPut, name, picture.Data, picture.Kind.ContentType())
	return err
}

// Get reads a picture.
func (s *Store) Get(ctx context.Context, name string) (proof.Picture, error) {
	if !proof.IsName(name) {
		return proof.Picture{}, fs.ErrNotExist
	}
	data, err := s.ask(ctx, http.MethodGet, name, nil, "")
	return proof.Picture{Kind: proof.KindOf(name), Data: data}, err
}

// Delete removes a picture. A bucket that keeps versions keeps it as one.
func (s *Store) Delete(ctx context.Context, name string) error {
	_, err := s.ask(ctx, http.MethodDelete, name, nil, "")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// ask tries until there is an answer that another try would not change. All
// methods here may be repeated.
func (s *Store) ask(ctx context.Context, method, name string, body []byte, kind string) (answer []byte, err error) {
	for wait, left := firstPause, tries; ; wait *= 4 {
		answer, err = s.try(ctx, method, name, body, kind)
		left--
		if err == nil || left == 0 || ctx.Err() != nil || !errors.Is(err, proof.ErrUnavailable) {
			break
		}
		if stopped := s.Pause(ctx, wait); stopped != nil {
			break
		}
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%s an object: %w", method, ctx.Err())
	}
	return answer, err
}

func (s *Store) try(ctx context.Context, method, name string, body []byte, kind string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, s.address(name).String(), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%s an object: %w", method, err)
	}
	if kind != "" {
		request.Header.Set("Content-Type", kind)
	}
	credentials{s.Key, s.Secret, s.Region}.sign(request, body, s.Now())
	response, err := s.http.Do(request)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", proof.ErrUnavailable, err)
	}
	defer func() { _ = response.Body.Close() }()
	if err := refused(method, response); err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", proof.ErrUnavailable, err)
	}
	return content, nil
}

// address is where an object is.
func (s *Store) address(name string) *url.URL {
	where := url.URL{Scheme: s.Endpoint.Scheme, Host: s.Endpoint.Host}
	if s.VirtualHost {
		where.Host = s.Bucket + "." + where.Host
		where.Path = path.Join("/", s.Prefix, name)
	} else {
		where.Path = path.Join("/", s.Bucket, s.Prefix, name)
	}
	return &where
}

// reasonPattern finds why S3 refuses, in a document like
// <Error><Code>AccessDenied</Code>….
var reasonPattern = regexp.MustCompile(`<Code>([A-Za-z0-9.]{1,64})</Code>`)

// refusal is nil for an answer that is a success.
func refused(method string, response *http.Response) error {
	if response.StatusCode >= 200 && response.StatusCode < 300 {
		return nil
	}
	reason := ""
	content, _ := io.ReadAll(io.LimitReader(response.Body, maxReason))
	if found := reasonPattern.FindSubmatch(content); found != nil {
		reason = string(found[1])
	}
	err := fmt.Errorf("%s an object: %s %s", method, response.Status, reason)
	switch {
	case response.StatusCode == http.StatusNotFound && reason != "NoSuchBucket" && method != http.MethodPut:
		return fs.ErrNotExist
	case response.StatusCode >= 500, response.StatusCode == http.StatusTooManyRequests, response.StatusCode == http.StatusRequestTimeout:
		return fmt.Errorf("%w: %w", proof.ErrUnavailable, err)
	default:
		return err
	}
}
