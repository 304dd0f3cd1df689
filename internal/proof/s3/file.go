package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/dropyard/dropyard/internal/proof"
)

const (
	// slowest is how many bytes of a file must be sent per second, once it is under way.
	slowest = 256 << 10
	// MaxFile is the greatest size of an object that a bucket takes in one request, in bytes.
	MaxFile = 5 << 30
)

// PutFile stores a file, which must not change meanwhile. digest is its SHA-256 in hexadecimal, by which the bucket
// checks what it has received.
func (s *Store) PutFile(ctx context.Context, name, path, digest string) (err error) {
	for wait, left := firstPause, tries; ; wait *= 4 {
		err = s.tryFile(ctx, name, path, digest)
		left--
		if err == nil || left == 0 || ctx.Err() != nil || !errors.Is(err, proof.ErrUnavailable) {
			return err
		}
		if stopped := s.config.Pause(ctx, wait); stopped != nil {
			return err
		}
	}
}

func (s *Store) tryFile(ctx context.Context, name, path, digest string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.Size() > MaxFile {
		return fmt.Errorf("the file has %d bytes, and a bucket takes at most %d in one request", info.Size(), int64(MaxFile))
	}
	ctx, cancel := context.WithTimeout(ctx, tryTimeout+time.Duration(info.Size()/slowest)*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, s.address(name).String(), file)
	if err != nil {
		return fmt.Errorf("PUT an object: %w", err)
	}
	request.ContentLength = info.Size()
	if info.Size() == 0 {
		request.Body = http.NoBody // a body of unknown length otherwise
	}
	request.Header.Set("Content-Type", "application/octet-stream")
	credentials{s.config.Key, s.config.Secret, s.config.Region}.signDigest(request, digest, s.config.Now())
	response, err := s.http.Do(request)
	if err != nil {
		return fmt.Errorf("%w: %w", proof.ErrUnavailable, err)
	}
	defer func() { _ = response.Body.Close() }()
	return failure(http.MethodPut, response)
}

// Open returns the content of an object, which the caller closes. The error is fs.ErrNotExist if there is none.
func (s *Store) Open(ctx context.Context, name string) (content io.ReadCloser, err error) {
	for wait, left := firstPause, tries; ; wait *= 4 {
		content, err = s.tryOpen(ctx, name)
		left--
		if err == nil || left == 0 || ctx.Err() != nil || !errors.Is(err, proof.ErrUnavailable) {
			return content, err
		}
		if stopped := s.config.Pause(ctx, wait); stopped != nil {
			return nil, err
		}
	}
}

func (s *Store) tryOpen(ctx context.Context, name string) (io.ReadCloser, error) {
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
	return response.Body, nil
}
