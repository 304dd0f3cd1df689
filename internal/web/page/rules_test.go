package page_test

import (
	"slices"
	"strings"
	"testing"

	_ "github.com/dropyard/dropyard/internal/app" // every rule of the service
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/web/page"
)

// TestRulesHavePhrases fails for a rule without a phrase, for a phrase that does not name
// the arguments of its rule, and for a phrase without a rule.
func TestRulesHavePhrases(t *testing.T) {
	t.Parallel()
	known := map[string]bool{"fault.required": true} // of an empty field
	for _, rule := range form.Rules() {
		key := "fault." + rule.Code()
		known[key] = true
		if !page.Has(key) {
			t.Errorf("got no phrase %s for %q", key, rule.English())
			continue
		}
		for _, l := range page.Languages {
			if got, want := arguments(l.Text(key)), arguments(rule.English()); !slices.Equal(got, want) {
				t.Errorf("%s in %s: got the arguments %q, want %q, those of the rule", key, l.Name(), got, want)
			}
		}
	}
	for _, key := range page.Keys() {
		if strings.HasPrefix(key, "fault.") && !known[key] {
			t.Errorf("%s: got a phrase for a rule that does not exist", key)
		}
	}
}

// ruleTexts has each rule with arguments, and its text in answers of the API, which does
// not change.
var ruleTexts = map[string]struct {
	arguments []any
	want      string
}{
	"active_courier":    {nil, "the id of an active courier"},
	"active_product":    {nil, "the id of an active product"},
	"active_sku":        {nil, "the sku of an active product"},
	"active_barcode":    {nil, "the barcode of an active product"},
	"ambiguous_barcode": {nil, "a product_id or sku, because several products have this barcode"},
	"one_product_name":  {nil, "exactly one of product_id, sku and barcode"},
	"sku_of_other":      {nil, "a sku that no other product has"},
	"delivered_product": {nil, "a product of the order"},
	"after_start":       {nil, "a time after start"},
	"window_length":     {nil, "a time after start: a time window of length zero is no time to come"},
	"not_blank":         {nil, "a text that is not blank"},
	"no_outer_space":    {nil, "a text that does not begin or end with white space"},
	"one_line":          {nil, "a text on one line, without control characters and changes of direction"},
	"as_many_versions":  {nil, "as many versions as order_ids"},
	"batch_size":        {[]any{"most", 100}, "an array of 1 to 100 orders"},
	"clock":             {nil, "a time of day such as 13:00"},
	"counted_once":      {nil, "a product that is in no other line"},
	"event_types":       {nil, "at least one type of events"},
	"endpoint_id":       {nil, "first, or the id of an endpoint such as whe_3ebmvgjr06eajje2n715hrra"},
	"courier_not_taken": {nil, "a courier that no other operator is"},
	"courier_of_role":   {nil, "the courier that the operator is, with the role courier"},
	"current_password":  {nil, "the current password"},
	"openid_issuer": {nil, "the issuer itself, such as https://login.example.com: without a query, and without " +
		"/.well-known/ and what follows it"},
	"openid_tenant": {nil,
		"the issuer of your own tenant, such as https://login.microsoftonline.com/TENANT-ID/v2.0"},
	"with_role_claim":      {nil, "no values of roles unless role_claim is set"},
	"without_role_claim":   {nil, "no default role with role_claim"},
	"another_role_value":   {nil, "a value that no other role has"},
	"client_secret_again":  {nil, "the secret of this client at this issuer"},
	"domain":               {nil, "a domain such as example.com; one with other letters as xn--"},
	"cursor":               {nil, "the next_cursor of an earlier response"},
	"date":                 {nil, "a date"},
	"date_time":            {nil, "an RFC 3339 date-time with offset, from 1970 on"},
	"day":                  {nil, "a date such as 2026-11-21"},
	"decimal":              {[]any{"least", 0.01, "most", float64(70)}, "a number from 0.01 to 70"},
	"distinct_parcel":      {nil, "an identifier that no other parcel of the order has"},
	"each_order_once":      {nil, "each order once"},
	"elements":             {[]any{"least", 0, "most", 100}, "an array of 0 to 100 elements"},
	"elements_from_one":    {[]any{"most", 200}, "an array of 1 to 200 elements"},
	"email":                {nil, "an e-mail address"},
	"feed_position":        {nil, "the after of an earlier response"},
	"import_ambiguous":     {nil, "a product_id as well, because several products have this barcode"},
	"import_barcode_twice": {[]any{"line", "3"}, "a barcode other than that of line 3"},
	"import_cells":         {[]any{"cells", 4}, "4 cells, as the header has"},
	"import_columns": {
		[]any{"columns", []string{"name", "price"}}, "columns, each at most once, out of name, price",
	},
	"import_interrupted": {
		[]any{"line", "1000"}, "products that do not change during the import: it is stored up to line 1000; " +
			"send the lines behind it, corrected",
	},
	"import_most":    {[]any{"most", 10000}, "at most 10000 products"},
	"import_opening": {nil, "no value for an existing product: book a movement or a count"},
	"import_ruined": {nil, "what was there before a spreadsheet changed it: " +
		"format the column as text and enter the value again, or write it as =\"0012\""},
	"import_product_twice": {[]any{"line", "1200"}, "a product other than that of line 1200"},
	"integer": {
		[]any{"least", int64(0), "most", int64(100_000_000_000)}, "an integer from 0 to 100000000000",
	},
	"issued_quote":   {nil, "a quote_id that was issued to this partner"},
	"json_object":    {nil, "a JSON object"},
	"known_card":     {nil, "a rate card that exists"},
	"known_courier":  {nil, "a courier that exists"},
	"known_password": {nil, "a password of 1 to 128 characters"},
	"label_code":     {nil, "the text of a label's code"},
	"month":          {nil, "a month such as 2026-11"},
	"local_path":     {nil, "a path of a page of this service, such as /console"},
	"local_time":     {nil, "a time such as 2006-01-02T15:04"},
	"named_courier":  {nil, "the id of a courier"},
	"new_password": {
		[]any{"least", 12},
		"a password of 12 to 128 characters that is neither among the most common nor the name or address of the account",
	},
	"no_courier_for_role": {nil, "nothing, unless the role is courier"},
	"no_reason":           {nil, "no reason unless suspended is true"},
	"no_recipient":        {nil, "nothing, unless order_ids is left out"},
	"no_such_member":      {nil, "no such member"},
	"not_account_email": {
		nil, "an address other than the account's own, which orders without a recipient's address have: name them in order_ids",
	},
	"not_below_min": {nil, "an integer not less than stock_min"},
	"not_both":      {[]any{"other", "card"}, "no value together with card"},
	"not_built_in":  {nil, "a version other than that of the built-in card"},
	"not_of_ended":  {nil, "no value, if status is delivered or cancelled"},
	"not_past":      {nil, "a time that is not in the past, or no value for now"},
	"not_zero":      {nil, "an integer that is not 0"},

	"amount_not_zero": {nil, "an amount other than 0"},
	"charged_order":   {nil, "an order for which the partner was charged"},

	"collected":         {nil, "what was collected, as this order is paid for at the door"},
	"method_of_nothing": {nil, "none for an amount of 0, and only then"},
	"collected_difference": {
		[]any{"dollars", 49.99, "currency", "CAD"}, "why another amount was collected than 49.99 CAD",
	},
	"collected_currency": {[]any{"currency", "CAD"}, "CAD, in which the amount is to be collected"},
	"collected_once":     {nil, "one of order_ids, each once"},
	"collected_later":    {nil, "nothing, unless the order is delivered"},
	"counted_none":       {nil, "0, as the courier keeps everything"},
	"kept_at_most":       {[]any{"dollars", 49.99}, "at most 49.99 dollars, which the courier carries"},
	"account_at_most":    {[]any{"dollars", 49.99}, "at most 49.99 dollars, which the account has"},
	"owed_at_most":       {[]any{"dollars", 49.99}, "at most 49.99 dollars, which are owed to the partner"},

	"object":      {nil, "an object"},
	"object_size": {[]any{"most", 65536}, "an object of at most 65536 bytes"},
	"objects":     {[]any{"least", 1, "most", 50}, "an array of 1 to 50 objects"},
	"occurred":    {nil, "a time at most 2 minutes ahead of the service's clock and 48 hours behind it"},
	"offered_level": {[]any{
		"zone", "remote", "levels", []string{"standard", "express"},
	}, "a service level offered in the remote zone: standard, express"},
	"one_ended_status":      {nil, "one value only, if it is delivered or cancelled"},
	"one_of":                {[]any{"choices", []string{"CAD", "USD"}}, "one of CAD, USD"},
	"one_of_both":           {[]any{"other", "card_id"}, "a value here or in card_id"},
	"only_transfer":         {nil, "nothing, unless type is TRANSFER"},
	"open_order_of_courier": {nil, "an open order of the courier"},
	"orders_or_recipient":   {nil, "the orders to erase, or a recipient"},
	"orders_once":           {[]any{"most", 100}, "1 to 100 orders, each once"},
	"order_not_erased":      {nil, "an order that has not been erased"},
	"labels_fit":            {[]any{"most", 500}, "orders with at most 500 labels in all"},
	"other_location":        {nil, "a location other than location"},
	"other_zone":            {[]any{"zone", "remote"}, "a shipment outside of the remote zone, where nothing is offered"},
	"own_name": {
		nil, "a string of 1 to 255 characters on one line, without control characters and changes of direction",
	},
	"partner_of_ended": {nil, "a partner, if status is delivered or cancelled"},
	"partner_of_order": {nil, "no value together with order_id, which determines the partner"},
	"period": {
		[]any{"to", "2026-11-21", "most", 366}, "a date not after to (2026-11-21), in a period of at most 366 days",
	},
	"phone":               {nil, "a phone number in E.164 form, such as +15145550100"},
	"picture_baseline":    {nil, "a baseline or progressive JPEG"},
	"picture_channels":    {nil, "a JPEG of 8 bits per channel"},
	"picture_colours":     {nil, "a JPEG in grey, YCbCr or RGB, not CMYK"},
	"picture_complete":    {nil, "a complete picture; this one is damaged or truncated"},
	"picture_fewer_scans": {nil, "a JPEG with fewer scans"},
	"picture_format":      {nil, "a PNG, JPEG or WebP picture"},
	"picture_heic": {nil, "a PNG, JPEG or WebP picture, not HEIC: set the phone to take JPEG " +
		"(iPhone: Settings, Camera, Formats, Most Compatible; Samsung: Camera settings, Advanced picture options, High efficiency pictures off)"},
	"picture_lossless":   {[]any{"megapixels", 4}, "at most 4 megapixels in a WebP that is lossless or transparent"},
	"picture_pixels":     {[]any{"side", 8000, "megapixels", 25}, "at most 8000 pixels a side and 25 megapixels"},
	"picture_raster":     {nil, "fewer pixels, or a simpler form of them (8 bits per channel, not progressive)"},
	"picture_scans":      {[]any{"most", 64}, "a JPEG of at most 64 scans"},
	"picture_still":      {nil, "a still picture, not an animation"},
	"picture_time":       {[]any{"seconds", 10}, "a picture that can be decoded in 10s"},
	"postal_code":        {nil, "a Canadian postal code, such as H2X 1Y4"},
	"postal_prefix":      {nil, "the beginning of a postal code, up to three characters"},
	"product_of_partner": {nil, "the id of one of the partner's products"},
	"recent_time":        {nil, "a time within the last 7 days"},
	"same_shipment":      {nil, "a quote for the same service level, postal codes, zone, parcels, cod and insurance"},
	"same_time":          {nil, "the same time as effective_from beside the card, or no value"},
	"series_name":        {nil, "a name of 1 to 64 letters, digits, dots, dashes and underscores"},
	"sign_in_code":       {nil, "the 6 digits that the authenticator app shows, or a recovery code"},
	"single_value":       {nil, "a single value"},
	"support_url":        {nil, "an https URL of at most 2048 characters, such as https://shop.example/help"},
	"text_at_most":       {[]any{"most", 500}, "a string of at most 500 characters, without NUL"},
	"text_from_one":      {[]any{"most", 1000}, "a string of 1 to 1000 characters, without NUL"},
	"text_length":        {[]any{"least", 8, "most", 100}, "a string of 8 to 100 characters, without NUL"},
	"time_in_query":      {nil, "an RFC 3339 date-time with offset"},
	"unknown_parameter":  {[]any{"known", []string{"limit", "offset"}}, "no such parameter, but one of limit, offset"},
	"true_or_false":      {nil, "true or false"},
	"two_decimals":       {nil, "a number with at most two decimals"},
	"uploaded_card":      {nil, "the name of rate cards that were uploaded, or null"},
	"url_anonymous":      {nil, "a URL without a user name or password"},
	"url_ascii": {
		nil, "a URL of ASCII characters without spaces; others percent-encoded, and in the host as xn--",
	},
	"url_character": {nil, "a URL without any of the characters \"<>\\^`{|}, or with them percent-encoded"},
	"at_most_delivered": {
		[]any{"quantity", 2, "product", 7}, "at most 2 of product 7, which were delivered and are in no other return",
	},
	"nothing_left":      {nil, "goods that were delivered and are in no other return"},
	"parcels_delivered": {[]any{"count", 2}, "at most 2 parcels, which were delivered and are in no other return"},
	"place_of_returns":  {nil, "a warehouse for which the service has set an address"},
	"goods_location":    {nil, "the location at which the goods lie now"},
	"one_receiver":      {nil, "either courier_id or location"},
	"only_sender": {nil, "nothing: couriers hand parcels over to a location with a transfer, and the warehouse receives " +
		"them"},
	"product_of_order": {nil, "a product of the order"},
	"quantity_of_order": {
		[]any{"product", int64(7), "quantity", int64(3)}, "quantities of product 7 that add up to 3",
	},
	"product_at_location": {nil, "a product that the order takes from this location"},
	"left_to_pick": {
		[]any{"quantity", int64(2), "product", int64(7)}, "at most 2, which is left to pick of product 7",
	},
	"something_picked": {nil, "lines, or packed"},
	"url_escape":       {nil, "a URL with two hexadecimal digits after each %, and with [ and ] in the host only"},
	"url_fragment":     {nil, "a URL without a fragment (#)"},
	"url_host":         {nil, "a URL whose host is a public domain name or a public IP address in its usual form"},
	"url_http":         {nil, "an http or https URL such as https://hooks.example.com/dropyard"},
	"url_https":        {nil, "an https URL such as https://hooks.example.com/dropyard"},
	"url_length":       {[]any{"most", 2048}, "a URL of at most 2048 characters"},
	"url_port":         {nil, "a URL whose port is 443 or from 1024 to 65535"},
	"valid_quote": {[]any{
		"expired", "2026-01-05T15:00:00.000Z",
	}, "a quote that is still valid; this one expired at 2026-01-05T15:00:00.000Z"},
	"window_ahead":  {nil, "a time that has not passed"},
	"value_if_sent": {nil, "a value, unless the parameter is left out"},
	"within_stock": {
		[]any{"most", int64(1_000_000_000_000)}, "a quantity that keeps the product's stock within 1000000000000",
	},
}

// TestRuleTexts compares what answers of the API report as expected with the table, and
// fails for a rule that is not in it.
func TestRuleTexts(t *testing.T) {
	t.Parallel()
	for _, rule := range form.Rules() {
		row, ok := ruleTexts[rule.Code()]
		if got := rule.With(row.arguments...).Expected(); !ok || got != row.want {
			t.Errorf("%s: got %q, want %q", rule.Code(), got, row.want)
		}
	}
}

// TestFaultText formats the arguments of rules, and says which fields are required.
func TestFaultText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code            string
		value           any
		english, french string
	}{
		{
			"integer", "x", "Enter a whole number from 0 to 100,000,000,000.",
			"Entrez un nombre entier de 0 à 100\u00a0000\u00a0000\u00a0000.",
		},
		{
			"integer", nil, "Enter a whole number from 0 to 100,000,000,000.",
			"Entrez un nombre entier de 0 à 100\u00a0000\u00a0000\u00a0000.",
		},
		{"decimal", "x", "Enter a number from 0.01 to 70.", "Entrez un nombre de 0,01 à 70."},
		{"decimal", "", "This is required.", "Ce champ est obligatoire."},
		{"text_from_one", "x", "Enter at most 1,000 characters.", "Entrez au plus 1\u00a0000 caractères."},
		{"text_from_one", nil, "This is required.", "Ce champ est obligatoire."},
		{"one_of", "x", "Enter one of: CAD, USD.", "Entrez l’une de ces valeurs : CAD, USD."},
		{
			"offered_level", "x", "Choose a service level that is offered in the remote zone: Standard, Express.",
			"Choisissez un niveau de service offert dans la zone remote : Standard, Express.",
		},
		{"import_product_twice", "7", "Line 1200 is about the same product.", "La ligne 1200 concerne le même produit."},
		{
			"elements_from_one", nil, "Choose at least one, and at most 200.", "Choisissez au moins un élément, et au plus 200.",
		},
		{
			"url_host", "x", "Enter an address that can be reached from the internet.",
			"Entrez une adresse accessible depuis Internet.",
		},
	} {
		problem := form.Problem{Value: c.value, Rule: ruleOf(t, c.code).With(ruleTexts[c.code].arguments...)}
		english, french := page.FaultText(problem, page.English), page.FaultText(problem, page.French)
		if french = strings.ReplaceAll(french, "\u00a0:", " :"); english != c.english || french != c.french {
			t.Errorf("%s of %v: got %q and %q, want %q and %q", c.code, c.value, english, french, c.english, c.french)
		}
	}
}

// ruleOf returns the rule with a code.
func ruleOf(t *testing.T, code string) form.Rule {
	t.Helper()
	rules := form.Rules()
	i := slices.IndexFunc(rules, func(rule form.Rule) bool { return rule.Code() == code })
	if i < 0 {
		t.Fatalf("got no rule %s", code)
	}
	return rules[i]
}
