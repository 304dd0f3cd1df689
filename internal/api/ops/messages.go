package ops

import (
	"time"

	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/google/uuid"
)

// messageAnswer is a message from the desk to a courier.
type messageAnswer struct {
	MessageID string         `json:"message_id"`
	CourierID string         `json:"courier_id"`
	Text      string         `json:"text"`
	At        time.Time      `json:"at"`
	By        operatorNaming `json:"by"`
	ReadAt    *time.Time     `json:"read_at"` // null until the courier has confirmed it
}

// operatorNaming names an operator. The e-mail address is absent for what acts by itself, such as the
// command line.
type operatorNaming struct {
	OperatorID string `json:"operator_id"`
	Email      string `json:"email,omitzero"`
}

func messageOf(m *dispatch.Sent) messageAnswer {
	answer := messageAnswer{
		MessageID: m.MessageID, CourierID: m.CourierID, Text: m.Text, At: m.At,
		By: operatorNaming{m.OperatorID, m.OperatorEmail},
	}
	if !m.ReadAt.IsZero() {
		answer.ReadAt = &m.ReadAt
	}
	return answer
}

// messageCursor is the id of the last message of a page.
var messageCursor = form.TextRule{
	Rule:   httpd.CursorRule,
	Allows: func(text string) bool { _, err := uuid.Parse(text); return err == nil && len(text) == 36 },
}

func (s *Server) handleMessageCreate(c *httpd.Call) (httpd.Reply, error) {
	text, err := httpd.Decode(c, dispatch.ReadMessageText)
	if err != nil {
		return httpd.Reply{}, err
	}
	sent, err := s.config.Dispatch.SendMessage(c.Context(), c.PathID("courier_id"), text)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.Created(messageOf(sent))
}

func (s *Server) handleMessageList(c *httpd.Call) (httpd.Reply, error) {
	own, err := ownCourier(c)
	if err != nil {
		return httpd.Reply{}, err
	}
	q, err := c.ListQuery()
	if err != nil {
		return httpd.Reply{}, err
	}
	cursor, limit := q.OneOf("cursor", messageCursor), q.Limit(maxPage)
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	courierID, err := courierInPath(c, own)
	if err != nil {
		return httpd.Reply{}, err
	}
	found, next, err := s.config.Dispatch.Messages(c.Context(), courierID, cursor, limit)
	if err != nil {
		return httpd.Reply{}, err
	}
	messages := make([]messageAnswer, len(found))
	for i, message := range found {
		messages[i] = messageOf(message)
	}
	return httpd.OK(struct {
		Messages   []messageAnswer `json:"messages"`
		NextCursor string          `json:"next_cursor,omitzero"`
	}{messages, next})
}

// handleMessageRead notes that the courier has read a message.
func (s *Server) handleMessageRead(c *httpd.Call) (httpd.Reply, error) {
	own, err := ownCourier(c)
	if err != nil {
		return httpd.Reply{}, err
	}
	at, err := httpd.Decode(c, s.config.Dispatch.ReadMessageRead)
	if err != nil {
		return httpd.Reply{}, err
	}
	courierID := c.PathID("courier_id")
	if courierID != own {
		return httpd.Reply{}, refusal.NotFound("courier")
	}
	confirmed, err := s.config.Dispatch.ConfirmMessage(c.Context(), courierID, c.PathID("message_id"), at)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(messageOf(confirmed))
}

// serviceSettingsAnswer holds the settings of the service in JSON.
type serviceSettingsAnswer struct {
	DispatchPhone *string `json:"dispatch_phone"` // null if none is set
}

func serviceSettingsOf(s dispatch.ServiceSettings) (answer serviceSettingsAnswer) {
	if s.DispatchPhone != "" {
		answer.DispatchPhone = &s.DispatchPhone
	}
	return answer
}

func (s *Server) handleSettingsGet(c *httpd.Call) (httpd.Reply, error) {
	found, err := s.config.Dispatch.ServiceSettings(c.Context())
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(serviceSettingsOf(found))
}

func (s *Server) handleSettingsChange(c *httpd.Call) (httpd.Reply, error) {
	change, err := httpd.DecodePatch(c, dispatch.ReadServiceSettingsChange)
	if err != nil {
		return httpd.Reply{}, err
	}
	changed, err := s.config.Dispatch.ChangeServiceSettings(c.Context(), nil, change)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(serviceSettingsOf(changed))
}
