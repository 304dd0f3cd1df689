package ops

import (
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/go-json-experiment/json/jsontext"
)

// changesAnswer is what was edited since the courier last knew an order.
type changesAnswer struct {
	Version int64           `json:"version"` // of the latest edit: what is to be confirmed
	At      time.Time       `json:"at"`
	By      delivery.Editor `json:"by"`
	Fields  []changedField  `json:"fields"`
}

// changedField is a field that was edited. Was is absent if the order was erased since.
type changedField struct {
	Field string         `json:"field"`
	Was   jsontext.Value `json:"was,omitzero"`
	Now   jsontext.Value `json:"now"`
}

// changesOf returns what the courier of an order has to confirm; nil if that is nothing.
func changesOf(o *delivery.Order) *changesAnswer {
	unseen := o.Course.Unseen()
	if len(unseen) == 0 {
		return nil
	}
	latest, before := unseen[len(unseen)-1], o.Course.Before()
	answer := &changesAnswer{Version: latest.Version, At: latest.At, By: latest.By, Fields: []changedField{}}
	fields := make([]string, len(before))
	for i, held := range before {
		fields[i] = held.Field
	}
	values, _ := record.ValuesOf(&o.OrderRequest, fields) // reads what it has written itself
	for i, value := range values {
		if was := before[i].JSON; was == "" {
			answer.Fields = append(answer.Fields, changedField{Field: fields[i], Now: value})
		} else if was != string(value) { // and was not changed back
			answer.Fields = append(answer.Fields, changedField{fields[i], jsontext.Value(was), value})
		}
	}
	return answer
}

// handleOrderConfirm notes that the courier of an order knows its edits.
func (s *Server) handleOrderConfirm(c *httpd.Call) (httpd.Reply, error) {
	return changeByCourier(c, s.config.Orders.ReadConfirmation, s.config.Orders.Confirm)
}
