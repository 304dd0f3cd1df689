package s3_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/proof/s3"
)

// parts are those of an upload, by their numbers.
type parts map[string][]byte

// ofParts responds to a request about an object in parts. b.mu is held.
func (b *bucket) ofParts(w http.ResponseWriter, method, path string, query url.Values, body []byte) {
	if _, ok := query["uploads"]; ok && method == http.MethodPost {
		id := fmt.Sprint("upload/", len(b.uploads)+1) // a slash is escaped in queries
		b.uploads[id] = parts{}
		_, _ = fmt.Fprintf(w, `<?xml version="1.0"?><InitiateMultipartUploadResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Bucket>proofs</Bucket><UploadId>%s</UploadId></InitiateMultipartUploadResult>`, id)
		return
	}
	id := query.Get("uploadId")
	upload, ok := b.uploads[id]
	switch {
	case !ok:
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, "<Error><Code>NoSuchUpload</Code></Error>")
	case method == http.MethodPut:
		upload[query.Get("partNumber")] = body
		w.Header().Set("ETag", tagOf(body))
	case method == http.MethodDelete:
		delete(b.uploads, id)
		w.WriteHeader(http.StatusNoContent)
	default:
		var list struct {
			Parts []struct {
				PartNumber int
				ETag       string
			} `xml:"Part"`
		}
		if err := xml.Unmarshal(body, &list); err != nil {
			b.t.Error(err)
		}
		var object []byte
		for i, part := range list.Parts {
			content := upload[fmt.Sprint(part.PartNumber)]
			if part.PartNumber != i+1 || part.ETag != tagOf(content) {
				_, _ = io.WriteString(w, "\n<Error><Code>InvalidPart</Code></Error>")
				return
			}
			object = append(object, content...)
		}
		b.objects[path] = object
		delete(b.uploads, id)
		_, _ = io.WriteString(w, "<CompleteMultipartUploadResult/>")
	}
}

func tagOf(content []byte) string {
	return fmt.Sprintf("%q", fmt.Sprintf("%x", sha256.Sum256(content))[:32])
}

// TestPutFileInParts stores a file that is larger than a part. A part is sent again after a fault of the bucket that
// passes; after any other, and if the file was changed, no part stays and the object is not seen.
func TestPutFileInParts(t *testing.T) {
	t.Parallel()
	content := bytes.Repeat([]byte("0123456789"), 25)
	path := filepath.Join(t.TempDir(), "orders.csv")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	digest := hex.EncodeToString(sum[:])
	for name, c := range map[string]struct {
		answers  []int
		digest   string
		requests int
		want     string // of the error; empty for none
	}{
		"three parts":        {nil, digest, 5, ""},
		"after a fault":      {[]int{503, byItself, 0}, digest, 7, ""},
		"after a late fault": {[]int{byItself, byItself, byItself, byItself, 200}, digest, 6, ""},
		"refused":            {[]int{403}, digest, 1, "403 Forbidden Because403"},
		"without an id":      {[]int{200}, digest, 1, "by which id"},
		"changed":            {nil, strings.Repeat("0", 64), 5, "it was changed"},
		"away from the part": {[]int{byItself, 500, 500, 500}, digest, 5, "part 1: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, b, _ := newStore(t, func(c *s3.Config) { c.PartBytes = 100 })
			b.answers = c.answers
			err := store.PutFile(t.Context(), "orders.csv", path, c.digest)
			b.mu.Lock()
			defer b.mu.Unlock()
			if len(b.asked) != c.requests || len(b.uploads) != 0 {
				t.Errorf("got the requests %v, and %d uploads that stay, want %d and none", b.asked, len(b.uploads), c.requests)
			}
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) || len(b.objects) != 0 {
					t.Errorf("got %d objects, %v, want none and %q", len(b.objects), err, c.want)
				}
				return
			}
			stored := slices.Collect(func(yield func([]byte) bool) {
				for _, object := range b.objects {
					yield(object)
				}
			})
			if err != nil || len(stored) != 1 || !bytes.Equal(stored[0], content) {
				t.Errorf("got %q, %v, want the file", stored, err)
			}
		})
	}
}
