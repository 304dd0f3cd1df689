package signature

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"strings"
)

// schemeV2 is the prefix of signatures of version 2.
const schemeV2 = "v2="

// RequestV2 holds what a signature of version 2 covers. What a request does not have is
// empty. No part but the body may have a line feed; no header and no request line can.
type RequestV2 struct {
	Request
	Query          string // as sent, without the question mark
	IdempotencyKey string // the header as sent
	ContentType    string // likewise
	Nonce          string // the header X-Nonce as sent
}

// The bounds of the length of a nonce, in characters.
const (
	minNonce = 16
	maxNonce = 64
)

// IsNonce reports whether a text can be an X-Nonce: 16 to 64 visible characters of ASCII.
func IsNonce(text string) bool {
	invisible := func(r rune) bool { return r <= ' ' || r > '~' }
	return minNonce <= len(text) && len(text) <= maxNonce && !strings.ContainsFunc(text, invisible)
}

// IsV2 reports whether an X-Signature says that it is of version 2.
func IsV2(signature string) bool { return strings.HasPrefix(signature, schemeV2) }

// lines returns the parts before the body, each of which is a line of the message.
func (r RequestV2) lines() [7]string {
	return [...]string{r.Timestamp, r.Method, r.Path, r.Query, r.IdempotencyKey, r.ContentType, r.Nonce}
}

// Sign returns the X-Signature of a request under the partner's secret key.
func (r RequestV2) Sign(secret []byte) string {
	mac := hmac.New(sha256.New, secret)
	for _, line := range r.lines() {
		_, _ = io.WriteString(mac, line) // writing to a hash never fails
		_, _ = io.WriteString(mac, "\n")
	}
	mac.Write(r.Body)
	return schemeV2 + hex.EncodeToString(mac.Sum(nil))
}

// Verify reports, in constant time, whether signature is the request's. It is false if a
// line has a line feed, because then another request would have the same message.
func (r RequestV2) Verify(secret []byte, signature string) bool {
	for _, line := range r.lines() {
		if strings.Contains(line, "\n") {
			return false
		}
	}
	return equal(r.Sign(secret), signature)
}

// ReadsAsV2 reports whether the message of the request could be that of a request of
// version 2 whose further lines are in this one's body. The signature of a recorded request
// of version 2 would hold for it, and its nonce would not be looked at. No operation takes
// such a body: it neither begins like a JSON object on its first line, as no query does,
// nor is one.
func (r Request) ReadsAsV2() bool {
	const lines = 4 // query, Idempotency-Key, Content-Type and nonce
	parts := bytes.SplitN(r.Body, []byte("\n"), lines+1)
	if len(parts) <= lines || isObject(bytes.TrimSpace(parts[0])) ||
		isObject(bytes.TrimSpace(r.Body)) && json.Valid(r.Body) {
		return false
	}
	nonce := string(parts[lines-1])
	return nonce == "" || IsNonce(nonce) // reads need none
}

// isObject reports whether a text begins like a JSON object.
func isObject(text []byte) bool { return bytes.HasPrefix(text, []byte("{")) }
