package console

import (
	"bytes"
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/accounting"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/csvfile"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/orderform"
	"github.com/dropyard/dropyard/internal/web/page"
)

const cashPath = "/console/cash"

func (pages *Pages) cashRoutes() []web.Route {
	return []web.Route{
		pages.get("/cash", counting, (*Pages).cash),
		pages.get("/cash/couriers/{courier_id}", counting, (*Pages).courierCash),
		pages.post("/cash/couriers/{courier_id}", counting, (*Pages).countCash),
		pages.get("/cash/transfers.csv", bookkeeping, (*Pages).exportTransfers),
		pages.post("/cash/deposits", bookkeeping, (*Pages).deposit),
		pages.post("/cash/remittances", bookkeeping, (*Pages).remit),
		pages.get("/orders/{order_id}/collected", counting, (*Pages).askCollected),
		pages.post("/orders/{order_id}/collected", counting, (*Pages).setCollected),
	}
}

// cashView is what the page of the cash shows.
type cashView struct {
	*sheet
	Ways     []page.Link
	Carriers []carrierRow
	Desk     string
	Doubts   []doubtRow
	// What follows is for those who keep the books.
	Owed                []owedRow // partners to which something is to be sent
	Deposit, Remittance *page.Form
	held                []money.Balance // of all accounts
}

// carrierRow is a courier who carries cash.
type carrierRow struct {
	accounting.Carrier
	Name, Amount, Count string // Count is the path of the page where it is counted
}

// owedRow is what was collected for a partner and not sent yet.
type owedRow struct {
	Value, Name, Amount string // Value is the choice in the form
	Net                 string // less what the partner owes
	Record              string // the path of the form that records a transfer of the amount
}

// doubtRow is something that has to be cleared up.
type doubtRow struct {
	Day, Text, Path string
	Partner         string // whose cash it is
	Notes           string // of the count
}

// cash shows what couriers carry, and what has to be cleared up.
func (pages *Pages) cash(s *sheet) (int, []byte, error) {
	v, err := pages.cashView(s)
	if err != nil {
		return 0, nil, err
	}
	return v.render(http.StatusOK)
}

func (v *cashView) render(status int) (int, []byte, error) {
	return v.show(leaf{template: "cash", title: v.Text("cash.title"), data: v, status: status})
}

func (pages *Pages) cashView(s *sheet) (*cashView, error) {
	v, books := &cashView{sheet: s, Ways: s.moneyWays()}, pages.config.Accounting
	carriers, err := books.Carriers(s.Context())
	if err != nil {
		return nil, err
	}
	unconfirmed, differences, err := books.CashDoubts(s.Context())
	if err != nil {
		return nil, err
	}
	if v.held, err = books.Balances(s.Context(), accounting.Filter{}); err != nil {
		return nil, err
	}
	v.Desk = s.amounts(balancesOn(v.held, money.Desk), 1)
	names, err := pages.namesOfCash(s, carriers, unconfirmed, differences)
	if err != nil {
		return nil, err
	}
	for _, one := range carriers {
		v.Carriers = append(v.Carriers, carrierRow{
			Carrier: one, Name: cmp.Or(names[one.CourierID], one.CourierID), Amount: s.Language.Money(one.Cents, one.Currency),
			Count: cashPath + "/couriers/" + one.CourierID,
		})
	}
	v.addDoubts(unconfirmed, differences, names)
	if !s.KeepsBooks() {
		return v, nil
	}
	return v, v.addForms()
}

// namesOfCash returns the names of couriers and partners.
func (pages *Pages) namesOfCash(
	s *sheet, carriers []accounting.Carrier, entries ...[]*money.Entry,
) (operator.Names, error) {
	var about []*operator.Audited
	for _, one := range carriers {
		about = append(about, aboutCourier(one.CourierID))
	}
	for _, entry := range slices.Concat(entries...) {
		about = append(about, &operator.Audited{PartnerID: entry.PartnerID})
		if courierID := courierOf(entry); courierID != "" {
			about = append(about, aboutCourier(courierID))
		}
	}
	return pages.config.Operators.Names(s.Context(), about)
}

// aboutCourier asks for the name of a courier.
func aboutCourier(courierID string) *operator.Audited { return &operator.Audited{ObjectID: courierID} }

// courierOf returns the courier whose cash an entry moves; empty if it moves none.
func courierOf(entry *money.Entry) string {
	for _, line := range entry.Lines {
		if line.CourierID != "" {
			return line.CourierID
		}
	}
	return ""
}

// addDoubts adds what has to be cleared up: first what couriers have not confirmed.
func (v *cashView) addDoubts(unconfirmed, differences []*money.Entry, names operator.Names) {
	for _, entry := range unconfirmed {
		v.Doubts = append(v.Doubts, doubtRow{
			Day: v.date(entry.Day), Path: collectedPath(entry.OrderID), Partner: names[entry.PartnerID],
			Text: v.Text("cash.doubt.unconfirmed", "order", entry.PartnerOrderID,
				"amount", v.sums(balancesOf(entry), -1, money.Collected),
				"courier", cmp.Or(names[courierOf(entry)], courierOf(entry))),
		})
	}
	for _, entry := range differences {
		missing := balancesOn(balancesOf(entry), money.Differences)
		key, sign := "cash.doubt.missing", int64(1)
		if len(missing) > 0 && missing[0].Cents < 0 {
			key, sign = "cash.doubt.surplus", -1
		}
		v.Doubts = append(v.Doubts, doubtRow{
			Day: v.date(entry.Day), Partner: names[entry.PartnerID], Notes: entry.Notes,
			Path: v.Link(journalPath, "act", string(money.ActHandIn), "from", entry.Day.String(), "to", entry.Day.String()),
			Text: v.Text(key, "courier", cmp.Or(names[courierOf(entry)], courierOf(entry)), "amount", v.amounts(missing, sign)),
		})
		if !v.KeepsBooks() { // the journal is not theirs
			v.Doubts[len(v.Doubts)-1].Path = ""
		}
	}
}

// addForms adds the forms of those who keep the books.
func (v *cashView) addForms() (err error) {
	if v.Deposit, err = v.form(cashPath+"/deposits", 0); err != nil {
		return err
	}
	if v.Remittance, err = v.form(cashPath+"/remittances", 0); err != nil {
		return err
	}
	if partnerID := v.asked("partner"); partnerID != "" {
		v.Remittance.Values.Set("partner_id", owedValue(partnerID, delivery.Currency(v.asked("currency"))))
	}
	v.Remittance.Values.Set("remittance.amount_cents", v.asked("amount_cents"))
	due, names, err := v.toRemit()
	for _, one := range due {
		v.Owed = append(v.Owed, owedRow{
			Value: owedValue(one.PartnerID, one.Currency), Name: cmp.Or(names[one.PartnerID], one.PartnerID),
			Amount: v.Language.Money(one.Cents, one.Currency), Net: v.Language.Money(max(0, one.Net), one.Currency),
			Record: v.Link(cashPath, "partner", one.PartnerID, "amount_cents", inDollars(one.Cents), "currency",
				string(one.Currency)) + "#remit",
		})
	}
	return err
}

// toRemit returns what is owed to partners of what was collected, and the names of these.
func (s *sheet) toRemit() ([]accounting.ToRemit, operator.Names, error) {
	due, err := s.pages.config.Accounting.ToRemit(s.Context())
	if err != nil {
		return nil, nil, err
	}
	about := make([]*operator.Audited, len(due))
	for i, one := range due {
		about[i] = &operator.Audited{PartnerID: one.PartnerID}
	}
	names, err := s.pages.config.Operators.Names(s.Context(), about)
	return due, names, err
}

// exportTransfers returns what is to be sent to partners as CSV, for the transfers of a bank.
func (pages *Pages) exportTransfers(s *sheet) (int, []byte, error) {
	due, names, err := s.toRemit()
	if err != nil {
		return 0, nil, err
	}
	var file bytes.Buffer
	lines := csvfile.NewWriter(&file, page.CSVLayout(s.PageRequest), "partner_id", "partner", "collected",
		"after_charges", "currency")
	for _, one := range due {
		lines.Row(csvfile.Words(one.PartnerID), csvfile.Words(cmp.Or(names[one.PartnerID], one.PartnerID)),
			csvfile.Dollars(one.Cents), csvfile.Dollars(max(0, one.Net)), csvfile.Words(string(one.Currency)))
	}
	if err := lines.Flush(); err != nil {
		return 0, nil, err
	}
	return page.ShowCSV(s.PageRequest, "transfers.csv", file.Bytes())
}

// currencies are the choices of a currency.
func currencies() []page.Option {
	return []page.Option{{Value: string(delivery.CAD), Label: "CAD"}, {Value: string(delivery.USD), Label: "USD"}}
}

// DepositFields returns the fields of a deposit.
func (v *cashView) DepositFields() []page.Field {
	from := v.fromField(v.Deposit, "deposit", money.Desk, money.Terminal)
	fields := append([]page.Field{from}, v.amountFields(v.Deposit, "deposit")...)
	return slices.Insert(fields, len(fields)-1, v.Deposit.With(page.Field{
		Name: "deposit.currency", Label: v.Text("cash.currency"), Type: "select", Options: currencies(),
	}))
}

// RemittanceFields returns the fields of a remittance.
func (v *cashView) RemittanceFields() []page.Field {
	partners := append(make([]page.Option, 0, 1+len(v.Owed)), page.Option{Label: "–"}) // not the first one by mistake
	for _, one := range v.Owed {
		partners = append(partners, page.Option{Value: one.Value, Label: one.Name + " · " + one.Amount})
	}
	choose := v.Remittance.With(page.Field{
		Name: "partner_id", Label: v.Text("money.partner"), Type: "select", Required: true, Options: partners,
	})
	from := v.fromField(v.Remittance, "remittance", money.Bank, money.Desk)
	return append([]page.Field{choose, from}, v.amountFields(v.Remittance, "remittance")...)
}

// owedValue is the choice of a partner and of the currency that it is owed: a partner that is owed both currencies is
// in the list twice, and a transfer cannot be recorded in the other one by mistake.
func owedValue(partnerID string, currency delivery.Currency) string {
	return partnerID + " " + string(cmp.Or(currency, delivery.CAD))
}

// fromField returns the field of the account that an amount is taken from.
func (v *cashView) fromField(of *page.Form, object string, accounts ...money.Account) page.Field {
	options := make([]page.Option, len(accounts))
	for i, account := range accounts {
		options[i] = page.Option{Value: string(account), Label: v.Text("cash.from." + string(account))}
		if account != money.Bank { // which lends: what is sent may be deposited later
			options[i].Label += " · " + v.amounts(balancesOn(v.held, account), 1)
		}
	}
	return of.With(page.Field{Name: object + ".from", Label: v.Text("cash.from"), Type: "select", Options: options})
}

// amountFields returns the fields of an amount that is posted by hand. The fields of each form are those of an
// object, so that no name is on the page twice.
func (v *cashView) amountFields(of *page.Form, object string) []page.Field {
	return []page.Field{
		of.With(page.Field{
			Name: object + ".amount_cents", Label: v.Text("cash.amount"), Type: "text", InputMode: "decimal", Required: true,
		}),
		of.With(page.Field{Name: object + ".notes", Label: v.Text("cash.notes"), Type: "text"}),
	}
}

// typedAmounts returns what the fields of amounts mean, which are typed in dollars.
func typedAmounts(path, text string) string {
	if strings.HasSuffix(path, "_cents") {
		return orderform.Cents(text)
	}
	return strings.TrimSpace(text)
}

// refuseAmounts puts a refusal beside the fields of a form. It is false for one that is not about its fields.
func (s *sheet) refuseAmounts(sent *page.Form, refused error) bool {
	if !sent.Refuse(refused, s.Language) {
		return false
	}
	for i, problem := range form.ProblemsOf(refused) {
		if strings.HasSuffix(problem.Field, "_cents") && !slices.Contains(boundsOfAmounts, problem.Rule.Code()) {
			sent.Faults[i].Text = orderform.AmountFault(problem, s.Language)
		}
	}
	return true
}

// boundsOfAmounts are the rules that say themselves how much it may be.
var boundsOfAmounts = []string{"kept_at_most", "account_at_most", "owed_at_most"}

// deposit records that cash was taken from the desk to the bank.
func (pages *Pages) deposit(s *sheet) (int, []byte, error) {
	return pages.postCash(s, "cash.deposited", func(sent *page.Form) (string, error) {
		deposit, _ := form.Decode(sent.Typed(typedAmounts), func(f *form.Form) accounting.Deposit { // keeps its faults
			return accounting.ReadDeposit(f.Object("deposit", form.Required))
		})
		_, err := pages.config.Accounting.Deposit(s.Context(), deposit)
		return s.Language.Money(deposit.AmountCents, deposit.Currency), err
	}, func(v *cashView, sent *page.Form) { v.Deposit = sent })
}

// remit records that a partner was sent what was collected for it.
func (pages *Pages) remit(s *sheet) (int, []byte, error) {
	return pages.postCash(s, "cash.remitted", func(sent *page.Form) (string, error) {
		partnerID, currency, _ := strings.Cut(sent.Values.Get("partner_id"), " ")
		if currency != "" || sent.Values.Get("remittance.currency") == "" { // the form has no field for it
			sent.Values.Set("remittance.currency", cmp.Or(currency, string(delivery.CAD)))
		}
		remittance, _ := form.Decode(sent.Typed(typedAmounts), func(f *form.Form) accounting.Remittance { // keeps its faults
			return accounting.ReadRemittance(f.Object("remittance", form.Required))
		})
		_, err := pages.config.Accounting.Remit(s.Context(), partnerID, remittance)
		if fields := form.ProblemsOf(err); len(fields) > 0 && !strings.HasPrefix(fields[0].Field, "remittance.") {
			err = form.Fault("remittance."+fields[0].Field, fields[0].Value, fields[0].Rule)
		}
		return s.Language.Money(remittance.AmountCents, remittance.Currency), err
	}, func(v *cashView, sent *page.Form) { v.Remittance = sent })
}

// postCash posts what a form holds, and leads back to the page, or shows it with the form that was refused.
func (pages *Pages) postCash(
	s *sheet, done string, post func(*page.Form) (amount string, err error), put func(*cashView, *page.Form),
) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	amount, err := post(sent)
	if err == nil {
		return s.LeadTo(cashPath, page.Flash{Key: done, Arguments: []string{"amount", amount}})
	}
	if !s.refuseAmounts(sent, err) {
		return 0, nil, err
	}
	view, err := pages.cashView(s.on(cashPath))
	if err != nil {
		return 0, nil, err
	}
	put(view, sent)
	return view.render(http.StatusUnprocessableEntity)
}
