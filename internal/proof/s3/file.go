package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/dropyard/dropyard/internal/proof"
)

// slowest is how many bytes of a file must be sent per second, once it is under way.
const slowest = 256 << 10

// PutFile stores a file, which must not change meanwhile: in one request, or in parts if it is large. digest is its
// SHA-256 in hexadecimal, by which is checked what the bucket has received. Little of the file is in memory at a time.
func (s *Store) PutFile(ctx context.Context, name, path, digest string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.Size() > s.config.PartBytes {
		return s.putParts(ctx, name, file, info.Size(), digest)
	}
	_, err = s.putSection(ctx, s.address(name), io.NewSectionReader(file, 0, info.Size()), digest)
	return err
}

// putSection sends a section of a file until that succeeds or again gives up, and returns the tag that the bucket gives
// to it.
func (s *Store) putSection(
	ctx context.Context, address *url.URL, section *io.SectionReader, digest string,
) (tag string, err error) {
	err = s.again(ctx, func() error {
		tag, err = s.trySection(ctx, address, section, digest)
		return err
	})
	return tag, err
}

func (s *Store) trySection(
	ctx context.Context, address *url.URL, section *io.SectionReader, digest string,
) (tag string, err error) {
	ctx, cancel := context.WithTimeout(ctx, tryTimeout+time.Duration(section.Size()/slowest)*time.Second)
	defer cancel()
	// Each try has a reader of its own: the transport may still read from that of the try before.
	var body io.Reader = io.NewSectionReader(section, 0, section.Size())
	if section.Size() == 0 {
		body = http.NoBody // an empty reader is sent as a body of unknown length
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, address.String(), body)
	if err != nil {
		return "", fmt.Errorf("PUT an object: %w", err)
	}
	request.ContentLength = section.Size()
	request.Header.Set("Content-Type", "application/octet-stream")
	credentials{s.config.Key, s.config.Secret, s.config.Region}.signDigest(request, digest, s.config.Now())
	response, err := s.http.Do(request)
	if err != nil {
		return "", fmt.Errorf("%w: %w", proof.ErrUnavailable, err)
	}
	defer func() { _ = response.Body.Close() }()
	return response.Header.Get("ETag"), failure(http.MethodPut, response)
}

// silence is how long a bucket may send nothing of an object while it is read.
const silence = 30 * time.Second

var errSilent = errors.New("the bucket did not answer in time, or stopped sending")

// Open returns the content of an object, which the caller closes. The error is fs.ErrNotExist if there is none. The
// caller may read it as slowly as it likes, but a bucket that stops sending ends it with an error.
func (s *Store) Open(ctx context.Context, name string) (content io.ReadCloser, err error) {
	err = s.again(ctx, func() error {
		content, err = s.tryOpen(ctx, name)
		return err
	})
	return content, err
}

func (s *Store) tryOpen(ctx context.Context, name string) (_ io.ReadCloser, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	body := &watchedBody{silent: time.AfterFunc(tryTimeout, func() { cancel(errSilent) }), cancel: cancel}
	defer func() {
		if body.silent.Stop(); err != nil {
			cancel(nil)
		}
	}()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.address(name).String(), http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("GET an object: %w", err)
	}
	credentials{s.config.Key, s.config.Secret, s.config.Region}.sign(request, nil, s.config.Now())
	response, err := s.http.Do(request)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", proof.ErrUnavailable, err)
	}
	if err := failure(http.MethodGet, response); err != nil {
		_ = response.Body.Close()
		return nil, err
	}
	body.ReadCloser = response.Body
	return body, nil
}

// watchedBody is the body of a response. Reading fails if nothing is received for some time.
type watchedBody struct {
	io.ReadCloser
	silent *time.Timer // ends the request; runs only while the caller waits
	cancel context.CancelCauseFunc
}

// Read implements io.Reader.
func (b *watchedBody) Read(p []byte) (int, error) {
	b.silent.Reset(silence)
	defer b.silent.Stop()
	return b.ReadCloser.Read(p)
}

// Close implements io.Closer.
func (b *watchedBody) Close() error {
	defer b.cancel(nil)
	return b.ReadCloser.Close()
}

// ignoreAbsent returns an error unless it means that an object does not exist.
func ignoreAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
