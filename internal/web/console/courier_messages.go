package console

import (
	"net/http"

	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/web/page"
)

// messagesOnPage is how many messages the page of a courier shows: the latest.
const messagesOnPage = 10

func (v *courierView) addMessages() (err error) {
	id := v.Courier.CourierID
	if v.Message, err = v.form(pathOf(id)+"/messages", 0); err != nil {
		return err
	}
	v.Messages, _, err = v.pages.config.Dispatch.Messages(v.Context(), id, "", messagesOnPage)
	return err
}

// MessageField returns the field of a new message.
func (v *courierView) MessageField() page.Field {
	return v.Message.With(v.Hinted(v.Input("text", "couriers.message", "textarea", "off"), "couriers.message.hint"))
}

// sendMessage sends the courier in the path a message.
func (pages *Pages) sendMessage(s *sheet) (int, []byte, error) {
	sent, v, err := pages.readCourierForm(s)
	if err != nil {
		return 0, nil, err
	}
	text, err := form.Decode(sent.Typed(page.Trim), dispatch.ReadMessageText)
	if err == nil {
		_, err = pages.config.Dispatch.SendMessage(s.Context(), v.Courier.CourierID, text)
	}
	if err == nil {
		return s.LeadTo(pathOf(v.Courier.CourierID)+"#messages",
			page.Flash{Key: "couriers.message.sent", Arguments: []string{"name", v.Courier.Name}})
	}
	if !sent.Refuse(err, s.Language) {
		return 0, nil, err
	}
	v.Message = sent
	return s.showCourier(v, http.StatusUnprocessableEntity)
}
