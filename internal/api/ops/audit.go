package ops

import (
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/go-json-experiment/json/jsontext"
)

type auditAnswer struct {
	AuditID    string         `json:"audit_id"`
	At         time.Time      `json:"at"`
	OperatorID string         `json:"operator_id"`
	RequestID  string         `json:"request_id"`
	Action     audit.Action   `json:"action"`
	PartnerID  *string        `json:"partner_id"` // null if the object does not belong to a partner
	ObjectID   string         `json:"object_id"`
	Before     jsontext.Value `json:"before"` // null if the object did not exist
	After      jsontext.Value `json:"after"`  // null if the object no longer exists
}

func auditOf(a *operator.Audited) auditAnswer {
	return auditAnswer{
		AuditID: a.AuditID, At: a.At, OperatorID: a.OperatorID, RequestID: a.RequestID, Action: a.Action,
		PartnerID: strictjson.OrNull(a.PartnerID), ObjectID: a.ObjectID, Before: rawOrNull(a.Before),
		After: rawOrNull(a.After),
	}
}

// rawOrNull returns a value that is JSON already; null if it is empty.
func rawOrNull(value []byte) jsontext.Value {
	if len(value) == 0 {
		return jsontext.Value("null")
	}
	return jsontext.Value(value)
}

// AuditLine returns an entry of the audit log in the JSON of GET /ops/v1/audit.
func AuditLine(a *operator.Audited) ([]byte, error) { return strictjson.Marshal(auditOf(a)) }

func (s *Server) handleAudit(c *httpd.Call) (httpd.Reply, error) {
	q, err := c.ListQuery()
	if err != nil {
		return httpd.Reply{}, err
	}
	filter := operator.AuditFilter{
		OperatorID: q.Text("operator_id"),
		PartnerID:  q.Text("partner_id"),
		ObjectID:   q.Text("object_id"),
		Action:     audit.Action(q.OneOf("action", form.OneOf(audit.Actions...))),
		From:       q.Time("from"),
		To:         q.Time("to"),
		Before:     q.OneOf("cursor", httpd.UUIDCursor),
		Limit:      q.Limit(maxPage),
	}
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	page, err := s.config.Operators.Audit(c.Context(), filter)
	if err != nil {
		return httpd.Reply{}, err
	}
	entries := make([]auditAnswer, len(page.Entries))
	for i, a := range page.Entries {
		entries[i] = auditOf(a)
	}
	return httpd.OK(struct {
		Entries []auditAnswer `json:"entries"`
		Next    string        `json:"next_cursor,omitzero"`
	}{entries, page.Next})
}
