package console

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

func (pages *Pages) transferRoutes() []web.Route {
	return []web.Route{
		pages.get("/orders/{order_id}/transfer", dispatching, (*Pages).askTransfer),
		pages.post("/orders/{order_id}/transfer", dispatching, (*Pages).transfer),
	}
}

func transferPath(orderID string) string { return ordersPath + "/" + orderID + "/transfer" }

// heldView is who had the parcels of an order, and for how long.
type heldView struct {
	Name  string
	From  time.Time
	Until time.Time // zero if the holder still has them
}

// Custody returns who had the parcels, newest first; nothing while no one has picked them up.
func (v *orderView) Custody() (views []heldView) {
	held := v.Order.Custody()
	if len(held) < 2 {
		return nil
	}
	for _, one := range held {
		views = append(views, heldView{v.holder(one.Holder), one.From, one.Until})
	}
	slices.Reverse(views)
	return views
}

// Return returns how the parcels come back; nil if they do not.
func (v *orderView) Return() *returnRow {
	if v.Order.Course.Return == nil {
		return nil
	}
	row := v.returnRow(dispatch.Return{
		Returned: v.Order.Returned(), PartnerName: v.Record.PartnerName, Order: v.Order,
	})
	return &row
}

// transferAsk is the page that asks to whom the parcels of an order are handed over.
type transferAsk struct {
	*sheet
	Record            *dispatch.Record
	Holder            string // who has the parcels
	Form              *page.Form
	Courier, Location page.Field
	Locations         []string
}

// askTransfer asks to whom the parcels of an order are handed over.
func (pages *Pages) askTransfer(s *sheet) (int, []byte, error) {
	return pages.showTransfer(s, nil, http.StatusOK)
}

// showTransfer shows the page that asks, with a form that was refused if there is one.
func (pages *Pages) showTransfer(s *sheet, sent *page.Form, status int) (int, []byte, error) {
	found, err := pages.config.Dispatch.Order(s.Context(), "", s.ID("order_id"))
	if err != nil {
		return 0, nil, err
	}
	if !found.Order.InHands() {
		version := found.Version
		if sent != nil {
			version = max(sent.Version, 1)
		}
		return s.tooLate(found, version)
	}
	if sent == nil {
		if sent, err = s.form(transferPath(found.OrderID), found.Version); err != nil {
			return 0, nil, err
		}
	}
	holder := found.Order.Holder()
	couriers, err := pages.courierOptions(s, holder.ID)
	if err != nil {
		return 0, nil, err
	}
	view := transferAsk{sheet: s, Record: found, Holder: s.holder(holder), Form: sent}
	view.Courier = sent.With(page.Field{
		Name: "courier_id", Label: s.Text("transfer.courier"), Type: "select",
		Options: append([]page.Option{{Label: s.Text("transfer.none")}}, couriers...),
	})
	view.Location = sent.With(page.Field{
		Name: "location", Label: s.Text("act.transfer.location"), Hint: s.Text("transfer.location.hint"),
	})
	if view.Locations, err = pages.knownLocations(s, found.Order); err != nil {
		return 0, nil, err
	}
	return s.show(leaf{
		template: "console-order-transfer", title: s.Text("act.transfer.title", "order", found.PartnerOrderID), data: view,
		status: status, back: &page.Link{Text: found.PartnerOrderID, Path: ordersPath + "/" + found.OrderID},
	})
}

// knownLocations returns where the partner's goods lie, and where the order's parcels have been.
func (pages *Pages) knownLocations(s *sheet, o *delivery.Order) ([]string, error) {
	locations, err := pages.config.Stock.Locations(s.Context(), o.PartnerID)
	for _, held := range o.Custody()[1:] {
		if held.Kind == delivery.HeldByLocation && !slices.Contains(locations, held.ID) {
			locations = append(locations, held.ID)
		}
	}
	slices.Sort(locations)
	return locations, err
}

// transfer hands the parcels of an order over, from the version that its form was made from.
func (pages *Pages) transfer(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	orderID, request := s.ID("order_id"), s.once(sent)
	version := max(sent.Version, 1)
	sent.Values.Set("version", strconv.FormatInt(version, 10))
	transfer, _ := form.Decode(sent.Typed(page.Trim), pages.config.Orders.ReadTransfer("")) // keeps its faults
	_, err = pages.config.Orders.Transfer(s.Context(), request, orderID, transfer)
	if err == nil {
		found, err := pages.config.Dispatch.Order(s.Context(), "", orderID)
		if err != nil {
			return 0, nil, err
		}
		return s.LeadTo(ordersPath+"/"+orderID, page.Flash{
			Key: "transfer.done", Arguments: []string{"order", found.PartnerOrderID, "who", s.holder(found.Order.Holder())},
		})
	}
	if refusal.HasCode(err, refusal.CodeConflict) {
		return pages.showTransferLate(s, orderID, version)
	}
	if !sent.Refuse(err, s.Language) {
		return 0, nil, err
	}
	return pages.showTransfer(s, sent, http.StatusUnprocessableEntity)
}

// showTransferLate leads to an order whose parcels could not be handed over; version is that of the form.
func (pages *Pages) showTransferLate(s *sheet, orderID string, version int64) (int, []byte, error) {
	found, err := pages.config.Dispatch.Order(s.Context(), "", orderID)
	if err != nil {
		return 0, nil, err
	}
	if !found.Order.InHands() || found.Version > version {
		return s.tooLate(found, version)
	}
	return s.LeadTo(ordersPath+"/"+orderID, page.Flash{
		Key: "transfer.there", Arguments: []string{"who", s.holder(found.Order.Holder())}, Danger: true,
	})
}
