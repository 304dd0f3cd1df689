// Command signing signs requests and verifies webhooks with the standard library of Go.
// It reads vectors, one JSON object on a line, and prints for each the signature of the
// request, or whether the webhook is valid. The package client does both by itself; this
// is for programs that cannot use it.
package main

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"
	"strings"
)

// sign returns the header X-Signature. The timestamp is Unix time in seconds, as in
// X-Timestamp. The path is as sent, with /v1 and without the query, and so is the body;
// without a body it is empty.
func sign(secretKey, timestamp, method, path, body string) string {
	text := strings.Join([]string{timestamp, method, path, body}, "\n")
	return "v1=" + hex.EncodeToString(digest([]byte(secretKey), text))
}

// verify reports whether a webhook was signed with the secret, and at most 5 minutes from
// now, in Unix seconds. The body is as received. While the secret is rotated, the header
// has two signatures, of which one must match.
func verify(secret string, headers map[string]string, body string, now int64) bool {
	timestamp := headers["webhook-timestamp"]
	sent, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || sent < now-300 || sent > now+300 {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	text := headers["webhook-id"] + "." + timestamp + "." + body
	want := "v1," + base64.StdEncoding.EncodeToString(digest(key, text))
	for signature := range strings.FieldsSeq(headers["webhook-signature"]) {
		if hmac.Equal([]byte(want), []byte(signature)) { // in constant time
			return true
		}
	}
	return false
}

func digest(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// vector is a request or a webhook.
type vector struct {
	SecretKey string `json:"secret_key"`
	Timestamp string
	Method    string // empty for a webhook
	Path      string
	Secret    string
	Now       int64
	Headers   map[string]string
	Body      string
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			return err
		}
		answer := "invalid"
		if v.Method != "" {
			answer = sign(v.SecretKey, v.Timestamp, v.Method, v.Path, v.Body)
		} else if verify(v.Secret, v.Headers, v.Body, v.Now) {
			answer = "valid"
		}
		if _, err := fmt.Fprintln(out, answer); err != nil {
			return err
		}
	}
	return lines.Err()
}
