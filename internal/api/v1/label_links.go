package v1

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/label"
)

// labelLinkLife is how long a link to a label can be used, any number of times.
const labelLinkLife = 15 * time.Minute

// labelPrint is how the labels of an order are printed.
type labelPrint struct {
	format     label.Format
	resolution label.Resolution
}

func readLabelPrint(f *form.Form) labelPrint {
	formats := form.OneOf(label.FormatPDF, label.FormatZPL)
	p := labelPrint{format: cmp.Or(label.Format(f.Text("format", form.Optional, formats)), label.FormatPDF)}
	least, most := label.Resolutions[0], label.Resolutions[len(label.Resolutions)-1]
	dpi, sent := f.Integer("dpi", form.Optional, int64(least), int64(most))
	p.resolution = cmp.Or(label.Resolution(dpi), label.Coarsest)
	if sent && !slices.Contains(label.Resolutions, p.resolution) {
		f.Fault("dpi", resolutionRule.Rule)
	}
	return p
}

type labelLinkAnswer struct {
	URL       string    `json:"url"`
	ExpiresAt time.Time `json:"expires_at"`
}

// handleLabelLink responds with an address of an order's labels that needs no signature, for browsers and
// programs that print. Nothing is stored: the address holds what it must, authenticated.
func (s *Server) handleLabelLink(c *httpd.Call) (httpd.Reply, error) {
	wanted := labelPrint{label.FormatPDF, label.Coarsest}
	var err error
	if len(c.Content) > 0 {
		wanted, err = httpd.Decode(c, readLabelPrint)
	}
	if err != nil {
		return httpd.Reply{}, err
	}
	found, err := s.config.Orders.Get(c.Context(), c.Account, c.PathID("order_id"))
	if err != nil {
		return httpd.Reply{}, err
	}
	expires := s.config.Now().Add(labelLinkLife).Truncate(time.Second)
	token := s.sealLabel(found.OrderID, wanted, expires)
	address := s.config.BaseURL() + "/v1/orders/" + found.OrderID + "/label/" + token
	return httpd.OK(labelLinkAnswer{address, expires.UTC()})
}

// handleLinkedLabel responds with the labels that a link leads to. A link is refused as the label itself is if
// the partner has been suspended since.
func (s *Server) handleLinkedLabel(c *httpd.Call) (httpd.Reply, error) {
	c.ReplyHeader.Del("Access-Control-Allow-Origin") // scripts of other sites may not read it
	orderID := c.PathID("order_id")
	wanted, ok := s.openLabel(orderID, c.PathID("token"))
	account, known := delivery.PartnerOfOrder(orderID)
	if !ok || !known {
		return httpd.Reply{}, credential.ErrNoLink
	}
	settings, err := s.config.Partners.Settings(c.Context(), account)
	if err == nil {
		err = settings.Refusal()
	}
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.Heavy(func(c *httpd.Call) (httpd.Reply, error) { return s.printLabel(c, account, orderID, wanted) })(c)
}

// labelClaimSize is the length of what a token says: the last second in which it can be used, the resolution, and
// the place of the format in labelFormatOrder.
const labelClaimSize = 8 + 2 + 1

// labelFormatOrder numbers the formats in tokens.
var labelFormatOrder = []label.Format{label.FormatPDF, label.FormatZPL}

// sealLabel returns the token of a link.
func (s *Server) sealLabel(orderID string, p labelPrint, expires time.Time) string {
	claim := binary.BigEndian.AppendUint64(nil, uint64(expires.Unix()))
	claim = binary.BigEndian.AppendUint16(claim, uint16(p.resolution))
	claim = append(claim, byte(slices.Index(labelFormatOrder, p.format)))
	return base64.RawURLEncoding.EncodeToString(append(claim, labelMAC(s.config.LinkKeys[0], orderID, claim)...))
}

// openLabel decodes the token of a link. It is false unless one of the service's keys sealed it for the order, and
// it has not expired.
func (s *Server) openLabel(orderID, token string) (p labelPrint, ok bool) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(b) != labelClaimSize+sha256.Size {
		return p, false
	}
	claim, mac := b[:labelClaimSize], b[labelClaimSize:]
	sealed := func(key []byte) bool { return hmac.Equal(mac, labelMAC(key, orderID, claim)) }
	if !slices.ContainsFunc(s.config.LinkKeys, sealed) {
		return p, false
	}
	p.resolution = label.Resolution(binary.BigEndian.Uint16(claim[8:]))
	p.format = labelFormatOrder[claim[10]]
	return p, s.config.Now().Unix() <= int64(binary.BigEndian.Uint64(claim))
}

// labelMAC authenticates a claim for an order. It is not truncated, so that what a log may keep of a token that
// was copied wrongly is of no use (httpd masks the rest).
func labelMAC(key []byte, orderID string, claim []byte) []byte {
	hash := hmac.New(sha256.New, key)
	hash.Write(claim)
	hash.Write([]byte(orderID))
	return hash.Sum(nil)
}
