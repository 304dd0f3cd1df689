package page_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/api"
	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/orderfile"
	"github.com/dropyard/dropyard/internal/web/page"
)

// TestPhrasesAreComplete fails for a status, service level, event type, type of stock
// movement, reason of a failed attempt, role of an
// operator, or action of the audit log that has no name.
func TestPhrasesAreComplete(t *testing.T) {
	t.Parallel()
	var keys []string
	for _, status := range delivery.Statuses {
		keys = append(keys, "status."+string(status), "statuses."+string(status), "tracked."+string(status))
	}
	for _, level := range delivery.ServiceLevels {
		keys = append(keys, "level."+string(level))
	}
	for _, reason := range delivery.FailureReasons {
		keys = append(keys, "failure."+string(reason))
	}
	for _, movement := range delivery.MovementTypes {
		keys = append(keys, "movement."+string(movement))
	}
	for _, event := range delivery.EventTypes {
		keys = append(keys, "event."+string(event))
	}
	for _, state := range []delivery.RequestState{
		delivery.RequestOpen, delivery.RequestGranted, delivery.RequestDeclined,
	} {
		keys = append(keys, "request."+string(state))
	}
	for _, state := range []delivery.ReturnState{delivery.ReturnDue, delivery.ReturnReceived} {
		keys = append(keys, "return."+string(state), "return.chip."+string(state), "return.shown."+string(state))
	}
	for _, state := range delivery.PickStates {
		keys = append(keys, "picks.state."+string(state))
	}
	for _, code := range orderfile.Codes {
		keys = append(keys, "import.fault."+string(code))
	}
	for _, disposition := range delivery.Dispositions {
		keys = append(keys, "disposition."+string(disposition))
	}
	for _, role := range operator.Roles {
		keys = append(keys, "role."+string(role), "role."+string(role)+".may")
	}
	for _, action := range audit.Actions {
		keys = append(keys, "audit."+string(action))
		if action != audit.ActionOrderMoved {
			keys = append(keys, "audited."+string(action))
		}
	}
	for _, status := range delivery.Statuses[1:] { // nothing leads to the first
		keys = append(keys, "audited."+string(audit.ActionOrderMoved)+"."+string(status))
	}
	for _, key := range keys {
		if !page.Has(key) {
			t.Errorf("got no phrase %s", key)
		}
	}
}

// TestRefusalsHavePhrases fails for a code of a refusal without a phrase, and for a phrase
// of a code that does not exist.
func TestRefusalsHavePhrases(t *testing.T) {
	t.Parallel()
	known := map[string]bool{
		"refused.again": true, "refused.request": true, "refused.code": true, "refused.shown_once": true,
		"refused.shown_once.why": true,
	}
	for _, code := range api.Codes() {
		for _, key := range []string{"refused." + string(code), "refused." + string(code) + ".why"} {
			known[key] = true
			if !page.Has(key) {
				t.Errorf("got no phrase %s", key)
			}
		}
	}
	for _, key := range page.Keys() {
		if strings.HasPrefix(key, "refused.") && !known[key] {
			t.Errorf("%s: got a phrase for a code that does not exist", key)
		}
	}
}

var argument = regexp.MustCompile(`\{[a-z]+\}`)

// TestPhrasesInBothLanguages compares the files of the languages: both have the same keys in
// the same order, and each phrase has a text in both, with the same arguments and, if it
// depends on a number, the same forms.
func TestPhrasesInBothLanguages(t *testing.T) {
	t.Parallel()
	var keys [2][]string
	for i, file := range []string{"phrases/en.properties", "phrases/fr.properties"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if key, _, found := strings.Cut(line, " = "); found && line[0] != '#' {
				keys[i] = append(keys[i], key)
			}
		}
	}
	if !slices.Equal(keys[0], keys[1]) {
		t.Errorf("got the keys %q in English and %q in French, want the same in the same order", keys[0], keys[1])
	}
	inEnglish, inFrench := page.English.Phrases(""), page.French.Phrases("")
	for _, key := range page.Keys() {
		english, french := inEnglish[key], inFrench[key]
		if english == "" || french == "" {
			t.Errorf("%s: got %q and %q, want a text in both languages", key, english, french)
		}
		if strings.Count(english, "|") != strings.Count(french, "|") {
			t.Errorf("%s: got %q and %q, want as many forms in both languages", key, english, french)
		}
		if inEnglish, inFrench := arguments(english), arguments(french); !slices.Equal(inEnglish, inFrench) {
			t.Errorf("%s: got the arguments %q and %q, want the same", key, inEnglish, inFrench)
		}
	}
}

func arguments(text string) []string {
	found := argument.FindAllString(text, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

// TestPhrasesAreUsed fails for a phrase that no template and no program mentions.
func TestPhrasesAreUsed(t *testing.T) {
	t.Parallel()
	var used strings.Builder
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !slices.Contains([]string{".go", ".html", ".js"}, filepath.Ext(path)) {
			return err
		}
		text, err := os.ReadFile(path)
		used.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range page.Keys() {
		name := key
		if strings.HasPrefix(key, "home.") {
			name = strings.TrimSuffix(key, ".what") // of a door of the first page
		}
		if room, _, _ := strings.Cut(key, "."); slices.Contains([]string{
			"status", "statuses", "tracked", "level", "event", "movement", "failure", "fault", "outbox", "role", "reason",
			"refused", "request", "return", "disposition", "audited",
		}, room) {
			continue // named by what they are of
		}
		if action, ok := strings.CutPrefix(key, "audit."); ok && slices.Contains(audit.Actions, audit.Action(action)) {
			continue
		}
		if strings.HasPrefix(key, "act.to.") || strings.HasPrefix(key, "docs.error.") {
			continue // named by the statuses that orders are moved to, and by the codes of errors
		}
		if strings.HasPrefix(key, "money.act.") || strings.HasPrefix(key, "money.account.") ||
			strings.HasPrefix(key, "money.charge.") || strings.HasPrefix(key, "money.csv.") ||
			strings.HasPrefix(key, "cash.method.") || strings.HasPrefix(key, "cash.order.") ||
			strings.HasPrefix(key, "cash.from.") {
			continue // named by acts, accounts, programs that import the journal, and by how something was paid
		}
		if strings.HasPrefix(key, "home.fact.") {
			continue // named by the service, which knows the figures
		}
		if strings.HasPrefix(key, "portal.hook.format.") {
			continue // named by the formats of webhooks
		}
		if strings.HasPrefix(key, "picks.state.") {
			continue // named by the states of picking
		}
		if slices.Contains([]string{"saved.recipient", "saved.sender", "saved.parcel"}, key) ||
			strings.HasPrefix(key, "saved.keep.") || strings.HasPrefix(key, "saved.choose.") {
			continue // named by what is saved
		}
		if strings.HasPrefix(key, "import.fault.") || strings.HasPrefix(key, "import.template.") {
			continue // named by the codes of faults of files, and by the columns of the template
		}
		if strings.HasPrefix(key, "edit.by.") {
			continue // named by the sides that edit orders
		}
		if strings.HasPrefix(key, "act.") { // what its button, its page and its outcome say
			name = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(key, ".do"), ".title"), ".done")
		}
		if !strings.Contains(used.String(), `"`+name+`"`) {
			t.Errorf("%s: nothing uses this phrase", key)
		}
	}
}

// TestSpacesInFrench finds signs without the no-break space before or after them. Code in backticks has none.
func TestSpacesInFrench(t *testing.T) {
	t.Parallel()
	code := regexp.MustCompile("`[^`]*`")
	unspaced := regexp.MustCompile(`[^\s\x{a0}][;:?!](\s|$)|«[^\x{a0}]|[^\x{a0}]»`)
	for key, text := range page.French.Phrases("") {
		if found := unspaced.FindString(code.ReplaceAllString(text, "")); found != "" {
			t.Errorf("%s: got %q in %q, want a space at the sign", key, found, text)
		}
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int][2]string{
		0: {"0 parcels", "0 colis"}, 1: {"1 parcel", "1 colis"}, 2: {"2 parcels", "2 colis"}, 12345: {
			"12,345 parcels", "12\u00a0345 colis",
		},
	} {
		if got := page.English.Count("track.parcels", n); got != want[0] {
			t.Errorf("%d in English: got %q, want %q", n, got, want[0])
		}
		if got := page.French.Count("track.parcels", n); got != want[1] {
			t.Errorf("%d in French: got %q, want %q", n, got, want[1])
		}
	}
	if got, want := page.French.Count("rates.for", 0), "pour 0 partenaires"; got != want {
		t.Errorf("none in French: got %q, want %q, because the other form says one", got, want)
	}
}

// TestRichEscapesArguments puts markup, and what looks like another argument, into a
// phrase that has markup of its own.
func TestRichEscapesArguments(t *testing.T) {
	t.Parallel()
	got := page.English.Rich("track.between", "day", "<b>{from}", "from", "{to}", "to", `"&`, "zone", "EST")
	if want := `&lt;b&gt;{from}, between <strong>{to} and &#34;&amp;</strong> EST`; string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSigned(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64][2]string{
		0: {"0", "0"}, 3: {"+3", "+3"}, -3: {"−3", "−3"}, -12345: {"−12,345", "−12\u00a0345"},
	} {
		if english, french := page.English.Signed(n), page.French.Signed(n); english != want[0] || french != want[1] {
			t.Errorf("%d: got %q and %q, want %q", n, english, french, want)
		}
	}
}

func TestDollars(t *testing.T) {
	t.Parallel()
	for cents, want := range map[int64][2]string{
		0: {"$0.00", "0,00\u00a0$"}, 6493: {"$64.93", "64,93\u00a0$"}, 123456789: {
			"$1,234,567.89", "1\u00a0234\u00a0567,89\u00a0$",
		}, -5: {"−$0.05", "−0,05\u00a0$"},
	} {
		if english, french := page.English.Dollars(cents), page.French.Dollars(cents); english != want[0] ||
			french != want[1] {
			t.Errorf("%d cents: got %q and %q, want %q", cents, english, french, want)
		}
	}
}
