package console

import (
	"bytes"
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/accounting"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/web/page"
)

const (
	// chargesOnPage is the number of entries on a page of the journal.
	chargesOnPage = 50
	// journalBytes is the size of the largest file with entries.
	journalBytes = 32 << 20
)

// journalFields are the parameters of the filter.
var journalFields = []string{"partner", "act", "order", "from", "to"}

// journalView is what the journal shows.
type journalView struct {
	*sheet
	Ways     []page.Link
	Form     *page.Form
	Partner  *partner.Overview // whose entries are shown; nil for all partners
	Table    entryTable
	Sums     []tile // of all entries that the filter selects
	Narrowed bool
	Pages    page.Pages
	CSV      string      // the address of the file
	Others   []page.Link // the same for other programs
}

// entryTable shows entries of the journal.
type entryTable struct {
	Rows  []chargeRow
	OfOne bool // they are of one partner, which is not named in each row
}

// chargeRow is an entry of the journal.
type chargeRow struct {
	*money.Entry
	Date, Partner, Act string
	PartnerPath        string
	OrderPath          string // empty if the entry is about no order
	Correct            string // the path of the form that corrects it; empty unless the entry charges an order
	Net, Taxes, Total  string
	By                 string // empty for what the service does by itself
	Difference         string // of a count; empty for none
}

func (pages *Pages) journal(s *sheet) (int, []byte, error) {
	filter, sent, err := pages.journalFilter(s)
	if err != nil {
		return 0, nil, err
	}
	view := journalView{sheet: s, Ways: s.moneyWays(), Form: sent, Narrowed: len(filled(sent.Values, journalFields)) > 0}
	status := http.StatusOK
	if len(sent.Faults) > 0 {
		status = http.StatusUnprocessableEntity
	} else if err := view.fill(filter); err != nil {
		return 0, nil, err
	}
	return s.show(leaf{template: "money-journal", title: s.Text("money.journal"), data: &view, status: status})
}

// fill reads the entries that a filter selects, and their sums.
func (v *journalView) fill(filter accounting.Filter) (err error) {
	books := v.pages.config.Accounting
	if filter.PartnerID != "" {
		if v.Partner, err = v.pages.config.Partners.Overview(v.Context(), filter.PartnerID); err != nil {
			return err
		}
	}
	filter.After, _ = accounting.ParseCursor(v.asked("cursor"))
	filter.Limit = chargesOnPage
	found, err := books.Journal(v.Context(), filter)
	if err != nil {
		return err
	}
	sums, err := books.Balances(v.Context(), filter)
	if err != nil {
		return err
	}
	v.addSums(filter.Act, sums)
	chosen := filled(v.Form.Values, journalFields)
	v.CSV = v.Link(journalPath+".csv", chosen...)
	for _, columns := range accounting.Programs {
		v.Others = append(v.Others, page.Link{
			Text: v.Text("money.csv." + string(columns)),
			Path: v.Link(journalPath+".csv", append(slices.Clone(chosen), "columns", string(columns))...),
		})
	}
	if next := found.Next.String(); next != "" {
		v.Pages.Next = v.Link(journalPath, append(slices.Clone(chosen), "cursor", next)...)
	}
	if filter.After != (accounting.Cursor{}) {
		v.Pages.First = v.Link(journalPath, chosen...)
	}
	v.Table, err = v.entryTable(found.Entries)
	return err
}

// movedBy has the account, and its sign, by which the amount of an act is known that moves money and charges nothing.
var movedBy = map[money.Act]struct {
	account money.Account
	sign    int64
}{
	money.ActPayment: {money.Charges, 1}, money.ActCollection: {money.Collected, -1},
	money.ActUnconfirmed: {money.Collected, -1}, money.ActCorrection: {money.Collected, -1},
	money.ActHandIn: {money.Desk, 1}, money.ActDeposit: {money.Bank, 1}, money.ActRemittance: {money.Collected, 1},
}

// addSums adds the sums of what was charged, with a figure for each kind of tax, of what was paid, and of the
// differences of counts. If only an act is shown that moves money, they are the sum of what it moved.
func (v *journalView) addSums(act money.Act, sums []money.Balance) {
	if missing := balancesOn(sums, money.Differences); len(missing) > 0 {
		defer func() {
			v.Sums = append(v.Sums, tile{
				Title: v.Text("money.differences"), Value: v.amounts(missing, 1), Note: v.Text("money.differences.what"),
			})
		}()
	}
	if by, moves := movedBy[act]; moves {
		v.Sums = []tile{{Title: v.Text("money.total"), Value: v.sums(sums, by.sign, by.account)}}
		return
	}
	v.Sums = []tile{{Title: v.Text("money.net"), Value: v.sums(sums, -1, money.Revenue)}}
	for _, tax := range taxes {
		if on := balancesOn(sums, tax); len(on) > 0 {
			v.Sums = append(v.Sums, tile{Title: v.Text("money.account." + string(tax)), Value: v.amounts(on, -1)})
		}
	}
	charged := append(slices.Clone(taxes), money.Revenue)
	total := balancesOn(sums, money.Charges)
	if paid := balancesOn(sums, append(charged, money.Charges)...); slices.ContainsFunc(paid, isNotZero) {
		v.Sums = append(v.Sums,
			tile{Title: v.Text("money.charged.with"), Value: v.sums(sums, -1, charged...)},
			tile{Title: v.Text("money.payments"), Value: v.amounts(paid, 1)},
			tile{Title: v.Text("money.owed.partner"), Value: v.amounts(total, 1)})
		return
	}
	v.Sums = append(v.Sums, tile{Title: v.Text("money.charged.with"), Value: v.amounts(total, 1)})
}

// isNotZero reports whether a balance has an amount.
func isNotZero(one money.Balance) bool { return one.Cents != 0 }

// differenceOf returns what was missing or too much in the count of an entry; empty if the count was right.
func (s *sheet) differenceOf(lines []money.Balance) string {
	missing := balancesOn(lines, money.Differences)
	texts := make([]string, 0, len(missing))
	for _, one := range missing {
		key, cents := "money.difference.missing", one.Cents
		if cents < 0 {
			key, cents = "money.difference.over", -cents
		}
		texts = append(texts, s.Text(key, "amount", s.Language.Money(cents, one.Currency)))
	}
	return strings.Join(texts, " · ")
}

// entryTable returns the rows of entries, with the names of what they are about.
func (s *sheet) entryTable(entries []*money.Entry) (table entryTable, err error) {
	about := make([]*operator.Audited, len(entries))
	for i, entry := range entries {
		about[i] = &operator.Audited{PartnerID: entry.PartnerID}
		about[i].OperatorID = entry.ActorID
	}
	names, err := s.pages.config.Operators.Names(s.Context(), about)
	if err != nil {
		return table, err
	}
	for _, entry := range entries {
		lines := balancesOf(entry)
		row := chargeRow{
			Entry: entry, Date: s.date(entry.Day), Partner: cmp.Or(names[entry.PartnerID], entry.PartnerID),
			Act: s.Text("money.act." + string(entry.Act)), PartnerPath: moneyPartnerPath(entry.PartnerID),
			Net: s.sums(lines, -1, money.Revenue), Taxes: s.taxesOf(lines), Total: s.sums(lines, 1, money.Charges),
			By: cmp.Or(names[entry.ActorID], entry.ActorID), Difference: s.differenceOf(lines),
		}
		if len(balancesOn(lines, money.Revenue)) == 0 { // money has moved, and nothing was earned
			row.Net = "–"
			if len(balancesOn(lines, money.Charges)) == 0 {
				row.Total = s.amounts(moved(entry), 1)
				if entry.Act == money.ActHandIn { // what was counted
					row.Total = s.sums(lines, 1, money.Desk)
				}
			}
		}
		if entry.OrderID != "" {
			row.OrderPath = ordersPath + "/" + entry.OrderID
			if entry.IsCharge() {
				row.Correct = correctionPath(entry.PartnerID, entry.PartnerOrderID)
			}
		}
		if key := machines[entry.ActorID]; key != "" {
			row.By = s.Text(key)
		}
		table.Rows = append(table.Rows, row)
	}
	return table, nil
}

// moved returns the amounts that an entry has moved from one account to another, by currency. What corrections have
// taken back is below zero.
func moved(entry *money.Entry) (sums []money.Balance) {
	for _, line := range entry.Lines {
		sign := int64(1)
		switch {
		case entry.Act == money.ActCorrection && line.Account == money.Collected:
			sign = -1
		case entry.Act == money.ActCorrection || line.Cents < 0:
			continue
		}
		last := len(sums) - 1
		if last < 0 || sums[last].Currency != line.Currency {
			sums, last = append(sums, money.Balance{Currency: line.Currency}), last+1
		}
		sums[last].Cents += sign * line.Cents
	}
	return sums
}

// taxesOf returns the taxes of some lines, with the name of each.
func (s *sheet) taxesOf(lines []money.Balance) string {
	var kinds []string
	for _, tax := range taxes {
		if on := balancesOn(lines, tax); len(on) > 0 {
			kinds = append(kinds, s.amounts(on, -1)+" "+s.Text("money.account."+string(tax)))
		}
	}
	return strings.Join(kinds, " · ")
}

// balancesOf returns the lines of an entry as sums.
func balancesOf(entry *money.Entry) (sums []money.Balance) {
	for _, line := range entry.Lines {
		sums = append(sums, money.Balance{Account: line.Account, Currency: line.Currency, Cents: line.Cents})
	}
	return sums
}

// journalFilter reads the filter that the address has.
func (pages *Pages) journalFilter(s *sheet) (filter accounting.Filter, sent *page.Form, err error) {
	sent = &page.Form{Action: journalPath, Values: url.Values{}}
	for _, name := range journalFields {
		sent.Values.Set(name, s.asked(name))
	}
	if filter.Act = money.Act(sent.Values.Get("act")); !slices.Contains(money.Acts, filter.Act) {
		filter.Act = ""
		sent.Values.Del("act")
	}
	filter.OrderID = sent.Values.Get("order")
	if _, isID := delivery.PartnerOfOrder(filter.OrderID); !isID {
		filter.OrderID, filter.PartnerOrderID = "", filter.OrderID
	}
	filter.First, filter.Last = s.bookedDay(sent, "from"), s.bookedDay(sent, "to")
	filter.PartnerID, err = pages.partnerMeant(s, sent)
	return filter, sent, err
}

// bookedDay reads a day of a filter; 0 if none is given.
func (s *sheet) bookedDay(sent *page.Form, name string) date.Day {
	text := sent.Values.Get(name)
	day, ok := date.Parse(text)
	if !ok && text != "" {
		sent.Values.Del(name) // a field of dates shows no other text
		sent.Faults = append(sent.Faults, page.Fault{Field: name, Text: s.Text("audit.day")})
	}
	return day
}

// partnerMeant returns the id of the partner that a filter names by its id or a part of its name; empty if it
// names none. It adds a fault to the form if none or several fit.
func (pages *Pages) partnerMeant(s *sheet, sent *page.Form) (string, error) {
	typed := sent.Values.Get("partner")
	if typed == "" {
		return "", nil
	}
	const several = 20
	found, err := pages.config.Partners.List(s.Context(),
		partner.ListFilter{Search: typed, NamesOnly: true, Limit: several})
	if err != nil {
		return "", err
	}
	exact := slices.DeleteFunc(slices.Clone(found.Partners), func(p partner.Listed) bool {
		return p.PartnerID != typed && !strings.EqualFold(p.Name, typed)
	})
	switch {
	case len(exact) == 1:
		return exact[0].PartnerID, nil
	case len(found.Partners) == 1:
		return found.Partners[0].PartnerID, nil
	case len(found.Partners) == 0:
		sent.Faults = append(sent.Faults, page.Fault{Field: "partner", Text: s.Text("money.partner.none")})
	default:
		sent.Faults = append(sent.Faults, page.Fault{Field: "partner", Text: s.Text("money.partner.several")})
	}
	return "", nil
}

// Fields returns the fields of the filter.
func (v *journalView) Fields() []page.Field {
	acts := make([]page.Option, 1+len(money.Acts))
	acts[0].Label = v.Text("money.act.any")
	for i, act := range money.Acts {
		acts[1+i] = page.Option{Value: string(act), Label: v.Text("money.act." + string(act))}
	}
	fields := []page.Field{
		{Name: "partner", Label: v.Text("money.partner"), Type: "search"},
		{Name: "act", Label: v.Text("money.act"), Type: "select", Options: acts},
		{Name: "order", Label: v.Text("money.order"), Type: "search"},
		{Name: "from", Label: v.Text("audit.from"), Type: "date"},
		{Name: "to", Label: v.Text("audit.to"), Type: "date"},
	}
	for i := range fields {
		fields[i] = v.Form.With(fields[i])
	}
	return fields
}

// exportJournal returns the entries that the filter selects as CSV, the oldest first.
func (pages *Pages) exportJournal(s *sheet) (int, []byte, error) {
	filter, sent, err := pages.journalFilter(s)
	if err != nil {
		return 0, nil, err
	}
	if len(sent.Faults) > 0 {
		if field := sent.Faults[0].Field; field != "partner" {
			return 0, nil, form.Fault(field, sent.Values.Get(field), page.DateRule)
		}
		return 0, nil, refusal.NotFound("the partner")
	}
	columns := accounting.Columns(s.asked("columns"))
	write, err := pages.config.Accounting.Export(s.Context(), filter, columns, page.CSVLayout(s.PageRequest))
	if err != nil {
		return 0, nil, err
	}
	var file limitedFile
	if err := write(&file); err != nil {
		return 0, nil, err
	}
	return page.ShowCSV(s.PageRequest, columns.Filename(), file.Bytes())
}

// limitedFile is a file that is made in memory.
type limitedFile struct{ bytes.Buffer }

// Write refuses what would make the file too large.
func (f *limitedFile) Write(p []byte) (int, error) {
	if f.Len()+len(p) > journalBytes {
		return 0, refusal.New(refusal.CodePayloadTooLarge,
			"the file would have more than 32 MiB: choose a shorter period, or GET /ops/v1/journal")
	}
	return f.Buffer.Write(p)
}
