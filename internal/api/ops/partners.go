package ops

import (
	"time"

	"github.com/dropyard/dropyard/internal/api/shared"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/partner"
)

// listedPartner is a partner as operators see it in lists.
type listedPartner struct {
	shared.Partner
	PendingSince    *time.Time `json:"pending_since"` // null unless the account awaits approval
	Suspended       bool       `json:"suspended"`
	SuspendedAt     *time.Time `json:"suspended_at"`
	SuspendedReason *string    `json:"suspended_reason"` // null if none was given
	Established     bool       `json:"established"`      // not a new account
	RateLimit       *int       `json:"rate_limit"`       // null for the default
	RateCard        *string    `json:"rate_card"`        // null for the default
	OrdersPerDay    *int64     `json:"orders_per_day"`   // null for the default, 0 for no limit
	StoredBytes     *int64     `json:"stored_bytes"`     // likewise
}

func listedPartnerOf(l *partner.Listed, now time.Time) listedPartner {
	answer := listedPartner{
		Partner: shared.PartnerOf(&l.Partner), PendingSince: strictjson.OrNull(l.PendingSince), Suspended: l.Suspended(),
		SuspendedAt: strictjson.OrNull(l.SuspendedAt), SuspendedReason: strictjson.OrNull(l.SuspendedReason),
		RateCard: strictjson.OrNull(l.RateCard), Established: l.Established(now),
	}
	if l.RateLimit != partner.DefaultRate {
		answer.RateLimit = &l.RateLimit
	}
	if l.OrdersPerDay != partner.DefaultQuota {
		answer.OrdersPerDay = &l.OrdersPerDay
	}
	if l.StoredBytes != partner.DefaultQuota {
		answer.StoredBytes = &l.StoredBytes
	}
	return answer
}

type partnerOverview struct {
	listedPartner
	APIKeys keyCounts   `json:"api_keys"`
	Usage   usageAnswer `json:"usage"`
}

type usageAnswer struct {
	OrdersToday int64 `json:"orders_today"`
	StoredBytes int64 `json:"stored_bytes"`
}

type keyCounts struct {
	Active  int64 `json:"active"`
	Revoked int64 `json:"revoked"`
}

func overviewOf(o *partner.Overview, now time.Time) partnerOverview {
	return partnerOverview{listedPartnerOf(&o.Listed, now), keyCounts{o.ActiveKeys, o.RevokedKeys}, usageAnswer(o.Usage)}
}

// partnerCursor accepts the id of the last partner before the page.
var partnerCursor = form.TextRule{Rule: httpd.CursorRule, Allows: delivery.IsPartnerID}

func (s *Server) handlePartnerList(c *httpd.Call) (httpd.Reply, error) {
	q, err := c.ListQuery()
	if err != nil {
		return httpd.Reply{}, err
	}
	filter := partner.ListFilter{
		Search:  q.Text("q"),
		Pending: q.OneOf("pending", flagRule) == "true",
		After:   q.OneOf("cursor", partnerCursor),
		Limit:   q.Limit(maxPage),
	}
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	filter.NamesOnly = sender(c).Role == operator.RoleWarehouse
	page, err := s.config.Partners.List(c.Context(), filter)
	if err != nil {
		return httpd.Reply{}, err
	}
	if filter.NamesOnly {
		return partnerNames(page)
	}
	partners := make([]listedPartner, len(page.Partners))
	for i := range page.Partners {
		partners[i] = listedPartnerOf(&page.Partners[i], s.config.Now())
	}
	return httpd.OK(struct {
		Partners   []listedPartner `json:"partners"`
		NextCursor string          `json:"next_cursor,omitzero"`
	}{partners, page.Next})
}

// partnerName is a partner as the warehouse sees it in lists.
type partnerName struct {
	PartnerID string `json:"partner_id"`
	Name      string `json:"name"`
}

func partnerNames(page partner.ListPage) (httpd.Reply, error) {
	names := make([]partnerName, len(page.Partners))
	for i, p := range page.Partners {
		names[i] = partnerName{p.PartnerID, p.Name}
	}
	return httpd.OK(struct {
		Partners   []partnerName `json:"partners"`
		NextCursor string        `json:"next_cursor,omitzero"`
	}{names, page.Next})
}

func (s *Server) handlePartnerGet(c *httpd.Call) (httpd.Reply, error) {
	found, err := s.config.Partners.Overview(c.Context(), c.PathID("partner_id"))
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(overviewOf(found, s.config.Now()))
}

func (s *Server) handlePartnerChange(c *httpd.Call) (httpd.Reply, error) {
	change, err := httpd.Decode(c, partner.ReadSettingsChange)
	if err != nil {
		return httpd.Reply{}, err
	}
	changed, err := s.config.Partners.Change(c.Context(), c.PathID("partner_id"), change)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(overviewOf(changed, s.config.Now()))
}

func (s *Server) handlePartnerApprove(c *httpd.Call) (httpd.Reply, error) {
	approved, err := s.config.Partners.Approve(c.Context(), c.PathID("partner_id"))
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(overviewOf(approved, s.config.Now()))
}
