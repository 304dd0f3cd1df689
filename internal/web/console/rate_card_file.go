package console

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/web/page"
	"github.com/go-json-experiment/json/jsontext"
)

// cardText is the file of a rate card as people look at it.
type cardText struct {
	paths  []string          // of the values, in the order of the file: levels.standard.cut_off
	values map[string]string // by path; texts without quotes
	lines  map[string]int    // of all members, by path; the first line is 1
}

// syntaxFault is why a file is not JSON.
type syntaxFault struct {
	line int
	what string
}

// The bounds of a file, which no rate card comes near.
const (
	maxCardDepth = 16
	// maxCardPaths is how long the paths of all values may be in all, in bytes.
	maxCardPaths = 4 << 20
)

// readCardText reads a file. A file that is not JSON, or beyond the bounds, is read up to
// its fault.
func readCardText(file []byte) (*cardText, *syntaxFault) {
	text := &cardText{values: map[string]string{}, lines: map[string]int{"": 1}}
	decoder := jsontext.NewDecoder(bytes.NewReader(file))
	line, counted, held := 1, int64(0), 0
	for {
		token, err := decoder.ReadToken()
		if err != nil {
			return text, faultOf(err, file)
		}
		offset := decoder.InputOffset()
		line, counted = line+bytes.Count(file[counted:offset], []byte("\n")), offset
		if decoder.StackDepth() > maxCardDepth {
			return text, &syntaxFault{line, ""}
		}
		path := memberPath(decoder.StackPointer())
		if held += len(path); held > maxCardPaths {
			return text, &syntaxFault{line, ""}
		}
		switch token.Kind() {
		case '}', ']', '{', '[':
			delete(text.values, path)
		default: // a value, or the name of a member, which its value replaces
			text.values[path] = token.String()
		}
		if text.lines[path] == 0 {
			text.lines[path] = line
			text.paths = append(text.paths, path)
		}
	}
}

// faultOf returns why a file is not JSON; nil at its end.
func faultOf(err error, file []byte) *syntaxFault {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case errors.As(err, &syntax) && !errors.Is(err, io.ErrUnexpectedEOF):
		return &syntaxFault{lineAt(file, syntax.ByteOffset), syntax.Err.Error()}
	default:
		return &syntaxFault{lineAt(file, int64(len(bytes.TrimRight(file, "\n")))), ""}
	}
}

// lineAt returns the line of a file in which a byte is.
func lineAt(file []byte, offset int64) int {
	return 1 + bytes.Count(file[:min(offset, int64(len(file)))], []byte("\n"))
}

// memberPath returns a pointer as the faults of forms name members.
func memberPath(pointer jsontext.Pointer) string {
	return strings.Join(slices.Collect(pointer.Tokens()), ".")
}

// line returns the line of a member, or of what would hold it if it is missing.
func (text *cardText) line(path string) int {
	for {
		if line := text.lines[path]; line > 0 || path == "" {
			return line
		}
		path = path[:max(0, strings.LastIndexByte(path, '.'))]
	}
}

// zoneKeys are the phrases for zones, and priceKeys those for the other members of a card.
var (
	zoneKeys = map[string]string{
		"local": "rates.local", "regional": "rates.regional", "adjacent": "rates.adjacent", "national": "rates.national",
		"remote": "rates.remote",
	}
	priceKeys = map[string]string{
		"base_cents": "rates.base", "per_kg_cents": "rates.per_kg", "transit_days": "rates.days", "cut_off": "rates.cut_off",
		"deliver_by": "rates.deliver_by", "parcel_cents": "rates.parcel", "included_grams": "rates.included",
		"fragile_cents": "rates.fragile", "insurance": "rates.insurance", "cod": "rates.cod",
		"basis_points": "rates.percent", "minimum_cents": "rates.minimum", "fuel_basis_points": "rates.fuel",
		"cad_per_10000_usd": "rates.usd", "attempt_cents": "rates.attempt", "return_cents": "rates.return",
		"late_cancellation_cents": "rates.late",
	}
	// extraHints are the phrases for when extra charges fall due.
	extraHints = map[string]string{
		"attempt_cents": "rates.attempt.hint", "return_cents": "rates.return.hint",
		"late_cancellation_cents": "rates.late.hint",
	}
)

// PathName names a member of a card in words.
func (s *sheet) PathName(path string) string {
	var words []string
	for part := range strings.SplitSeq(path, ".") {
		switch {
		case part == "levels", part == "zones":
		case zoneKeys[part] != "":
			words = append(words, s.Text(zoneKeys[part]))
		case priceKeys[part] != "":
			words = append(words, s.Text(priceKeys[part]))
		case slices.Contains(delivery.ServiceLevels, delivery.ServiceLevel(part)):
			words = append(words, s.Text("level."+part))
		default:
			words = append(words, part)
		}
	}
	return strings.Join(words, " · ")
}

// ValueOf returns a value of a card as people read it; a dash if there is none.
func (s *sheet) ValueOf(text *cardText, path string) string {
	value, known := text.values[path]
	if !known {
		return "–"
	}
	number, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return value
	}
	switch {
	case strings.HasSuffix(path, "_cents"):
		return s.Language.Dollars(number)
	case strings.HasSuffix(path, "basis_points"):
		return s.decimals(number, 2) + s.Text("rates.percent.sign")
	case strings.HasSuffix(path, "included_grams"):
		return s.decimals(number, 3) + "\u00a0kg"
	case strings.HasSuffix(path, "cad_per_10000_usd"):
		return s.decimals(number, 4) + "\u00a0CAD"
	}
	return s.Language.Number(int(number))
}

// decimals returns a number that was multiplied by a power of ten, without zeros at its end.
func (s *sheet) decimals(number int64, places int) string {
	unit := int64(1)
	for range places {
		unit *= 10
	}
	text := strconv.FormatFloat(float64(number)/float64(unit), 'f', -1, 64)
	if s.Language == page.French {
		text = strings.Replace(text, ".", ",", 1)
	}
	return text
}

// cardChange is a value in which two cards differ.
type cardChange struct{ Path, Before, After string }

// changesBetween returns in what a card differs from an earlier one.
func (s *sheet) changesBetween(before, after *cardText) (changes []cardChange) {
	for _, path := range slices.Concat(after.paths, before.paths) {
		if path == "version" || path == "effective_from" || before.values[path] == after.values[path] ||
			slices.ContainsFunc(changes, func(c cardChange) bool { return c.Path == path }) {
			continue
		}
		changes = append(changes, cardChange{path, s.ValueOf(before, path), s.ValueOf(after, path)})
	}
	return changes
}

// levelTable is the prices of a service level.
type levelTable struct {
	Level             delivery.ServiceLevel
	CutOff, DeliverBy string
	Zones             []zoneRow
}

// zoneRow is the prices of a service level in a zone. Steps are what parcels of stepKg
// cost in all; empty if the card cannot be read.
type zoneRow struct {
	Zone              string
	Base, PerKg, Days string
	Steps             []string
	Offered           bool
}

// stepKg are the weights of the parcels whose prices the page of a card shows.
var stepKg = []float64{1, 5, 20}

// tablesOf returns the prices of a card as tables. The card may be nil.
func (s *sheet) tablesOf(text *cardText, card *pricing.Card) (tables []levelTable) {
	for _, level := range delivery.ServiceLevels {
		path := "levels." + string(level)
		table := levelTable{Level: level, CutOff: s.ValueOf(text,
			path+".cut_off"), DeliverBy: s.ValueOf(text, path+".deliver_by")}
		for _, zone := range pricing.Zones {
			at := path + ".zones." + string(zone)
			row := zoneRow{
				Zone: s.Text(zoneKeys[string(zone)]), Base: s.ValueOf(text,
					at+".base_cents"), PerKg: s.ValueOf(text, at+".per_kg_cents"),
				Days: s.ValueOf(text, at+".transit_days"), Offered: text.values[at+".base_cents"] != "",
			}
			if card != nil && row.Offered {
				row.Steps = s.stepsOf(card, level, zone)
			}
			table.Zones = append(table.Zones, row)
		}
		tables = append(tables, table)
	}
	return tables
}

// samples are addresses in each zone as seen from that of Local.
var samples = map[pricing.Zone]delivery.Address{
	pricing.Local:    {City: "Toronto", Province: "ON", PostalCode: "M5H 2N2"},
	pricing.Regional: {City: "Ottawa", Province: "ON", PostalCode: "K1P 1J1"},
	pricing.Adjacent: {City: "Montréal", Province: "QC", PostalCode: "H2X 1Y4"},
	pricing.National: {City: "Vancouver", Province: "BC", PostalCode: "V6B 1A1"},
	pricing.Remote:   {City: "Yellowknife", Province: "NT", PostalCode: "X1A 1A1"},
}

// stepsOf returns what parcels of stepKg cost to a zone.
func (s *sheet) stepsOf(card *pricing.Card, level delivery.ServiceLevel, zone pricing.Zone) (steps []string) {
	for _, kg := range stepKg {
		shipment := delivery.Shipment{ServiceLevel: level, Parcels: []delivery.Parcel{{WeightKg: kg}}}
		shipment.Pickup.Address, shipment.Dropoff.Address = samples[pricing.Local], samples[zone]
		price, err := card.Price(s.pages.config.Calendar, shipment, s.Site.Now())
		if err != nil {
			return nil
		}
		steps = append(steps, s.Language.Dollars(price.RateCents))
	}
	return steps
}
