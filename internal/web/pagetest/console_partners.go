package pagetest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/web/page"
)

// shops are the partners whose records the console shows, by their ids.
type shops struct{ metro, pending, suspended, long, hostile, charged, chargedHostile string }

// cards are the ids of rate cards.
type cards struct{ deal, planned, hostile string }

// longestName is a name of several lines on a phone.
const longestName = "Fleurs, bouquets et arrangements de la Maison Beauchemin-Létourneau-Desrosiers de Saint-Louis-du-Ha! Ha!"

// partnerScenes are the states of the records of partners, besides the answers to forms.
func (h *house) partnerScenes() (scenes []Scene) {
	admin, list := secured(page.English), h.url+"/console/partners"
	for _, one := range []struct{ name, path, who string }{
		{"list", "", admin},
		{"list-pending", "?show=pending", admin},
		{"list-none", "?show=suspended&q=nobody+with+this+name", admin},
		{"list-hostile", "?q=hacked", dispatcher},
		{"one", "/" + h.shops.metro, admin},
		{"one-dispatcher", "/" + h.shops.metro, dispatcher},
		{"one-pending", "/" + h.shops.pending, admin},
		{"one-suspended", "/" + h.shops.suspended, admin},
		{"one-long", "/" + h.shops.long, admin},
		{"one-hostile", "/" + h.shops.hostile, admin},
		{"erasure", "/" + h.shops.metro + "/erasure", admin},
	} {
		scenes = append(scenes,
			Scene{Name: "partners-" + one.name, URL: list + one.path, Policy: page.Policy, Cookie: h.operatorSession(one.who)})
	}
	return scenes
}

// rateScenes are the states of the rate cards, besides the answers to forms.
func (h *house) rateScenes() (scenes []Scene) {
	admin, list := h.operatorSession(secured(page.English)), h.url+"/console/rate-cards"
	for _, one := range []struct{ name, path string }{
		{"list", ""},
		{"list-series", "?name=maison-beauchemin"},
		{"list-none", "?state=past&name=none"},
		{"card", "/" + h.cards.planned},
		{"card-builtin", "/crd_builtin"},
		{"card-hostile", "/" + h.cards.hostile},
		{"preview", "/" + h.cards.planned + "/preview"},
		{"preview-none", "/" + h.cards.planned + "/preview?partner=" + h.shops.pending},
		{"preview-unknown", "/" + h.cards.deal + "/preview?partner=par_none"},
		{"new", "/new"},
		{"new-from", "/new?from=" + h.cards.deal},
	} {
		scenes = append(scenes, Scene{Name: "rates-" + one.name, URL: list + one.path, Policy: page.Policy, Cookie: admin})
	}
	return scenes
}

// addPartnerDesk adds partners in all states, rate cards, and the answers to forms of the
// console. It runs last.
func (h *house) addPartnerDesk(ctx context.Context) error {
	for _, add := range []func(context.Context) error{h.addShops, h.addCards, h.addPartnerAnswers, h.addRateAnswers} {
		if err := add(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (h *house) addShops(ctx context.Context) error {
	for _, one := range []struct {
		id          *string
		name, email string
		change      client.PartnerChange
	}{
		{&h.shops.suspended, "Quincaillerie Vaillancourt", "compta@vaillancourt.example", client.PartnerChange{
			Suspended: new(true), SuspendedReason: "Invoices of March and April are unpaid.",
		}},
		{
			&h.shops.long, longestName, "maximilienne.charbonneau-letourneau@maison-beauchemin-letourneau.example",
			client.PartnerChange{OrdersPerDay: client.Set[int64](1), StoredBytes: client.Set[int64](2_500_000)},
		},
	} {
		account, err := h.open(ctx, one.name, one.email)
		if err != nil {
			return err
		}
		*one.id = account.PartnerID
		if _, err := h.desk.ChangePartner(ctx, account.PartnerID, one.change); err != nil {
			return err
		}
	}
	account, err := client.NewService(h.url).Register(ctx,
		client.RegisterRequest{Name: "Bistro Saint-Roch", Email: "accueil@saintroch.example", Password: housePassword})
	if err != nil {
		return err
	}
	h.shops.pending = account.PartnerID
	all, err := h.desk.ListPartners(ctx, client.PartnerQuery{})
	if err != nil {
		return err
	}
	for _, one := range all.Partners {
		switch one.Email {
		case h.emails[owner]:
			h.shops.metro = one.PartnerID
		case h.emails[hostiles]:
			h.shops.hostile = one.PartnerID
		}
	}
	return nil
}

// cardOf returns a rate card with a base price in the nearest zone.
func cardOf(version string, base int64) client.RateCardFile {
	level := func(factor int64, days int) client.RateLevel {
		zones := map[client.Zone]*client.ZoneRate{}
		for i, zone := range []client.Zone{
			client.ZoneLocal, client.ZoneRegional, client.ZoneAdjacent, client.ZoneNational, client.ZoneRemote,
		} {
			zones[zone] = &client.ZoneRate{
				BaseCents: base * factor * int64(i+2) / 4, PerKGCents: 25 * factor * int64(i+1), TransitDays: days,
			}
		}
		return client.RateLevel{CutOff: "13:00", DeliverBy: "18:00", Zones: zones}
	}
	file := client.RateCardFile{
		Version: version, ParcelCents: 150, IncludedGrams: 1500, FragileCents: 250, FuelBasisPoints: 1275,
		CADPer10000USD: 13750, Insurance: client.Percentage{BasisPoints: 100, MinimumCents: 200},
		COD:          client.Percentage{BasisPoints: 150, MinimumCents: 450},
		AttemptCents: 300, ReturnCents: 450, LateCancellationCents: 400,
		Levels: map[client.ServiceLevel]client.RateLevel{client.LevelStandard: level(1,
			3), client.LevelExpress: level(2, 1), client.LevelSameDay: level(3, 0)},
	}
	delete(file.Levels[client.LevelSameDay].Zones, client.ZoneRemote)
	return file
}

func (h *house) addCards(ctx context.Context) error {
	for _, one := range []struct {
		id            *string
		name, version string
		base          int64
		from          time.Time
	}{
		{&h.cards.deal, "maison-beauchemin", "maison-beauchemin-2026-06", 690, time.Time{}},
		{&h.cards.planned, "default", "2026-07", 825, Now.AddDate(0, 0, 13)},
		{&h.cards.hostile, "hostile", "<script>hacked=1</script>", 900, time.Time{}},
	} {
		added, err := h.desk.CreateRateCard(ctx,
			client.RateCardRequest{Name: one.name, EffectiveFrom: one.from, Card: cardOf(one.version, one.base)})
		if err != nil {
			return err
		}
		*one.id = added.CardID
	}
	_, err := h.desk.ChangePartner(ctx, h.shops.long, client.PartnerChange{RateCard: client.Set("maison-beauchemin")})
	return err
}

// sent is a form whose answer is a scene.
type sent struct {
	scene, path string
	fields      url.Values
}

// addPartnerAnswers keeps the answers to forms on the records of partners.
func (h *house) addPartnerAnswers(ctx context.Context) error {
	people, err := h.desk.ListUsers(ctx, h.shops.metro)
	if err != nil {
		return err
	}
	limits, err := h.versionOn(ctx, "/console/partners/"+h.shops.metro, "/limits")
	if err != nil {
		return err
	}
	metro, hostile := "/console/partners/"+h.shops.metro, "/console/partners/"+h.shops.hostile
	return h.keepAll(ctx, []sent{
		{"partners-faults", metro + "/limits", url.Values{
			"_version": {limits}, "rate_limit": {"0"}, "orders_per_day": {"many"}, "stored_bytes": {"-1"}, "rate_card": {"gone"},
		}},
		{"partners-link", path.Join(metro, "people", people.Users[0].UserID, "reset-link"), url.Values{}},
		{"partners-erasure-faults", metro + "/erasure/check", url.Values{"recipient": {"nonsense"}}},
		{"partners-erasure-found", metro + "/erasure/check", url.Values{
			"recipient": {"client@metro.example"}, "force": {"yes"},
		}},
		{"partners-erasure-nothing", metro + "/erasure/check", url.Values{"recipient": {"unknown@example.com"}}},
		{"partners-erasure-hostile", hostile + "/erasure/check", url.Values{"order_ids": {h.orders[hostileText]}}},
	})
}

// addRateAnswers keeps the answers to forms with rate cards.
func (h *house) addRateAnswers(ctx context.Context) error {
	found, err := h.desk.GetRateCard(ctx, h.cards.planned)
	if err != nil {
		return err
	}
	found.Card.Version = "2026-08"
	file, err := json.MarshalIndent(found.Card, "", "  ")
	if err != nil {
		return err
	}
	good := string(file)
	bad := strings.NewReplacer(`"parcel_cents": 150`, `"parcel_cents": -150`, `"fragile_cents"`, `"fragile"`, `"13:00"`,
		`"1 pm"`).Replace(good)
	const to = "/console/rate-cards/new"
	return h.keepAll(ctx, []sent{
		{"rates-problems", to, url.Values{"name": {"a b"}, "document": {bad}}},
		{"rates-syntax", to, url.Values{"name": {"default"}, "document": {"{\n  \"version\": \"2026-08\",\n  oops\n}"}}},
		{"rates-checked", to, url.Values{"name": {"default"}, "effective_from": {"2026-08-01T04:00"}, "document": {good}}},
		{"rates-problems-hostile", to, url.Values{"name": {
			"<script>hacked=1</script>",
		}, "document": {`{"<script>hacked=1</script>": "` + strings.Repeat("<b>", 50) + `"}`}}},
	})
}

// keepAll sends forms as an admin in both languages, and keeps the answers.
func (h *house) keepAll(ctx context.Context, forms []sent) error {
	for _, one := range forms {
		for _, language := range page.Languages {
			if _, err := h.keep(ctx, one.scene, one.path, h.operatorSession(secured(page.English)), language,
				one.fields); err != nil {
				return err
			}
		}
	}
	return nil
}

// versionOn returns the version of a form on a page.
func (h *house) versionOn(ctx context.Context, address, form string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, h.url+address, http.NoBody)
	if err != nil {
		return "", err
	}
	request.Header.Set("Cookie", h.operatorSession(secured(page.English)))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	shown, err := io.ReadAll(response.Body)
	if err != nil {
		return "", err
	}
	found := regexp.MustCompile(regexp.QuoteMeta(form) +
		`"[^_]*name="_key"[^>]*><input type="hidden" name="_version" value="([0-9]+)"`).FindSubmatch(shown)
	if found == nil {
		return "", fmt.Errorf("%s has no form to %s", address, form)
	}
	return string(found[1]), nil
}
