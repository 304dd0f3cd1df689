package statement

import (
	"fmt"
	"strconv"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/money"
)

// Language is the language of a file.
type Language string

// The languages.
const (
	English Language = "en"
	French  Language = "fr"
)

// words is what a language has.
type words struct {
	title, closedOn, page          string
	date, order, act, net, total   string
	opening, charged, paid         string
	collected, remitted, closing   string
	held, carried, balance, noLine string
	gstHST, qst                    string // the firm's numbers
	point, group                   string // of amounts
	before, after                  string // around amounts
	day                            func(date.Day) string
	months                         [12]string
	taxes                          map[money.Account]string
	acts                           map[money.Act]string
}

var languages = map[Language]*words{
	English: {
		title: "Statement %[1]d · %[2]s", closedOn: "Closed on %s", page: "Page %d of %d",
		date: "Date", order: "Order", act: "Type", net: "Amount", total: "Total",
		opening: "Opening balance", charged: "Charges before taxes", paid: "Paid", collected: "Collected at doors",
		remitted: "Sent to you", closing: "Closing balance", held: "Collected and not yet sent",
		carried: "Sum of the lines", balance: "above zero: you owe; below zero: you are owed",
		noLine: "No lines in this month.",
		gstHST: "GST/HST number", qst: "QST number", point: ".", group: ",", before: "$",
		day: func(d date.Day) string { return d.Midnight().Format("Jan 2, 2006") },
		months: [12]string{
			"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
			"December",
		},
		taxes: map[money.Account]string{money.TaxGST: "GST", money.TaxHST: "HST", money.TaxQST: "QST"},
		acts: map[money.Act]string{
			money.ActDelivery: "Delivery", money.ActAttempt: "Further attempt", money.ActReturn: "Return to the sender",
			money.ActLateCancellation: "Late cancellation", money.ActAdjustment: "Adjustment", money.ActPayment: "Payment",
			money.ActCollection: "Collected at the door", money.ActUnconfirmed: "Collection to be confirmed",
			money.ActCorrection: "Collection corrected", money.ActHandIn: "Cash handed in",
			money.ActDeposit: "Bank deposit", money.ActRemittance: "Sent to you",
		},
	},
	French: {
		title: "Relevé %[1]d · %[2]s", closedOn: "Clôturé le %s", page: "Page %d de %d",
		date: "Date", order: "Commande", act: "Opération", net: "Montant", total: "Total",
		opening: "Solde d’ouverture", charged: "Frais avant taxes", paid: "Payé", collected: "Encaissé à la porte",
		remitted: "Versé", closing: "Solde de clôture", held: "Encaissé et pas encore versé",
		carried: "Somme des lignes", balance: "au-dessus de zéro : vous devez ; au-dessous : on vous doit",
		noLine: "Aucune ligne pour ce mois.",
		gstHST: "Numéro de TPS/TVH", qst: "Numéro de TVQ", point: ",", group: "\u00a0", after: "\u00a0$",
		day: func(d date.Day) string { return frenchDay(d.Midnight()) },
		months: [12]string{
			"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre",
			"décembre",
		},
		taxes: map[money.Account]string{money.TaxGST: "TPS", money.TaxHST: "TVH", money.TaxQST: "TVQ"},
		acts: map[money.Act]string{
			money.ActDelivery: "Livraison", money.ActAttempt: "Nouvelle tentative", money.ActReturn: "Retour à l’expéditeur",
			money.ActLateCancellation: "Annulation tardive", money.ActAdjustment: "Rajustement", money.ActPayment: "Paiement",
			money.ActCollection: "Encaissement à la porte", money.ActUnconfirmed: "Encaissement à confirmer",
			money.ActCorrection: "Encaissement corrigé", money.ActHandIn: "Remise d’espèces",
			money.ActDeposit: "Dépôt à la banque", money.ActRemittance: "Versement",
		},
	},
}

// frenchDay returns a day as 2026-11-05, as official documents in Quebec have it.
func frenchDay(at time.Time) string { return at.Format(time.DateOnly) }

// month returns the name of a month with its year.
func (w *words) month(p money.Period) string {
	first := p.First().Midnight()
	return w.months[first.Month()-1] + " " + strconv.Itoa(first.Year())
}

// amount returns an amount without its currency, such as -1,204.50.
func (w *words) amount(cents int64) string {
	sign, units := "", uint64(cents)
	if cents < 0 {
		sign, units = "-", -units
	}
	whole := strconv.FormatUint(units/100, 10)
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + w.group + whole[i:]
	}
	return fmt.Sprintf("%s%s%s%02d", sign, whole, w.point, units%100)
}

// money returns an amount with its currency.
func (w *words) money(cents int64, currency delivery.Currency) string {
	text := w.amount(cents)
	if cents < 0 {
		text = "-" + w.before + text[len("-"):] + w.after
	} else {
		text = w.before + text + w.after
	}
	if currency != delivery.CAD {
		text += " " + string(currency)
	}
	return text
}
