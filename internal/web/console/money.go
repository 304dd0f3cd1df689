package console

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/accounting"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

const (
	moneyPath         = "/console/money"
	journalPath       = moneyPath + "/journal"
	moneySettingsPath = moneyPath + "/settings"
)

func (pages *Pages) moneyRoutes() []web.Route {
	export := pages.get("/money/journal.csv", bookkeeping, (*Pages).exportJournal)
	export.Heavy = true
	return []web.Route{
		pages.get("/money", bookkeeping, (*Pages).money),
		pages.get("/money/journal", bookkeeping, (*Pages).journal), export,
		pages.get("/money/settings", bookkeeping, (*Pages).moneySettings),
		pages.post("/money/settings/firm", administering, (*Pages).changeFirm),
		pages.post("/money/settings/books", administering, (*Pages).changeBooks),
		pages.post("/money/settings/door", administering, (*Pages).changeDoor),
		pages.post("/money/settings/closing", administering, (*Pages).changeClosing),
		pages.get("/money/partners/{partner_id}", bookkeeping, (*Pages).moneyPartner),
		pages.post("/money/partners/{partner_id}/adjustments", bookkeeping, (*Pages).adjust),
		pages.post("/money/partners/{partner_id}/payments", bookkeeping, (*Pages).pay),
	}
}

// moneyWays are the links between the pages of the books.
func (s *sheet) moneyWays() (links []page.Link) {
	if !s.KeepsBooks() {
		return nil
	}
	for _, one := range [][2]string{
		{"money.owing", moneyPath}, {"cash.title", cashPath}, {"money.journal", journalPath},
		{"statement.title", statementsPath}, {"system.exports", exportsPath}, {"money.settings", moneySettingsPath},
	} {
		links = append(links, page.Link{Text: s.Text(one[0]), Path: one[1], Current: s.Request.URL.Path == one[1]})
	}
	return links
}

// owingShown is how many partners the page shows, those with the largest debts.
const owingShown = 200

// moneyView is what the first page of the books shows.
type moneyView struct {
	*sheet
	Ways     []page.Link
	Off      bool // nothing is charged yet
	Tiles    []tile
	Partners []owingRow
	More     int // partners that owe something and are not shown
	Accounts []accountRow
}

// tile is a figure with what it is.
type tile struct{ Title, Value, Note string }

// accountRow is the balance of an account.
type accountRow struct{ Name, Code, Balance string }

// accountRows returns the balances of all accounts, which add up to zero.
func (s *sheet) accountRows(balances []money.Balance) (rows []accountRow) {
	for _, one := range balances {
		rows = append(rows, accountRow{
			s.Text("money.account." + string(one.Account)), string(one.Account), s.Language.Money(one.Cents, one.Currency),
		})
	}
	return rows
}

// owingRow is a partner that owes something.
type owingRow struct {
	Name, Path    string // Path is the page of its balance
	Owed, Charged string
	Last          string // the day of its last charge
}

// money shows what partners owe, and what was charged in this month.
func (pages *Pages) money(s *sheet) (int, []byte, error) {
	v := moneyView{sheet: s, Ways: s.moneyWays()}
	first, today := pages.config.Accounting.Month()
	month, err := pages.config.Accounting.Balances(s.Context(), accounting.Filter{First: first, Last: today})
	if err != nil {
		return 0, nil, err
	}
	all, err := pages.config.Accounting.Balances(s.Context(), accounting.Filter{})
	if err != nil {
		return 0, nil, err
	}
	owing, err := pages.config.Accounting.Owing(s.Context(), first, today)
	if err != nil {
		return 0, nil, err
	}
	settings, err := pages.config.Accounting.Settings(s.Context())
	if err != nil {
		return 0, nil, err
	}
	v.Off = settings.From == 0
	v.Tiles = []tile{
		{
			s.Text("money.charged"), s.sums(month, -1, append(slices.Clone(taxes), money.Revenue)...),
			s.Text("money.since.taxes"),
		},
		{s.Text("money.taxes.month"), s.sums(month, -1, taxes...), s.Text("money.since")},
		{s.Text("money.owed"), s.sums(all, 1, money.Charges), s.Language.Count("money.partners", len(owing))},
	}
	v.Accounts = s.accountRows(all)
	v.More = max(0, len(owing)-owingShown)
	return v.fill(owing[:len(owing)-v.More])
}

// fill shows the page with the partners that owe something.
func (v *moneyView) fill(owing []accounting.Owing) (int, []byte, error) {
	about := make([]*operator.Audited, len(owing))
	for i, one := range owing {
		about[i] = &operator.Audited{PartnerID: one.PartnerID}
	}
	names, err := v.pages.config.Operators.Names(v.Context(), about)
	if err != nil {
		return 0, nil, err
	}
	for _, one := range owing {
		v.Partners = append(v.Partners, owingRow{
			Name: cmp.Or(names[one.PartnerID], one.PartnerID), Path: moneyPartnerPath(one.PartnerID),
			Owed:    v.Language.Money(one.Cents, one.Currency),
			Charged: v.Language.Money(one.Charged, one.Currency), Last: v.date(one.Last),
		})
	}
	return v.show(leaf{template: "money", title: v.Text("console.money"), data: v})
}

// taxes are the accounts of taxes.
var taxes = []money.Account{money.TaxGST, money.TaxHST, money.TaxQST}

// sums returns the sum of some accounts in each currency, with a sign: what is earned or owed to others stands
// below zero in the books.
func (s *sheet) sums(balances []money.Balance, sign int64, accounts ...money.Account) string {
	return s.amounts(balancesOn(balances, accounts...), sign)
}

// amounts returns amounts with their currencies; zero if there are none.
func (s *sheet) amounts(sums []money.Balance, sign int64) string {
	texts := make([]string, len(sums))
	for i, sum := range sums {
		texts[i] = s.Language.Money(sign*sum.Cents, sum.Currency)
	}
	if len(texts) == 0 {
		return s.Language.Dollars(0)
	}
	return strings.Join(texts, " · ")
}

// balancesOn returns the sums of some accounts, by currency. The balances are sorted by currency.
func balancesOn(balances []money.Balance, accounts ...money.Account) (sums []money.Balance) {
	for _, one := range balances {
		if !slices.Contains(accounts, one.Account) {
			continue
		}
		if last := len(sums) - 1; last < 0 || sums[last].Currency != one.Currency {
			sums = append(sums, money.Balance{Currency: one.Currency})
		}
		sums[len(sums)-1].Cents += one.Cents
	}
	return sums
}

// date returns a day in words; empty for none.
func (s *sheet) date(day date.Day) string {
	if day == 0 {
		return ""
	}
	return s.Language.BriefDate(day.Midnight(), s.Site.Now())
}

// owed returns what a partner owes.
func (s *sheet) owed(partnerID string) (string, error) {
	balances, err := s.pages.config.Accounting.Balances(s.Context(), accounting.Filter{PartnerID: partnerID})
	return s.sums(balances, 1, money.Charges), err
}
