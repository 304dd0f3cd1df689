package app_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestRefusedSignaturesSayWhatIsWrong: mistakes in the form of the headers are named,
// whether the signature holds otherwise or not.
func TestRefusedSignaturesSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p := s.Register(t, "metro")
	signed := p.Signed("GET", "/v1/orders", nil)
	with := func(name, value string) []string {
		headers := append([]string(nil), signed...)
		for i := 0; i < len(headers); i += 2 {
			if headers[i] == name {
				headers[i+1] = value
			}
		}
		return headers
	}
	bare := ""
	for i := 0; i < len(signed); i += 2 {
		if signed[i] == "X-Signature" {
			bare = strings.TrimPrefix(signed[i+1], "v1=")
		}
	}
	late := fmt.Sprint(s.Clock.Now().UnixMilli())
	for name, c := range map[string]struct {
		headers      []string
		reason, says string
	}{
		"without v1=":              {with("X-Signature", bare), "signature_mismatch", "v1="},
		"milliseconds":             {p.SignedWith(late, "GET", "/v1/orders", nil), "timestamp_skew", "milliseconds"},
		"milliseconds, not signed": {with("X-Timestamp", late), "signature_mismatch", "milliseconds"},
	} {
		refused := s.Do(t, "GET", "/v1/orders", nil, c.headers...).Refused(t, 401, "unauthorized")
		if got := refused.Text("error", "details", "reason"); got != c.reason ||
			!strings.Contains(refused.Text("error", "message"), c.says) {
			t.Errorf("%s: got %s, want the reason %s and a message with %q", name, refused.Body, c.reason, c.says)
		}
	}
}

// TestEncodedBodies: a compressed body is refused by the name of the header, not for
// its bytes.
func TestEncodedBodies(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p, o := s.Register(t, "metro"), s.Operate(t)
	body := testkit.OrderJSON("G-1", "")
	for _, refused := range []*apptest.Answer{
		p.Call(t, "POST", "/v1/orders/validate", body, "Content-Encoding", "gzip"),
		s.Do(t, "POST", "/ops/v1/couriers", []byte("{}"), "Authorization", "Bearer "+o.Token, "Content-Encoding", "br"),
	} {
		if refused.Refused(t, 415,
			"unsupported_media_type"); !strings.Contains(refused.Text("error", "message"), "Content-Encoding") {
			t.Errorf("got %s, want a message with Content-Encoding", refused.Body)
		}
	}
	p.Call(t, "POST", "/v1/orders/validate", body, "Content-Encoding", "identity").Must(t, 200)
}

// TestEmptyParameters: those of the contract count as absent, any other needs a
// value.
func TestEmptyParameters(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p, o := s.Register(t, "metro"), s.Operate(t)
	for _, target := range []string{
		"/v1/orders?status=", "/v1/inventory/products?search=", "/v1/inventory/movements?product_id=",
	} {
		p.Call(t, "GET", target, nil).Must(t, 200)
	}
	for _, target := range []string{
		"/v1/orders?cursor=", "/v1/orders?created_to=", "/v1/orders?partner_order_id=", "/v1/webhooks/events?type=",
	} {
		p.Call(t, "GET", target, nil).Refused(t, 422, "validation_error")
	}
	for _, target := range []string{"/ops/v1/orders?zone=", "/ops/v1/audit?to=", "/ops/v1/couriers?cursor="} {
		o.Call(t, "GET", target, nil).Refused(t, 422, "validation_error")
	}
}
