package s3

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/dropyard/dropyard/internal/proof"
)

const (
	// partBytes is the size of a part. A part that fails is sent again as a whole.
	partBytes = 64 << 20
	// completing is how long a bucket may take to make an object of its parts.
	completing = 2 * time.Minute
	// mostParts is how many parts an object may have.
	mostParts = 10_000
)

// upload is an object that is sent in parts.
type upload struct {
	store *Store
	name  string
	id    string
}

// partOf is a part that the bucket has.
type partOf struct {
	Number int    `xml:"PartNumber"`
	Tag    string `xml:"ETag"`
}

// putParts stores a file in parts. Readers of the bucket see the object once all parts are there, and no part stays
// after a failure, unless the bucket cannot be reached then.
func (s *Store) putParts(ctx context.Context, name string, file *os.File, size int64, digest string) (err error) {
	u, err := s.beginUpload(ctx, name)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, u.abort(context.WithoutCancel(ctx)))
		}
	}()
	parts, sent, err := u.send(ctx, file, size)
	if err != nil {
		return err
	}
	if sent != digest {
		return fmt.Errorf("the file has the SHA-256 %s, want %s: it was changed", sent, digest)
	}
	return u.complete(ctx, parts)
}

func (s *Store) beginUpload(ctx context.Context, name string) (*upload, error) {
	u := &upload{store: s, name: name}
	answer, err := s.ask(ctx, http.MethodPost, u.address(url.Values{"uploads": {""}}), nil, "application/octet-stream")
	if err != nil {
		return nil, err
	}
	var begun struct {
		ID string `xml:"UploadId"`
	}
	if err := xml.Unmarshal(answer, &begun); err != nil || begun.ID == "" {
		return nil, errors.New("POST an object: the bucket does not say by which id parts are sent")
	}
	u.id = begun.ID
	return u, nil
}

// address returns the URL of the object with a query.
func (u *upload) address(query url.Values) *url.URL {
	address := u.store.address(u.name)
	address.RawQuery = query.Encode()
	return address
}

// send sends all parts of a file, one after the other, and returns them with the SHA-256 of all.
func (u *upload) send(ctx context.Context, file *os.File, size int64) (parts []partOf, digest string, err error) {
	all, most := sha256.New(), max(u.store.config.PartBytes, (size+mostParts-1)/mostParts)
	for begin := int64(0); begin < size; begin += most {
		section, own := io.NewSectionReader(file, begin, min(most, size-begin)), sha256.New()
		if _, err := io.Copy(io.MultiWriter(all, own), io.NewSectionReader(section, 0, section.Size())); err != nil {
			return nil, "", err
		}
		part := partOf{Number: len(parts) + 1}
		address := u.address(url.Values{"partNumber": {strconv.Itoa(part.Number)}, "uploadId": {u.id}})
		part.Tag, err = u.store.putSection(ctx, address, section, hex.EncodeToString(own.Sum(nil)))
		if err != nil {
			return nil, "", fmt.Errorf("part %d: %w", part.Number, err)
		}
		parts = append(parts, part)
	}
	return parts, hex.EncodeToString(all.Sum(nil)), nil
}

// complete makes the object of its parts.
func (u *upload) complete(ctx context.Context, parts []partOf) error {
	body, err := xml.Marshal(struct {
		XMLName xml.Name `xml:"CompleteMultipartUpload"`
		Parts   []partOf `xml:"Part"`
	}{Parts: parts})
	if err != nil {
		return err
	}
	return u.store.again(ctx, func() error {
		answer, err := u.store.try(ctx, http.MethodPost, u.ofUpload(), body, "application/xml", completing)
		if err == nil && bytes.Contains(answer, []byte("<Error>")) { // a failure after the status was sent
			err = fmt.Errorf("%w: POST an object: %s", proof.ErrUnavailable, reasonPattern.Find(answer))
		}
		return err
	})
}

// abort has the bucket forget the parts.
func (u *upload) abort(ctx context.Context) error {
	_, err := u.store.ask(ctx, http.MethodDelete, u.ofUpload(), nil, "")
	return ignoreAbsent(err)
}

func (u *upload) ofUpload() *url.URL { return u.address(url.Values{"uploadId": {u.id}}) }
