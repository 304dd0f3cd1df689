// Package signature signs and verifies requests and events (docs/contract.md, Signatures and
// Webhooks). A signature is the HMAC-SHA256 under a shared secret, in hex after "v1=".
package signature

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"io"
	"strconv"
	"time"
)

// scheme is the prefix of version 1 of the signature (docs/contract.md, Signatures).
const scheme = "v1="

// MaxSkew is the greatest difference between the clocks of a signer and of a
// verifier, in either direction.
const MaxSkew = 300 * time.Second

// Request holds what the signature of a request covers.
type Request struct {
	Timestamp string // the X-Timestamp header as sent: Unix time in seconds
	Method    string // in upper case
	Path      string // the escaped path as sent, with /v1, without the query
	Body      []byte // byte for byte as sent; empty if there is none
}

// Sign returns the X-Signature of a request under the partner's secret key.
func (r Request) Sign(secret []byte) string {
	mac := hmac.New(sha256.New, secret)
	for _, part := range [...]string{r.Timestamp, "\n", r.Method, "\n", r.Path, "\n"} {
		_, _ = io.WriteString(mac, part) // writing to a hash never fails
	}
	mac.Write(r.Body)
	return encode(mac.Sum(nil))
}

// Verify reports, in constant time, whether signature is the request's.
func (r Request) Verify(secret []byte, signature string) bool {
	return equal(r.Sign(secret), signature)
}

// Kept is how long after its timestamp a signature must be remembered that is taken once.
// Nodes whose clocks differ by less than ten minutes then accept none twice.
const Kept = 3 * MaxSkew

// Time returns the time of a timestamp; zero if it is not a Unix time in seconds.
func Time(timestamp string) time.Time {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || strconv.FormatInt(seconds, 10) != timestamp {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

// Fresh reports whether a timestamp is a Unix time in seconds, at most MaxSkew
// before or after now.
func Fresh(timestamp string, now time.Time) bool {
	at := Time(timestamp)
	if at.IsZero() {
		return false
	}
	skew := now.Unix() - at.Unix()
	limit := int64(MaxSkew / time.Second)
	return -limit <= skew && skew <= limit
}

// SignEvent returns the Drop-Signature of an event's raw body under the webhook
// secret.
func SignEvent(secret, body []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write(body)
	return encode(mac.Sum(nil))
}

// VerifyEvent reports, in constant time, whether signature is the event's.
func VerifyEvent(secret, body []byte, signature string) bool {
	return equal(SignEvent(secret, body), signature)
}

// SignStandard returns a signature for the webhook-signature header of Standard
// Webhooks 1.0: over id, timestamp and body, in base64 after "v1,".
func SignStandard(key []byte, id, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, key)
	for _, part := range [...]string{id, ".", timestamp, "."} {
		_, _ = io.WriteString(mac, part)
	}
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func encode(digest []byte) string { return scheme + hex.EncodeToString(digest) }

func equal(want, got string) bool {
	return subtle.ConstantTimeCompare([]byte(want), []byte(got)) == 1
}
