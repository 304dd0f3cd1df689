package httpd

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// The content codings that the service can send, the one that it prefers first.
const (
	codingZstd = "zstd"
	codingGzip = "gzip"
)

// CodingOf returns the coding in which a client is sent a large answer; empty if it
// accepts none of those (RFC 9110, section 12.5.3).
func CodingOf(h http.Header) string {
	accepted := map[string]bool{}
	for _, part := range strings.Split(strings.Join(h.Values("Accept-Encoding"), ","), ",") {
		name, weight, weighted := strings.Cut(strings.ToLower(part), ";")
		allowed := true
		if weighted {
			q, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(weight), "q="), 64)
			allowed = err == nil && q > 0
		}
		accepted[strings.TrimSpace(name)] = allowed
	}
	for _, coding := range []string{codingZstd, codingGzip} {
		if allowed, named := accepted[coding]; allowed || !named && accepted["*"] {
			return coding
		}
	}
	return ""
}

// Encoded sets the headers of an answer in a coding, which depends on what the client
// accepts.
func Encoded(h http.Header, coding string) {
	h.Add("Vary", "Accept-Encoding")
	if coding != "" {
		h.Set("Content-Encoding", coding)
	}
}

// compressed returns a handler that sends what another one returns in the coding that the
// client prefers.
func compressed(handle Handler) Handler {
	return func(c *Call) (Reply, error) {
		answer, err := handle(c)
		if err != nil {
			return answer, err
		}
		coding := CodingOf(c.Header)
		Encoded(c.ReplyHeader, coding)
		answer.Body, err = encodeText(coding, answer.Body)
		return answer, err
	}
}

// leastCompressed is the size in bytes from which the response to a GET is compressed: a smaller
// one fits into a packet anyhow.
const leastCompressed = 1400

// compress returns the body of a list, or of another large response to a GET, in the coding that
// the client prefers. Responses to other methods, and those below /auth/, may hold secrets beside
// what the client has sent, which the length of a compressed body could reveal.
func (c *Call) compress(h http.Header, body []byte) []byte {
	isRead := c.Method == http.MethodGet || c.Method == http.MethodHead
	kind, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	decided := slices.Contains(h.Values("Vary"), "Accept-Encoding") || h.Get("ETag") != ""
	if strings.Contains(c.URL.Path, "/auth/") || !isRead || len(body) < leastCompressed || decided ||
		kind != "application/json" && kind != "text/csv" {
		return body
	}
	coding := CodingOf(c.Header)
	encoded, err := encodeText(coding, body)
	if err != nil {
		coding, encoded = "", body // it can be sent as it is
	}
	Encoded(h, coding)
	return encoded
}

// Constant returns a handler for a body that never changes, which read returns. It is encoded
// at most once in each coding. An empty contentType stands for JSON.
func Constant(contentType string, read func() ([]byte, error)) Handler {
	bodies := map[string]func() ([]byte, error){}
	for _, coding := range []string{"", codingZstd, codingGzip} {
		bodies[coding] = sync.OnceValues(func() ([]byte, error) {
			text, err := read()
			if err != nil {
				return nil, err
			}
			return encodeText(coding, text)
		})
	}
	return func(c *Call) (Reply, error) {
		coding := CodingOf(c.Header)
		body, err := bodies[coding]()
		if err != nil {
			return Reply{}, err
		}
		if contentType != "" {
			c.ReplyHeader.Set("Content-Type", contentType)
		}
		Encoded(c.ReplyHeader, coding)
		return Reply{Status: http.StatusOK, Body: body}, nil
	}
}

// encoders are reused, because each takes up to a megabyte. Their levels are those at
// which 12 MB of JSON take 30 and 50 ms.
var (
	zstdEncoders = sync.Pool{New: func() any {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
		if err != nil {
			panic(err) // only for options that do not exist
		}
		return e
	}}
	gzipEncoders = sync.Pool{New: func() any {
		e, err := gzip.NewWriterLevel(nil, gzipLevel)
		if err != nil {
			panic(err)
		}
		return e
	}}
)

const gzipLevel = 5

// encoder is a gzip.Writer or a zstd.Encoder.
type encoder interface {
	io.WriteCloser
	Reset(w io.Writer)
}

// encodeText returns a text in a coding. Without a coding it returns the text itself.
func encodeText(coding string, text []byte) ([]byte, error) {
	if coding == "" {
		return text, nil
	}
	return Encode(coding, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// Encode returns what write writes, in a coding.
func Encode(coding string, write func(io.Writer) error) ([]byte, error) {
	var body bytes.Buffer
	pool := map[string]*sync.Pool{codingZstd: &zstdEncoders, codingGzip: &gzipEncoders}[coding]
	if pool == nil {
		err := write(&body)
		return body.Bytes(), err
	}
	e, _ := pool.Get().(encoder)
	defer pool.Put(e)
	e.Reset(&body)
	if err := write(e); err != nil {
		return nil, err
	}
	if err := e.Close(); err != nil {
		return nil, err
	}
	return bytes.Clone(body.Bytes()), nil // the buffer may be twice as large
}
