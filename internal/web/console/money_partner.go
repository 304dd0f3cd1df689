package console

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/accounting"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/web/orderform"
	"github.com/dropyard/dropyard/internal/web/page"
)

// recentEntries is the number of entries on the page of a partner's balance.
const recentEntries = 10

// moneyPartnerPath is the page of a partner's balance.
func moneyPartnerPath(partnerID string) string { return moneyPath + "/partners/" + partnerID }

// correctionPath is that page with the form that corrects what an order was charged.
func correctionPath(partnerID, partnerOrderID string) string {
	return page.Address(moneyPartnerPath(partnerID), "order", partnerOrderID) + "#adjustment"
}

// moneyPartnerView is what the page of a partner's balance shows.
type moneyPartnerView struct {
	*sheet
	Ways    []page.Link
	Partner *partner.Overview
	Off     bool // nothing can be posted yet: there are no forms
	Tiles   []tile
	Recent  entryTable
	Journal string // the address of all entries
	Charged string // what the order was charged that is corrected; empty without one
	// SetOff is what the partner owes and is owed at the same time; empty for nothing. Transfer is the address of the
	// form that records it as sent.
	SetOff, Transfer string
	Beyond           bool // an adjustment was refused because it gives back more than its order was charged
	// The fields of payments are those of an object, so that no name is on the page twice.
	Adjustment, Payment *page.Form
}

// moneyPartner shows what a partner owes, its latest entries, and the forms that post others.
func (pages *Pages) moneyPartner(s *sheet) (int, []byte, error) {
	v, err := pages.moneyPartnerView(s, s.ID("partner_id"))
	if err != nil {
		return 0, nil, err
	}
	if err := v.correct(s.asked("order")); err != nil {
		return 0, nil, err
	}
	return v.render(http.StatusOK)
}

// correct fills the form of an adjustment so that it gives back all that an order was charged.
func (v *moneyPartnerView) correct(order string) error {
	v.Adjustment.Values.Set("order_id", order)
	if order == "" {
		return nil
	}
	orderID, err := v.pages.chargedOrder(v.sheet, v.Partner.PartnerID, order)
	if err != nil {
		return err
	}
	charged, err := v.pages.chargedFor(v.sheet, v.Partner.PartnerID, orderID)
	if err != nil {
		return err
	}
	if net := -centsOn(charged, money.Revenue); net > 0 {
		v.Charged = v.Text("money.adjust.charged", "order", order, "net", v.Language.Dollars(net), "total",
			v.Language.Dollars(centsOn(charged, money.Charges)))
		v.Adjustment.Values.Set("_way", giveBack)
		v.Adjustment.Values.Set("amount_cents", inDollars(net))
	}
	return nil
}

// chargedFor returns the balances of what an order was charged, with what was given back since.
func (pages *Pages) chargedFor(s *sheet, partnerID, orderID string) ([]money.Balance, error) {
	return pages.config.Accounting.Balances(s.Context(), accounting.Filter{PartnerID: partnerID, OrderID: orderID})
}

// inDollars returns an amount as it is typed.
func inDollars(cents int64) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }

// centsOn returns the balance of an account in CAD, in which all charges are.
func centsOn(balances []money.Balance, account money.Account) (cents int64) {
	for _, one := range balancesOn(balances, account) {
		if one.Currency == delivery.CAD {
			cents += one.Cents
		}
	}
	return cents
}

func (v *moneyPartnerView) render(status int) (int, []byte, error) {
	return v.show(leaf{
		template: "money-partner", title: v.Text("money.balance", "name", v.Partner.Name), data: v, status: status,
		back: &page.Link{Text: v.Text("console.money"), Path: moneyPath},
	})
}

// moneyPartnerView returns the page with fresh forms. It refuses with not_found.
func (pages *Pages) moneyPartnerView(s *sheet, partnerID string) (*moneyPartnerView, error) {
	found, err := pages.config.Partners.Overview(s.Context(), partnerID)
	if err != nil {
		return nil, err
	}
	books := pages.config.Accounting
	settings, err := books.Settings(s.Context())
	if err != nil {
		return nil, err
	}
	first, today := books.Month()
	v := &moneyPartnerView{
		sheet: s, Ways: s.moneyWays(), Partner: found, Off: settings.From == 0 || today < settings.From,
		Journal: s.Link(journalPath, "partner", partnerID),
	}
	if v.Adjustment, err = s.form(moneyPartnerPath(partnerID)+"/adjustments", 0); err != nil {
		return nil, err
	}
	if v.Payment, err = s.form(moneyPartnerPath(partnerID)+"/payments", 0); err != nil {
		return nil, err
	}
	filter := accounting.Filter{PartnerID: partnerID, Limit: recentEntries}
	latest, err := books.Journal(s.Context(), filter)
	if err != nil {
		return nil, err
	}
	if v.Recent, err = s.entryTable(latest.Entries); err != nil {
		return nil, err
	}
	v.Recent.OfOne = true
	all, err := books.Balances(s.Context(), filter)
	if err != nil {
		return nil, err
	}
	filter.First, filter.Last = first, today
	month, err := books.Balances(s.Context(), filter)
	v.addTiles(all, month)
	v.addSetOff(all)
	return v, err
}

// addSetOff adds what stays on both accounts of a partner who pays or is sent the balance of a statement alone.
func (v *moneyPartnerView) addSetOff(all []money.Balance) {
	both := min(centsOn(all, money.Charges), -centsOn(all, money.Collected))
	if both <= 0 {
		return
	}
	v.SetOff = v.Language.Dollars(both)
	v.Transfer = v.Link(cashPath, "partner", v.Partner.PartnerID, "currency", string(delivery.CAD),
		"amount_cents", inDollars(both)) + "#remit"
}

func (v *moneyPartnerView) addTiles(all, month []money.Balance) {
	v.Tiles = []tile{
		{Title: v.Text("money.owed.partner"), Value: v.sums(all, 1, money.Charges)},
		{
			v.Text("money.charged"), v.sums(month, -1, append(slices.Clone(taxes), money.Revenue)...),
			v.Text("money.since.taxes"),
		},
	}
	if held := balancesOn(all, money.Collected); len(held) > 0 {
		v.Tiles = append(v.Tiles, tile{Title: v.Text("money.held"), Value: v.amounts(held, -1)}, tile{
			v.Text("money.net.owed"), v.sums(all, 1, money.Charges, money.Collected), v.Text("money.net.owed.what"),
		})
	}
}

// What the field of an adjustment has that gives something back, and one that may give back more than an order was
// charged.
const (
	giveBack     = "back"
	giveBackMore = "beyond"
)

// AdjustmentFields returns the fields of an adjustment.
func (v *moneyPartnerView) AdjustmentFields() []page.Field {
	way := v.Input("_way", "money.adjust.way", "select", "")
	way.Options = []page.Option{
		{Value: "more", Label: v.Text("money.adjust.more")}, {Value: giveBack, Label: v.Text("money.adjust.back")},
	}
	if v.Beyond || v.Adjustment.Values.Get("_way") == giveBackMore {
		way.Options = append(way.Options, page.Option{Value: giveBackMore, Label: v.Text("money.adjust.beyond")})
	}
	order := v.Hinted(v.Input("order_id", "money.adjust.order", "text", "off"), "money.adjust.order.hint")
	order.Required = false
	return v.fields(v.Adjustment, way, v.amount("amount_cents", "money.adjust.amount"), order,
		v.Input("reason", "money.adjust.reason", "text", "off"))
}

// PaymentFields returns the fields of a payment.
func (v *moneyPartnerView) PaymentFields() []page.Field {
	notes := v.Hinted(v.Input("payment.notes", "money.pay.notes", "text", "off"), "money.pay.notes.hint")
	notes.Required = false
	return v.fields(v.Payment, v.amount("payment.amount_cents", "money.pay.amount"), notes)
}

func (v *moneyPartnerView) amount(name, label string) page.Field {
	field := v.Input(name, label, "text", "off")
	field.InputMode = "decimal"
	return field
}

func (v *moneyPartnerView) fields(of *page.Form, fields ...page.Field) []page.Field {
	for i := range fields {
		fields[i] = of.With(fields[i])
	}
	return fields
}

// adjust corrects what a partner was charged.
func (pages *Pages) adjust(s *sheet) (int, []byte, error) {
	partnerID := s.ID("partner_id")
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	adjustment, _ := form.Decode(sent.Typed(func(path, text string) string { // keeps its faults
		if path != "amount_cents" {
			return strings.TrimSpace(text)
		}
		cents := orderform.Cents(text)
		if way := sent.Values.Get("_way"); way == giveBack || way == giveBackMore {
			cents = negative(cents)
		}
		return cents
	}), accounting.ReadAdjustment)
	if adjustment.OrderID, err = pages.chargedOrder(s, partnerID, adjustment.OrderID); err != nil {
		return 0, nil, err
	}
	if beyond, err := pages.beyondCharge(s, partnerID, adjustment); err != nil {
		return 0, nil, err
	} else if beyond != "" && sent.Values.Get("_way") == giveBack {
		sent.Faults = append(sent.Faults, page.Fault{Field: "amount_cents", Text: beyond})
		view, err := pages.moneyPartnerView(s.on(moneyPartnerPath(partnerID)), partnerID)
		if err != nil {
			return 0, nil, err
		}
		view.Adjustment, view.Beyond = sent, true
		return view.render(http.StatusUnprocessableEntity)
	}
	posted, err := pages.config.Accounting.Adjust(s.Context(), partnerID, adjustment)
	return pages.answerPosted(s, posted, sent, err, "money.adjusted", func(v *moneyPartnerView) { v.Adjustment = sent })
}

// beyondCharge asks whether more is to be given back than an order was charged, which may be a slip. It is empty if
// there is nothing to ask.
func (pages *Pages) beyondCharge(s *sheet, partnerID string, a accounting.Adjustment) (string, error) {
	if len(a.Problems()) > 0 || a.Cents >= 0 || a.OrderID == "" {
		return "", nil
	}
	charged, err := pages.chargedFor(s, partnerID, a.OrderID)
	net := -centsOn(charged, money.Revenue)
	if err != nil || len(charged) == 0 || -a.Cents <= net {
		return "", err
	}
	return s.Text("money.adjust.beyond.why", "net", s.Language.Dollars(net)), nil
}

// negative returns a number with a minus in front of it. A quoted text is not a number, and stays.
func negative(number string) string {
	if number == "" || strings.HasPrefix(number, `"`) {
		return number
	}
	return "-" + number
}

// chargedOrder returns the id of the order that is meant by its id or the partner's own number; what was typed if
// the journal has no order with that number.
func (pages *Pages) chargedOrder(s *sheet, partnerID, typed string) (string, error) {
	if _, isID := delivery.PartnerOfOrder(typed); isID || typed == "" {
		return typed, nil
	}
	found, err := pages.config.Accounting.Journal(s.Context(),
		accounting.Filter{PartnerID: partnerID, PartnerOrderID: typed, Limit: 1})
	if err != nil || len(found.Entries) == 0 {
		return typed, err
	}
	return found.Entries[0].OrderID, nil
}

// pay records that a partner has paid.
func (pages *Pages) pay(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	payment, _ := form.Decode(sent.Typed(func(path, text string) string { // keeps its faults
		if path == "payment.amount_cents" {
			return orderform.Cents(text)
		}
		return strings.TrimSpace(text)
	}), func(f *form.Form) accounting.Payment {
		return accounting.ReadPayment(f.Object("payment", form.Required))
	})
	posted, err := pages.config.Accounting.Pay(s.Context(), s.ID("partner_id"), payment)
	return pages.answerPosted(s, posted, sent, err, "money.paid", func(v *moneyPartnerView) { v.Payment = sent })
}

// answerPosted leads to the partner's balance with its new entry, or shows the form that was refused.
func (pages *Pages) answerPosted(
	s *sheet, posted *money.Entry, sent *page.Form, refused error, done string, put func(*moneyPartnerView),
) (int, []byte, error) {
	path := moneyPartnerPath(s.ID("partner_id"))
	if refused == nil {
		amount := posted.On(money.Charges, delivery.CAD)
		if posted.Act == money.ActPayment {
			amount = -amount
		}
		return s.LeadTo(path, page.Flash{Key: done, Arguments: []string{"amount", s.Language.Dollars(amount)}})
	}
	status := http.StatusUnprocessableEntity
	if refusal.HasCode(refused, refusal.CodeConflict) { // the page shows why: the books are off
		status = http.StatusConflict
	} else if !sent.Refuse(refused, s.Language) {
		return 0, nil, refused
	}
	for i, problem := range form.ProblemsOf(refused) {
		if strings.HasSuffix(problem.Field, "amount_cents") {
			sent.Faults[i].Text = orderform.AmountFault(problem, s.Language)
		}
	}
	view, err := pages.moneyPartnerView(s.on(path), s.ID("partner_id"))
	if err != nil {
		return 0, nil, err
	}
	put(view)
	return view.render(status)
}
