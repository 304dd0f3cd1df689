package console

import (
	"net/http"
	"strconv"

	"github.com/dropyard/dropyard/internal/accounting"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/web/page"
)

// courierCashView is the page on which a courier's cash is counted.
type courierCashView struct {
	*sheet
	Name   string
	Sums   []accounting.Carrier
	Orders []carriedRow
	Form   *page.Form  // nil if the courier carries nothing
	Other  []page.Link // the same page for other currencies
	in     accounting.Carrier
}

// carriedRow is the cash of an order.
type carriedRow struct {
	money.Carried
	Amount, Path string // Path is empty for what corrections have left
}

// courierCash shows the cash that a courier carries, with the form that counts it.
func (pages *Pages) courierCash(s *sheet) (int, []byte, error) {
	v, err := pages.courierCashView(s, delivery.Currency(s.asked("currency")))
	if err != nil {
		return 0, nil, err
	}
	return v.render(http.StatusOK)
}

func (v *courierCashView) render(status int) (int, []byte, error) {
	return v.show(leaf{
		template: "cash-count", title: v.Text("cash.of", "courier", v.Name), data: v, status: status,
		back: &page.Link{Text: v.Text("cash.title"), Path: cashPath},
	})
}

// courierCashView returns the page for one currency: the one that is asked for, or the first that the courier
// carries.
func (pages *Pages) courierCashView(s *sheet, currency delivery.Currency) (*courierCashView, error) {
	courierID := s.ID("courier_id")
	courier, err := pages.config.Operators.Courier(s.Context(), courierID)
	if err != nil {
		return nil, err
	}
	carried, err := pages.config.Accounting.CashWith(s.Context(), courierID)
	if err != nil {
		return nil, err
	}
	v := &courierCashView{sheet: s, Name: courier.Name, Sums: accounting.CarriersOf(carried)}
	for i, sum := range v.Sums {
		if i == 0 || sum.Currency == currency {
			v.in = sum
		}
	}
	path := cashPath + "/couriers/" + courierID
	for _, sum := range v.Sums {
		if sum.Currency != v.in.Currency {
			v.Other = append(v.Other, page.Link{
				Text: s.Language.Money(sum.Cents, sum.Currency), Path: s.Link(path, "currency", string(sum.Currency)),
			})
		}
	}
	for _, one := range money.In(carried, v.in.Currency) {
		row := carriedRow{Carried: one, Amount: s.Language.Money(one.Cents, one.Currency)}
		if one.OrderID != "" {
			row.Path = ordersPath + "/" + one.OrderID
		}
		v.Orders = append(v.Orders, row)
	}
	if len(carried) == 0 {
		return v, nil
	}
	if v.Form, err = s.form(path, 0); err != nil {
		return nil, err
	}
	v.Form.Values.Set("currency", string(v.in.Currency))
	v.Form.Values.Set("expected_cents", strconv.FormatInt(v.in.Cents, 10))
	return v, nil
}

// Expected is what the courier carries.
func (v *courierCashView) Expected() string { return v.Language.Money(v.in.Cents, v.in.Currency) }

// Fields returns the fields of the count.
func (v *courierCashView) Fields() []page.Field {
	return []page.Field{
		v.Form.With(page.Field{
			Name: "counted_cents", Label: v.Text("cash.counted"), Type: "text", InputMode: "decimal", Required: true,
		}),
		v.Form.With(page.Field{
			Name: "kept_cents", Label: v.Text("cash.kept"), Hint: v.Text("cash.kept.hint"), Type: "text", InputMode: "decimal",
		}),
		v.Form.With(page.Field{Name: "notes", Label: v.Text("cash.notes"), Type: "text"}),
	}
}

// countCash records a count.
func (pages *Pages) countCash(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	courierID, currency := s.ID("courier_id"), delivery.Currency(sent.Values.Get("currency"))
	path := s.Link(cashPath+"/couriers/"+courierID, "currency", string(currency))
	handIn, _ := form.Decode(sent.Typed(func(field, text string) string { // keeps its faults
		if field == "expected_cents" { // it is not typed
			return text
		}
		return typedAmounts(field, text)
	}), accounting.ReadHandIn)
	if asked := whyDiffers(s, handIn); asked != "" {
		sent.Faults = append(sent.Faults, page.Fault{Field: "notes", Text: asked})
		return pages.refuseCount(s.on(path), currency, sent)
	}
	count, err := pages.config.Accounting.HandIn(s.Context(), courierID, handIn)
	switch {
	case err == nil:
		return s.LeadTo(cashPath, pages.counted(s, count, currency))
	case refusal.HasCode(err, refusal.CodeConflict): // another count, or a delivery meanwhile
		return s.LeadTo(path, page.Flash{Key: "cash.changed", Danger: true})
	case !s.refuseAmounts(sent, err):
		return 0, nil, err
	}
	return pages.refuseCount(s.on(path), currency, sent)
}

// refuseCount shows the page with the form that was refused.
func (pages *Pages) refuseCount(s *sheet, currency delivery.Currency, sent *page.Form) (int, []byte, error) {
	view, err := pages.courierCashView(s, currency)
	if err != nil {
		return 0, nil, err
	}
	view.Form = sent
	return view.render(http.StatusUnprocessableEntity)
}

// whyDiffers asks for the reason of a difference before a count is recorded without one, because a count that was
// typed wrongly cannot be taken back. It is empty if there is nothing to ask, or if HandIn will refuse the count.
func whyDiffers(s *sheet, h accounting.HandIn) string {
	if h.Problems().Err() != nil || h.Expected == nil || h.Notes != "" || h.Kept > 0 && h.Kept >= *h.Expected {
		return ""
	}
	switch missing := *h.Expected - h.Kept - h.Counted; {
	case missing > 0:
		return s.Text("cash.count.why.missing", "amount", s.Language.Money(missing, h.Currency))
	case missing < 0:
		return s.Text("cash.count.why.surplus", "amount", s.Language.Money(-missing, h.Currency))
	default:
		return ""
	}
}

// counted says what a count has found.
func (pages *Pages) counted(s *sheet, count accounting.Count, currency delivery.Currency) page.Flash {
	switch {
	case count.Difference > 0:
		return page.Flash{
			Key: "cash.count.missing", Arguments: []string{"amount", s.Language.Money(count.Difference, currency)}, Danger: true,
		}
	case count.Difference < 0:
		return page.Flash{
			Key: "cash.count.surplus", Arguments: []string{"amount", s.Language.Money(-count.Difference, currency)}, Danger: true,
		}
	default:
		return page.Flash{Key: "cash.count.right"}
	}
}
