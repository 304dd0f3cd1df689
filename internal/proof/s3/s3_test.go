package s3_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/picture"
	"github.com/dropyard/dropyard/internal/proof"
	"github.com/dropyard/dropyard/internal/proof/s3"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

const (
	key    = "AKIDEXAMPLE"
	secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
	region = "ca-central-1"
)

var now = time.Date(2026, 11, 21, 23, 59, 59, 0, time.UTC)

// byItself stands for the response that a bucket gives by itself.
const byItself = -1

// bucket is a small S3, which checks signatures. It shares no code with the client.
type bucket struct {
	t *testing.T

	mu      sync.Mutex
	objects map[string][]byte // guarded by mu; by path
	types   map[string]string // guarded by mu; the media types, by path
	asked   []string          // guarded by mu; methods and paths
	answers []int             // guarded by mu; the statuses of the next responses; 0 closes the connection
	uploads map[string]parts  // guarded by mu; those that are under way, by their ids
}

func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		b.t.Error(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked = append(b.asked, r.Method+" "+r.Host+r.URL.Path)
	status := byItself
	if len(b.answers) > 0 {
		status, b.answers = b.answers[0], b.answers[1:]
	}
	if status != byItself {
		if status == 0 {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `<?xml version="1.0"?><Error><Code>Because%d</Code><Message>Not &lt;you&gt;&#xA;now.</Message><Resource>%s</Resource></Error>`, status,
			secret)
		return
	}
	if !b.signed(r, body) {
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, "<Error><Code>SignatureDoesNotMatch</Code></Error>")
		return
	}
	path := r.Host + r.URL.Path
	if query := r.URL.Query(); len(query) > 0 {
		b.ofParts(w, r.Method, path, query, body)
		return
	}
	switch r.Method {
	case http.MethodPut:
		b.objects[path], b.types[path] = body, r.Header.Get("Content-Type")
	case http.MethodDelete:
		delete(b.objects, path)
		w.WriteHeader(http.StatusNoContent)
	default:
		object, ok := b.objects[path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, "<Error><Code>NoSuchKey</Code></Error>")
			return
		}
		_, _ = w.Write(object)
	}
}

// signed reports whether the signature is that of the request as received.
func (b *bucket) signed(r *http.Request, body []byte) bool {
	hash := func(data []byte) string { sum := sha256.Sum256(data); return hex.EncodeToString(sum[:]) }
	mac := func(key []byte, text string) []byte {
		m := hmac.New(sha256.New, key)
		_, _ = io.WriteString(m, text)
		return m.Sum(nil)
	}
	rest, ok := strings.CutPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 ")
	parts := map[string]string{}
	for part := range strings.SplitSeq(rest, ", ") {
		name, value, _ := strings.Cut(part, "=")
		parts[name] = value
	}
	var headers strings.Builder
	for name := range strings.SplitSeq(parts["SignedHeaders"], ";") {
		value := r.Header.Get(name)
		if name == "host" {
			value = r.Host
		}
		headers.WriteString(name + ":" + value + "\n")
	}
	digest, date := hash(body), r.Header.Get("X-Amz-Date")
	scope := now.Format("20060102") + "/" + region + "/s3/aws4_request"
	canonical := r.Method + "\n" + r.URL.EscapedPath() + "\n" + r.URL.RawQuery + "\n" + headers.String() + "\n" +
		parts["SignedHeaders"] + "\n" + digest
	signing := mac(mac(mac(mac([]byte("AWS4"+secret), now.Format("20060102")), region), "s3"), "aws4_request")
	want := hex.EncodeToString(mac(signing, "AWS4-HMAC-SHA256\n"+date+"\n"+scope+"\n"+hash([]byte(canonical))))
	return ok && r.Header.Get("X-Amz-Content-Sha256") == digest && date == now.Format("20060102T150405Z") &&
		strings.Contains(";"+parts["SignedHeaders"]+";", ";host;") &&
		strings.Contains(parts["SignedHeaders"], "x-amz-date") &&
		parts["Credential"] == key+"/"+scope && hmac.Equal([]byte(parts["Signature"]), []byte(want))
}

// newStore starts a bucket and a store that uses it. The store records its pauses
// instead of waiting.
func newStore(t *testing.T, change func(*s3.Config)) (*s3.Store, *bucket, *[]time.Duration) {
	t.Helper()
	b := &bucket{t: t, objects: map[string][]byte{}, types: map[string]string{}, uploads: map[string]parts{}}
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	endpoint, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	var pauses []time.Duration
	config := s3.Config{
		Endpoint: endpoint, Bucket: "proofs", Region: region, Key: key, Secret: secret, Now: func() time.Time { return now },
		Pause: func(ctx context.Context, d time.Duration) error { pauses = append(pauses, d); return ctx.Err() },
	}
	if change != nil {
		change(&config)
	}
	store := s3.New(config)
	t.Cleanup(store.Close)
	return store, b, &pauses
}

func newName(t *testing.T) string {
	t.Helper()
	name, err := proof.NewName(repeatable.Reader(t), picture.PNG)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func TestPutGetDelete(t *testing.T) {
	t.Parallel()
	for style, c := range map[string]struct {
		change func(*s3.Config)
		path   string
	}{
		"path":   {nil, "HOST/proofs/NAME"},
		"prefix": {func(c *s3.Config) { c.Prefix = "a/b_c-d" }, "HOST/proofs/a/b_c-d/NAME"},
		"virtual": {func(c *s3.Config) {
			server := c.Endpoint.Host
			c.VirtualHost, c.Endpoint = true, &url.URL{Scheme: "http", Host: "s3.example:9000"}
			c.Transport = &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, network, server)
			}}
		}, "proofs.HOST/NAME"},
	} {
		t.Run(style, func(t *testing.T) {
			t.Parallel()
			host := ""
			store, b, pauses := newStore(t, func(config *s3.Config) {
				if c.change != nil {
					c.change(config)
				}
				host = config.Endpoint.Host
			})
			ctx, name := context.Background(), newName(t)
			drawing := picture.Picture{Format: picture.PNG, Data: bytes.Repeat([]byte{0, 255, '\n'}, 100_000)}
			if _, err := store.Get(ctx, name); !errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("Get before Put: got %v, want fs.ErrNotExist", err)
			}
			if err := store.Put(ctx, name, drawing); err != nil {
				t.Fatal(err)
			}
			path := strings.NewReplacer("HOST", host, "NAME", name).Replace(c.path)
			if b.types[path] != "image/png" || !bytes.Equal(b.objects[path], drawing.Data) {
				t.Errorf("Put: got requests %v, media types %v, want the picture at %s as image/png", b.asked, b.types, path)
			}
			if got, err := store.Get(ctx, name); err != nil || got.Format != picture.PNG ||
				!bytes.Equal(got.Data, drawing.Data) {
				t.Errorf("Get: got %s of %d bytes, %v, want the picture", got.Format, len(got.Data), err)
			}
			for range 2 {
				if err := store.Delete(ctx, name); err != nil {
					t.Error(err)
				}
			}
			if _, err := store.Get(ctx, name); !errors.Is(err, fs.ErrNotExist) || len(*pauses) != 0 {
				t.Errorf("Get after Delete: got %v, pauses %v, want fs.ErrNotExist and none", err, *pauses)
			}
		})
	}
}

func TestRetries(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers     []int
		requests    int
		unavailable bool
		message     string // a part of the error; empty for success
	}{
		"once":        {[]int{503}, 2, false, ""},
		"twice":       {[]int{0, 429}, 3, false, ""},
		"too often":   {[]int{500, 503, 0}, 3, true, "cannot be reached"},
		"forbidden":   {[]int{403}, 1, false, "403 Forbidden Because403: Not <you> now."},
		"moved":       {[]int{301}, 1, false, "301 Moved Permanently Because301: Not <you> now."},
		"no bucket":   {[]int{404}, 1, false, "404 Not Found Because404: Not <you> now."},
		"wrong clock": {[]int{400}, 1, false, "400 Bad Request Because400: Not <you> now."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, b, pauses := newStore(t, nil)
			b.answers = c.answers
			err := store.Put(context.Background(), newName(t), picture.Picture{Format: picture.PNG, Data: []byte("picture")})
			b.mu.Lock()
			defer b.mu.Unlock()
			if len(b.asked) != c.requests || len(*pauses) != c.requests-1 ||
				errors.Is(err, proof.ErrUnavailable) != c.unavailable {
				t.Errorf("got requests %v, pauses %v, %v, want %d requests, unavailable = %t", b.asked, *pauses, err, c.requests,
					c.unavailable)
			}
			if (err == nil) != (c.message == "") ||
				err != nil && (!strings.Contains(err.Error(), c.message) || strings.Contains(err.Error(), secret)) {
				t.Errorf("got %v, want %q in it, without the secret", err, c.message)
			}
		})
	}
}

func TestWrongSecret(t *testing.T) {
	t.Parallel()
	store, _, _ := newStore(t, func(c *s3.Config) { c.Secret = "other" })
	if err := store.Put(context.Background(), newName(t), picture.Picture{}); err == nil ||
		!strings.Contains(err.Error(), "SignatureDoesNotMatch") {
		t.Errorf("got %v, want SignatureDoesNotMatch in it", err)
	}
}

func TestGetWithoutRequest(t *testing.T) {
	t.Parallel()
	store, b, _ := newStore(t, nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := store.Get(ctx, newName(t)); !errors.Is(err, context.Canceled) || errors.Is(err, fs.ErrNotExist) ||
		len(b.asked) != 0 {
		t.Errorf("cancelled: got %v after requests %v, want context.Canceled and none", err, b.asked)
	}
	if _, err := store.Get(context.Background(), "../other"); !errors.Is(err, fs.ErrNotExist) || len(b.asked) != 0 {
		t.Errorf("an invalid name: got %v after requests %v, want fs.ErrNotExist and none", err, b.asked)
	}
}
