package pagetest

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/web/page"
)

// accountant is an operator who keeps the books.
const accountant = "accountant"

// moneyScenes are the pages of the books. beside is the address of answered.
func (h *house) moneyScenes(beside string) (scenes []Scene) {
	admin := secured(page.English)
	hostile := "/console/money/partners/" + h.shops.chargedHostile
	for _, one := range []struct{ name, who, path string }{
		{"money", accountant, "/console/money"},
		{"money-journal", accountant, "/console/money/journal"},
		{"money-journal-partner", admin, "/console/money/journal?act=delivery&partner=Comptoir+Rivard"},
		{"money-journal-none", accountant, "/console/money/journal?order=A-0"},
		{"money-journal-faults", accountant, "/console/money/journal?partner=nobody+with+this+name&from=yesterday"},
		{"money-settings", admin, "/console/money/settings"},
		{"money-settings-read", accountant, "/console/money/settings"},
		{"money-order", admin, "/console/orders/" + h.orders["CR-1"]},
		{"money-balance", accountant, "/console/money/partners/" + h.shops.charged + "?order=CR-1"},
		{"money-balance-hostile", admin, "/console/money/partners/" + h.shops.chargedHostile},
		{"money-partner", accountant, "/console/partners/" + h.shops.charged},
		{"exports-none", accountant, "/console/exports"},
		{"statements", accountant, "/console/money/statements"},
		{"statements-none-of-month", admin, "/console/money/statements?period=2025-12"},
		{"statements-closing", accountant, "/console/money/statements/closing?period=2026-05"},
		{"statements-closing-early", admin, "/console/money/statements/closing?period=2026-06"},
		{"statements-closing-done", accountant, "/console/money/statements/closing?period=2026-04"},
		{"statement-preview", accountant, "/console/money/partners/" + h.shops.charged + "/statement?period=2026-06"},
		{"statement-preview-hostile", admin, hostile + "/statement?period=2026-05"},
	} {
		scenes = append(scenes,
			Scene{Name: "console-" + one.name, URL: h.url + one.path, Policy: page.Policy, Cookie: h.operatorSession(one.who)})
	}
	for _, one := range [][2]string{{"", "charged"}, {"-none", newcomer}, {"-hostile", "charged-hostile"}} {
		scenes = append(scenes, Scene{
			Name: "portal-statements" + one[0], URL: h.url + "/portal/statements", Policy: page.Policy,
			Cookie: sessionCookie + "=" + h.cookies[one[1]],
		})
	}
	for _, kept := range []string{
		"money-none", "money-unset", "statements-none", "money-firm-faults", "money-books-faults",
		"money-adjustment-faults", "money-payment-faults",
	} {
		scenes = append(scenes,
			Scene{Name: "console-" + kept, URL: beside + "/answered/" + kept, Policy: page.Policy})
	}
	return scenes
}

// addBooks keeps the answers to forms of the books that are refused, turns them on, and has orders charged.
func (h *house) addBooks(ctx context.Context) error {
	if err := h.addOperator(ctx, client.OperatorRequest{Email: accountant, Role: client.OperatorAccountant}); err != nil {
		return err
	}
	const settings = "/console/money/settings"
	for scene, path := range map[string]string{
		"money-none": "/console/money", "money-unset": settings, "cash-none": "/console/cash",
		"statements-none": "/console/money/statements",
	} {
		for _, language := range page.Languages {
			found, err := h.ask(ctx, http.MethodGet, path, h.operatorSession(secured(page.English)), http.NoBody, language)
			if err != nil {
				return err
			}
			h.logins.answers[scene+"/"+string(language)] = found
		}
	}
	if err := h.keepAll(ctx, []sent{
		{"money-firm-faults", settings + "/firm", url.Values{
			"address": {"4200 Rue Saint-Denis\nMontréal QC  H2J 2K8"}, "numbers.qst": {strings.Repeat("1234567890 ", 4)},
		}},
		{"money-books-faults", settings + "/books", url.Values{"books_from": {"1969-12-31"}}},
	}); err != nil {
		return err
	}
	if _, err := h.desk.PutFirm(ctx, client.Firm{
		Name: "Livraisons Plateau inc.", Address: "4200 Rue Saint-Denis\nMontréal QC  H2J 2K8",
		Numbers: client.FirmNumbers{GSTHST: "123456789 RT0001", QST: "1234567890 TQ0001"},
	}); err != nil {
		return err
	}
	if _, err := h.desk.ChangeBooks(ctx, client.BooksChange{BooksFrom: client.Set("2026-06-01")}); err != nil {
		return err
	}
	for _, one := range []struct {
		who, name, email string
		id               *string
		numbers          []string
	}{
		{
			"charged", "Comptoir Rivard", "comptoir@rivard.example", &h.shops.charged,
			[]string{"CR-1", "CR-2", "CR-3", "CR-4"},
		},
		{
			"charged-hostile", hostileName, "hostile@rivard.example", &h.shops.chargedHostile,
			[]string{hostileText + " 2"},
		},
	} {
		signing, partnerID, err := h.register(ctx, one.who, one.name, one.email)
		if err != nil {
			return err
		}
		*one.id = partnerID
		for i, number := range one.numbers {
			created, err := signing.CreateOrder(ctx, orderTo(number, i, h.clock.Now()))
			if err != nil {
				return err
			}
			h.orders[number] = created.OrderID
			if err := h.moveNow(ctx, created.OrderID, h.courierID, len(steps)); err != nil {
				return err
			}
		}
	}
	if err := h.addPosted(ctx); err != nil {
		return err
	}
	return h.addStatements(ctx)
}

// addPosted posts adjustments and a payment, and keeps the answers to forms that are refused.
func (h *house) addPosted(ctx context.Context) error {
	for partnerID, reason := range map[string]string{
		h.shops.charged: "The parcel was late", h.shops.chargedHostile: hostileText,
	} {
		adjustment := client.AdjustmentRequest{AmountCents: -1250, Reason: reason}
		if _, err := h.desk.CreateAdjustment(ctx, partnerID, adjustment); err != nil {
			return err
		}
	}
	payment := client.PaymentRequest{AmountCents: 10_000, Notes: "Transfer 2026-06-17"}
	if _, err := h.desk.CreatePayment(ctx, h.shops.charged, payment); err != nil {
		return err
	}
	balance := "/console/money/partners/" + h.shops.charged
	return h.keepAll(ctx, []sent{
		{"money-adjustment-faults", balance + "/adjustments", url.Values{
			"_way": {"back"}, "amount_cents": {"12.345"}, "order_id": {"CR-0"},
		}},
		{"money-payment-faults", balance + "/payments", url.Values{"payment.notes": {"Cheque 12"}}},
	})
}
