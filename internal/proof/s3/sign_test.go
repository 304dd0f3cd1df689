package s3

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestSignExamples checks the examples of "Authenticating Requests: Using the
// Authorization Header" in Amazon's S3 API reference.
func TestSignExamples(t *testing.T) {
	t.Parallel()
	c := credentials{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1"}
	at := time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC)
	for name, example := range map[string]struct {
		method, path, body string
		headers            map[string]string
		want               string
	}{
		"get an object": {
			"GET", "/test.txt", "", map[string]string{"Range": "bytes=0-9"},
			"SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
		},
		"put an object": {
			"PUT", "/test$file.text", "Welcome to Amazon S3.",
			map[string]string{"Date": "Fri, 24 May 2013 00:00:00 GMT", "X-Amz-Storage-Class": "REDUCED_REDUNDANCY"},
			"SignedHeaders=date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class, Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
		},
		"get the lifecycle": {
			"GET", "/?lifecycle", "", nil,
			"SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
		},
		"list objects": {
			"GET", "/?max-keys=2&prefix=J", "", nil,
			"SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
		},
	} {
		request, err := http.NewRequest(example.method, "https://examplebucket.s3.amazonaws.com"+example.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for header, value := range example.headers {
			request.Header.Set(header, value)
		}
		c.sign(request, []byte(example.body), at)
		got := request.Header.Get("Authorization")
		if !strings.HasPrefix(got, "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, ") ||
			!strings.HasSuffix(got, example.want) {
			t.Errorf("%s: got %s, want %s at the end", name, got, example.want)
		}
	}
}
