package console

import (
	"net/http"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/web/page"
)

// AnswerField is the field for what the partner reads.
func (v *orderView) AnswerField() page.Field {
	return v.Answer.With(page.Field{
		Name: "answer", Type: "textarea", Label: v.Text("act.request.answer"), Hint: v.Text("act.request.answer.hint"),
	})
}

// mayAnswer reports whether the partner's request to cancel an order awaits an answer.
func mayAnswer(o *delivery.Order) bool { return o.Course.RequestOpen() && delivery.MayGrant(o.Status) }

// answerRequest answers the partner's request to cancel an order.
func (pages *Pages) answerRequest(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	orderID := s.ID("order_id")
	answer, err := form.Decode(sent.Typed(nil), order.ReadCancellationAnswer)
	if err == nil && !answer.Granted && strings.TrimSpace(answer.Text) == "" { // the partner cannot ask again
		sent.Faults = append(sent.Faults, page.Fault{Field: "answer", Text: s.Text("act.request.why")})
		return pages.showOrder(s, http.StatusUnprocessableEntity, func(v *orderView) { v.Answer = sent })
	}
	if err == nil {
		_, err = pages.config.Orders.AnswerCancellation(s.Context(), nil, orderID, answer)
	}
	switch {
	case refusal.HasCode(err, refusal.CodeConflict):
		return s.LeadTo(ordersPath+"/"+orderID, page.Flash{Key: "act.request.late", Danger: true})
	case sent.Refuse(err, s.Language):
		return pages.showOrder(s, http.StatusUnprocessableEntity, func(v *orderView) { v.Answer = sent })
	case err != nil:
		return 0, nil, err
	}
	done := page.Flash{Key: "act.request.declined"}
	if answer.Granted {
		done.Key = "act.request.granted"
	}
	return s.LeadTo(ordersPath+"/"+orderID, done)
}
