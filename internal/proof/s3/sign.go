package s3

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	algorithm = "AWS4-HMAC-SHA256"
	service   = "s3"
	stamp     = "20060102T150405Z"
)

// credentials sign requests by AWS Signature Version 4, in the variant of S3: the
// path is escaped once, and the digest of the body is a header.
type credentials struct {
	key, secret, region string
}

// sign adds the signature to a request. It covers all headers that are set before.
func (c credentials) sign(r *http.Request, body []byte, now time.Time) {
	digest := sha256.Sum256(body)
	c.signDigest(r, hex.EncodeToString(digest[:]), now)
}

// signDigest is sign for a body with a digest, which is the SHA-256 in hexadecimal.
func (c credentials) signDigest(r *http.Request, digest string, now time.Time) {
	at := now.UTC().Format(stamp)
	r.Header.Set("X-Amz-Date", at)
	r.Header.Set("X-Amz-Content-Sha256", digest)
	names, headers := canonicalHeaders(r)
	request := sha256.Sum256([]byte(strings.Join([]string{
		r.Method, escapePath(r.URL.Path), strings.ReplaceAll(r.URL.Query().Encode(), "+", "%20"),
		headers, names, digest,
	}, "\n")))
	day := at[:8]
	scope := strings.Join([]string{day, c.region, service, "aws4_request"}, "/")
	key := []byte("AWS4" + c.secret)
	for _, part := range strings.Split(scope, "/") {
		key = digestUnder(key, part)
	}
	signature := digestUnder(key, strings.Join([]string{algorithm, at, scope, hex.EncodeToString(request[:])}, "\n"))
	r.Header.Set("Authorization",
		fmt.Sprintf("%s Credential=%s/%s, SignedHeaders=%s, Signature=%x", algorithm, c.key, scope, names, signature))
}

func digestUnder(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// canonicalHeaders returns the names of the headers, sorted, and a line for each.
func canonicalHeaders(r *http.Request) (names, lines string) {
	values := map[string]string{"host": r.URL.Host}
	for name := range r.Header {
		values[strings.ToLower(name)] = strings.Join(strings.Fields(r.Header.Get(name)), " ")
	}
	sorted := slices.Sorted(maps.Keys(values))
	var all strings.Builder
	for _, name := range sorted {
		fmt.Fprintf(&all, "%s:%s\n", name, values[name])
	}
	return strings.Join(sorted, ";"), all.String()
}

// escapePath escapes all bytes but letters, digits, and - . _ ~ /.
func escapePath(path string) string {
	var all strings.Builder
	for _, b := range []byte(path) {
		plain := b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || strings.IndexByte("-._~/", b) >= 0
		if plain {
			all.WriteByte(b)
		} else {
			fmt.Fprintf(&all, "%%%02X", b)
		}
	}
	return all.String()
}
