package app_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// post adds amounts to the books, which add up to zero.
func (m *month) post(p *apptest.Partner, lines map[string]int64) {
	for account, cents := range lines {
		m.books[p.PartnerID][account] += cents
	}
}

// taxes returns the taxes on an amount, by account, for a way that begins in a province and ends in another.
func (m *month) taxes(from, to string, at time.Time, cents int64) map[string]int64 {
	share := func(thousandths int64) int64 { return (cents*thousandths + 50_000) / 100_000 }
	switch to {
	case "ON":
		return map[string]int64{"tax_hst": share(13_000)}
	case "NS":
		if at.In(m.halifax).Before(time.Date(2025, time.April, 1, 0, 0, 0, 0, m.halifax)) {
			return map[string]int64{"tax_hst": share(15_000)}
		}
		return map[string]int64{"tax_hst": share(14_000)}
	}
	taxes := map[string]int64{"tax_gst": share(5_000)}
	if from == "QC" && to == "QC" {
		taxes["tax_qst"] = share(9_975)
	}
	return taxes
}

// charge books a charge.
func (m *month) charge(p *apptest.Partner, from, to string, at time.Time, cents int64) {
	lines := map[string]int64{"charges": cents, "revenue": -cents}
	for account, tax := range m.taxes(from, to, at, cents) {
		lines["charges"] += tax
		lines[account] -= tax
	}
	m.post(p, lines)
}

var accountsOfBooks = strings.Fields(
	"charges collected revenue tax_gst tax_hst tax_qst cash terminal desk bank differences")

// compare compares the balances of each partner, and of all, with the script.
func (m *month) compare() {
	m.Helper()
	all := map[string]int64{}
	for _, p := range m.partners {
		m.same(p.PartnerID, "partner_id="+p.PartnerID, m.books[p.PartnerID])
		for account, cents := range m.books[p.PartnerID] {
			all[account] += cents
		}
	}
	m.same("all", "", all)
	m.balanced(m.T, "")
	for i, rider := range m.riders {
		sum := int64(0)
		for _, n := range m.carried[rider] {
			sum += n.cents
		}
		found := m.operator.Call(m.T, "GET", "/ops/v1/couriers/"+rider.CourierID+"/cash", nil).Must(m.T, 200)
		if got, _ := found.JSON("balances", 0, "amount_cents").(float64); int64(got) != sum {
			m.Errorf("courier %d: got %s, want %d cents", i, found.Body, sum)
		}
	}
}

func (m *month) same(whose, query string, want map[string]int64) {
	m.Helper()
	found := m.operator.Call(m.T, "GET", "/ops/v1/balances?"+query, nil).Must(m.T, 200)
	got, sum := map[string]int64{}, int64(0)
	for i := range found.Len("balances") {
		cents, _ := found.JSON("balances", i, "amount_cents").(float64)
		got[found.Text("balances", i, "account")] += int64(cents)
		sum += int64(cents)
	}
	for _, account := range accountsOfBooks {
		if got[account] != want[account] {
			m.Errorf("%s, %s: got %d cents, want %d", whose, account, got[account], want[account])
		}
	}
	if sum != 0 {
		m.Errorf("%s: got balances that add up to %d", whose, sum)
	}
}

// trialBalance returns the balances as a table.
func (m *month) trialBalance() string {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintf(table, "\t%s\t\n", strings.Join(accountsOfBooks, "\t"))
	row := func(name string, cents func(account string) int64) {
		cells := []string{name}
		for _, account := range accountsOfBooks {
			cells = append(cells, dollarsOf(cents(account)))
		}
		_, _ = fmt.Fprintf(table, "%s\t\n", strings.Join(cells, "\t"))
	}
	for _, p := range slices.SortedFunc(slices.Values(m.partners), func(a, b *apptest.Partner) int {
		return cmp.Compare(a.Email, b.Email)
	}) {
		row(p.Email, func(account string) int64 { return m.books[p.PartnerID][account] })
	}
	row("all", m.total)
	_ = table.Flush()
	return text.String()
}

// dollarsOf returns cents as dollars.
func dollarsOf(cents int64) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	return fmt.Sprintf("%s%d.%02d", sign, cents/100, cents%100)
}
