package console_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

const (
	newCard   = "/console/rate-cards/new"
	localBase = "levels.standard.zones.local.base_cents"
	remote    = "levels.express.zones.remote"
)

// TestRateCardTables types the next version of a card into tables, in both languages: it begins with the card in
// force, and what is typed is what the card that is added holds.
func TestRateCardTables(t *testing.T) {
	t.Parallel()
	for language, typed := range map[string]struct{ was, base, fuel, effect, charge, name string }{
		"en": {"7.95", "9.95", "13", "$9.95", "4.50", "Return of undelivered goods"},
		"fr": {"7,95", "9,95", "13,0", "9,95\u00a0$", "4,5", "Retour de marchandises non livrées"},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			s := apptest.Start(t)
			o := s.Operate(t)
			s.Register(t, "metro").Create(t, testkit.OrderJSON("A-1", "")).Must(t, http.StatusCreated)
			desk := o.Visit(t)
			desk.Cookies["lang"] = language
			page := desk.Open(t, newCard).Must(t, http.StatusOK)
			for field, want := range map[string]string{
				"version": "default-2", localBase: typed.was, remote: "yes", "included_grams": "1", "name": "default",
				"levels.same_day.cut_off": "13:00", "attempt_cents": "",
			} {
				if got := apptest.FieldOf(t, page, newCard, field); got != want {
					t.Errorf("%s: got %q to begin with, want %q", field, got, want)
				}
			}
			checked := desk.Send(t, page, newCard, localBase, typed.base, "fuel_basis_points", typed.fuel, remote, "",
				"levels.same_day.cut_off", "11:30", "effective_from", "2026-02-01T00:00", "return_cents", typed.charge)
			checked.Shows(t, http.StatusOK, typed.effect, "A-1", `action="/console/rate-cards"`,
				`<bdi class="clip wide">`+typed.name)
			if text := apptest.FieldOf(t, checked, newCard, "document"); !strings.Contains(text, `"base_cents": 995`) {
				t.Errorf("got %s, want the file with what was typed", text)
			}
			path := desk.Send(t, checked, "/console/rate-cards").Header.Get("Location")
			added := o.Call(t, "GET", "/ops/v1/rate-cards/"+strings.TrimPrefix(path, "/console/rate-cards/"), nil).Must(t,
				http.StatusOK)
			for _, c := range []struct {
				want any
				path []any
			}{
				{"default-2", []any{"card", "version"}},
				{"2026-02-01T05:00:00.000Z", []any{"effective_from"}}, // midnight in Montréal
				{995.0, []any{"card", "levels", "standard", "zones", "local", "base_cents"}},
				{25.0, []any{"card", "levels", "standard", "zones", "local", "per_kg_cents"}},
				{nil, []any{"card", "levels", "express", "zones", "remote"}},
				{39995.0, []any{"card", "levels", "same_day", "zones", "remote", "base_cents"}},
				{"11:30", []any{"card", "levels", "same_day", "cut_off"}},
				{1300.0, []any{"card", "fuel_basis_points"}},
				{450.0, []any{"card", "cod", "minimum_cents"}},
				{13750.0, []any{"card", "cad_per_10000_usd"}},
				{450.0, []any{"card", "return_cents"}},
			} {
				if got := added.JSON(c.path...); got != c.want {
					t.Errorf("%v: got %v, want %v", c.path, got, c.want)
				}
			}
			if members, _ := added.JSON("card").(map[string]any); len(members) != 10 {
				t.Errorf("got %v, want a card without the charges that were left empty", members)
			}
			desk.Open(t, path).Shows(t, http.StatusOK, `id="extra"`, "<dt>"+typed.name)
			follow := desk.Open(t, newCard+"?from="+strings.TrimPrefix(path, "/console/rate-cards/"))
			if got := apptest.FieldOf(t, follow, newCard, "version"); got != "default-3" {
				t.Errorf("got version %q, want default-3", got)
			}
			if got := apptest.FieldOf(t, follow, newCard, remote); got != "" {
				t.Errorf("got a box %q of a zone that is not offered, want it empty", got)
			}
		})
	}
}

// TestRateCardCellFaults says at each cell what it must hold, in the unit in which it is typed.
func TestRateCardCellFaults(t *testing.T) {
	t.Parallel()
	desk := apptest.Start(t).Operate(t).Visit(t)
	page := desk.Open(t, newCard).Must(t, http.StatusOK)
	for field, c := range map[string]struct{ typed, want string }{
		localBase:                               {"<b>", "Enter an amount such as 12.50"},
		"parcel_cents":                          {"1.505", "Enter an amount such as 12.50"},
		"fragile_cents":                         {"", "Enter an amount such as 12.50"},
		"cod.basis_points":                      {"101", "Enter a percentage such as 12.5, at most 100."},
		"included_grams":                        {"-1", "Enter a weight such as 1.5, at most 70."},
		"cad_per_10000_usd":                     {"0", "Enter a value such as 1.375"},
		"levels.express.cut_off":                {"1 pm", "a time"},
		"attempt_cents":                         {"free", "Enter an amount such as 12.50"},
		"late_cancellation_cents":               {"1000000.01", "at most 1 million"},
		"version":                               {"", "required"},
		remote + ".transit_days":                {"7", "from 1 to 2"},
		"effective_from":                        {"2026-03-08T02:30", "time"}, // the clocks of Montréal skip it
		"levels.same_day.cut_off":               {"24:00", "a time"},
		"insurance.minimum_cents":               {"1,000,000.00", "Enter an amount"},
		"levels.express.zones.local.base_cents": {"1,000", "Enter an amount"}, // it may mean a thousand
	} {
		got := desk.Send(t, page, newCard, field, c.typed)
		got.Shows(t, http.StatusUnprocessableEntity, `id="fault-`+field+`"`, `href="#field-`+field+`"`)
		body := string(got.Body)
		_, fault, _ := strings.Cut(body, `id="fault-`+field+`">`)
		fault, _, _ = strings.Cut(fault, "<")
		if !strings.Contains(strings.ToLower(fault), strings.ToLower(c.want)) {
			t.Errorf("%s: got fault %q, want %q", field, fault, c.want)
		}
		if kept := apptest.FieldOf(t, got, newCard, field); kept != c.typed {
			t.Errorf("%s: got %q back, want %q", field, kept, c.typed)
		}
	}
	desk.Cookies["lang"] = "fr"
	desk.Send(t, page, newCard, localBase, "x").Shows(t, http.StatusUnprocessableEntity, "Entrez un montant tel que 12,50")
}

// TestRateCardTablesAndFile changes the tables, the text of the file, and both: the card is always one of them, and
// the person is asked which.
func TestRateCardTablesAndFile(t *testing.T) {
	t.Parallel()
	desk := apptest.Start(t).Operate(t).Visit(t)
	page := desk.Open(t, newCard).Must(t, http.StatusOK)
	text := func(of *apptest.Answer) string { return apptest.FieldOf(t, of, newCard, "document") }
	base := func(of *apptest.Answer) string { return apptest.FieldOf(t, of, newCard, localBase) }
	shown := text(page)
	typed := strings.Replace(shown, `"base_cents": 795,`, "\n\n  \"base_cents\"  :  805,", 1) // kept to the byte

	byFile := desk.Send(t, page, newCard, "document", typed).Must(t, http.StatusOK)
	if text(byFile) != typed || base(byFile) != "8.05" {
		t.Errorf("got %q and %q, want the text as typed, and 8.05 in the table", text(byFile), base(byFile))
	}
	same := desk.Send(t, byFile, newCard).Must(t, http.StatusOK)
	if text(same) != typed {
		t.Errorf("got %q, want the text as typed: nothing was changed since", text(same))
	}
	byCell := desk.Send(t, byFile, newCard, localBase, "9").Must(t, http.StatusOK)
	if want := strings.Replace(shown, `"base_cents": 795,`, `"base_cents": 900,`, 1); text(byCell) != want {
		t.Errorf("got %q, want %q", text(byCell), want)
	}
	both := desk.Send(t, page, newCard, "document", typed, localBase, "9")
	both.Shows(t, http.StatusUnprocessableEntity, `id="fault-document"`, "were both changed")
	if text(both) != typed || base(both) != "9" {
		t.Errorf("got %q and %q, want both as they were typed", text(both), base(both))
	}
	showsNone(t, both, `action="/console/rate-cards"`)
	if chosen := desk.Send(t, both, newCard, "source", "file").Must(t, http.StatusOK); base(chosen) != "8.05" {
		t.Errorf("got %q in the table, want 8.05, as in the file", base(chosen))
	}
	if chosen := desk.Send(t, both, newCard, "document", "").Must(t, http.StatusOK); base(chosen) != "9.00" ||
		!strings.Contains(text(chosen), `"base_cents": 900,`) {
		t.Errorf("got %q and %q, want 9.00 in both", text(chosen), base(chosen))
	}
	charged := desk.Send(t, page, newCard, "document",
		strings.Replace(shown, `"parcel_cents"`, `"attempt_cents": 0, "return_cents": null, "parcel_cents"`, 1))
	for field, want := range map[string]string{"attempt_cents": "0.00", "return_cents": ""} {
		if got := apptest.FieldOf(t, charged.Must(t, http.StatusOK), newCard, field); got != want {
			t.Errorf("%s: got %q in the table, want %q as in the file", field, got, want)
		}
	}
	freed := desk.Send(t, charged, newCard, "attempt_cents", "").Must(t, http.StatusOK)
	if got := text(freed); got != shown {
		t.Errorf("got %q, want the file without charges that are left empty, %q", got, shown)
	}
	without := desk.Send(t, page, newCard, "levels.standard.zones.local", "").Must(t, http.StatusOK)
	if base(without) != "7.95" || strings.Contains(text(without), "795") {
		t.Errorf("got %q and %q, want the price kept in the row, and not in the file", base(without), text(without))
	}
	again := desk.Send(t, page, newCard, "document", text(without)).Must(t, http.StatusOK)
	if base(again) != "" {
		t.Errorf("got %q in the row of a zone that the file does not have, want nothing", base(again))
	}
	broken := desk.Send(t, page, newCard, "document", "{")
	broken.Shows(t, http.StatusUnprocessableEntity, "Correct the JSON here")
	showsNone(t, broken, localBase)
}
