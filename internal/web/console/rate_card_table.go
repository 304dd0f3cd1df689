package console

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/web/page"
	"github.com/go-json-experiment/json/jsontext"
)

// cardCell is a value of a rate card as it is typed into a table.
type cardCell struct {
	places int    // decimals of the unit that is typed: 2 for dollars of a value in cents
	text   bool   // the value is a text
	fault  string // the phrase for what the cell must hold; empty where that of the rule fits
}

// The kinds of cells.
var (
	textCell    = cardCell{text: true}
	daysCell    = cardCell{}
	moneyCell   = cardCell{places: 2, fault: "rates.cell.money"}
	percentCell = cardCell{places: 2, fault: "rates.cell.percent"}
	weightCell  = cardCell{places: 3, fault: "rates.cell.weight"}
	usdCell     = cardCell{places: 4, fault: "rates.cell.usd"}
)

// cellOf returns the kind of the cell with a path.
func cellOf(path string) cardCell {
	switch name := path[strings.LastIndexByte(path, '.')+1:]; {
	case strings.HasSuffix(name, "_cents"):
		return moneyCell
	case strings.HasSuffix(name, "basis_points"):
		return percentCell
	case name == "included_grams":
		return weightCell
	case name == "cad_per_10000_usd":
		return usdCell
	case name == "transit_days":
		return daysCell
	default:
		return textCell
	}
}

// The members of a level, of a zone, and of the card itself, in the order of the tables and the file.
var (
	levelCells   = []string{"cut_off", "deliver_by"}
	zoneCells    = []string{"base_cents", "per_kg_cents", "transit_days"}
	generalCells = []string{"parcel_cents", "included_grams", "fragile_cents"}
	amountCells  = []string{"insurance", "cod"}
	shareCells   = []string{"basis_points", "minimum_cents"}
	lastCells    = []string{"fuel_basis_points", "cad_per_10000_usd"}
	// extraCells may be empty: the file then lacks them.
	extraCells = []string{"attempt_cents", "return_cents", "late_cancellation_cents"}
)

// cardCells holds what the cells of the tables hold, by path. The path of a zone is in it if the level is
// offered there.
type cardCells map[string]string

// cellPaths returns the paths of all cells.
func cellPaths() []string {
	paths := []string{"version"}
	for _, level := range delivery.ServiceLevels {
		at := "levels." + string(level)
		for _, name := range levelCells {
			paths = append(paths, at+"."+name)
		}
		for _, zone := range pricing.Zones {
			paths = append(paths, zonePath(level, zone))
			for _, name := range zoneCells {
				paths = append(paths, zonePath(level, zone)+"."+name)
			}
		}
	}
	paths = append(paths, generalCells...)
	for _, charge := range amountCells {
		for _, name := range shareCells {
			paths = append(paths, charge+"."+name)
		}
	}
	return append(append(paths, lastCells...), extraCells...)
}

func zonePath(level delivery.ServiceLevel, zone pricing.Zone) string {
	return "levels." + string(level) + ".zones." + string(zone)
}

// offered is what a zone's box holds if the level is offered in the zone.
const offered = "yes"

// cellsOf returns the cells of a file. Values of the wrong type are in it as they are in the file.
func (s *sheet) cellsOf(text *cardText) cardCells {
	cells := cardCells{}
	for _, path := range cellPaths() {
		value, known := text.values[path]
		switch {
		case known && value != "null":
			cells[path] = s.cellText(path, value)
		case text.lines[path] > 0 && !known: // an object: a zone that is offered
			cells[path] = offered
		}
	}
	return cells
}

// cellText returns a value of a file as it is typed.
func (s *sheet) cellText(path, value string) string {
	kind := cellOf(path)
	number, err := strconv.ParseInt(value, 10, 64)
	if kind.text || err != nil {
		return value
	}
	if kind == moneyCell {
		return strings.ReplaceAll(strconv.FormatFloat(float64(number)/100, 'f', 2, 64), ".", s.decimalPoint())
	}
	return s.decimals(number, kind.places)
}

// decimalPoint returns what the language writes between a number and its decimals.
func (s *sheet) decimalPoint() string {
	if s.Language == page.French {
		return ","
	}
	return "."
}

// typedCells returns what was typed into the cells of a form; nil if it has no tables.
func typedCells(sent *page.Form) cardCells {
	if !sent.Values.Has("version") {
		return nil
	}
	cells := cardCells{}
	for _, path := range cellPaths() {
		if text := strings.TrimSpace(sent.Values.Get(path)); text != "" {
			cells[path] = text
		}
	}
	return cells
}

// document returns the file of a card with these cells. What is typed into a cell and is not a number is in
// it as a text, which is refused at its place.
func (cells cardCells) document() string {
	w := &cardWriter{cells: cells}
	w.Object("")
	w.members("", "version")
	w.Object("levels")
	for _, level := range delivery.ServiceLevels {
		w.Object(string(level))
		w.members("levels."+string(level)+".", levelCells...)
		w.Object("zones")
		for _, zone := range pricing.Zones {
			if path := zonePath(level, zone); cells[path] == offered {
				w.Object(string(zone))
				w.members(path+".", zoneCells...)
				w.EndObject()
			}
		}
		w.EndObject()
		w.EndObject()
	}
	w.EndObject()
	w.members("", generalCells...)
	for _, charge := range amountCells {
		w.Object(charge)
		w.members(charge+".", shareCells...)
		w.EndObject()
	}
	w.members("", lastCells...)
	w.members("", extraCells...)
	w.EndObject()
	file := jsontext.Value(w.Buffer)
	_ = file.Indent(jsontext.WithIndent("  ")) // fails only for what is not JSON
	return string(file)
}

// cardWriter writes the file of a card.
type cardWriter struct {
	strictjson.Writer
	cells cardCells
}

// members writes those members of an object that have cells. prefix is its path, with a point.
func (w *cardWriter) members(prefix string, names ...string) {
	for _, name := range names {
		typed, present := w.cells[prefix+name]
		if !present {
			continue
		}
		kind := cellOf(prefix + name)
		if number, ok := wholeOf(typed, kind.places); ok && !kind.text {
			w.Integer(name, number)
		} else {
			w.Text(name, typed)
		}
	}
}

// cellNumber is a number as people type it, with a point or a comma.
var cellNumber = regexp.MustCompile(`^([0-9]{1,12})(?:[.,]([0-9]{1,4}))?$`)

// wholeOf returns a number that was typed, times ten to the power of places.
func wholeOf(typed string, places int) (number int64, ok bool) {
	parts := cellNumber.FindStringSubmatch(cellSpace.Replace(typed))
	if parts == nil || len(parts[2]) > places { // 1,000 may mean a thousand
		return 0, false
	}
	decimals := (parts[2] + "0000")[:places]
	number, err := strconv.ParseInt(parts[1]+decimals, 10, 64)
	return number, err == nil
}

// cellSpace removes the separators of thousands that people type, and signs of what the cell holds.
var cellSpace = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", "$", "", "%", "")

// nextVersion returns the version after another one that no card has: default-2 after default-1.
func nextVersion(version string, taken []string) string {
	digits := len(version) - len(strings.TrimRight(version, "0123456789"))
	begin, number := version+"-", 1
	if typed, err := strconv.Atoi(version[len(version)-digits:]); err == nil {
		begin, number = version[:len(version)-digits], typed
	}
	for {
		number++
		next := strconv.Itoa(number)
		if zeros := digits - len(next); zeros > 0 {
			next = strings.Repeat("0", zeros) + next
		}
		if !slices.Contains(taken, begin+next) {
			return begin + next
		}
	}
}

// cellFault says what a cell must hold, in the unit in which it is typed.
func (s *sheet) cellFault(path string, problem form.Problem) string {
	kind := cellOf(path)
	if kind.fault == "" {
		return page.FaultText(problem, s.Language)
	}
	return s.Text(kind.fault, "example", s.example(kind))
}

// example returns a value of a cell as it is typed.
func (s *sheet) example(kind cardCell) string {
	return strings.Replace(map[cardCell]string{
		moneyCell: "12.50", percentCell: "12.5", weightCell: "1.5", usdCell: "1.375",
	}[kind], ".", s.decimalPoint(), 1)
}

// cardTables are the tables into which a card is typed.
type cardTables struct {
	Version page.Field
	Levels  []cellLevel
	General []page.Field
	Extra   []page.Field
}

// cellLevel is the table of a service level.
type cellLevel struct {
	Level delivery.ServiceLevel
	Times []page.Field
	Zones []cellZone
}

// cellZone is the row of a zone.
type cellZone struct {
	Path, Name string
	Offered    bool
	Cells      []page.Field
}

// tablesFor returns the tables with what the cells hold and what is wrong with it.
func (v newCardView) tablesFor(cells cardCells) *cardTables {
	for _, path := range cellPaths() {
		v.Form.Values.Set(path, cells[path])
	}
	tables := &cardTables{Version: v.cell("version", v.Text("rates.version"))}
	tables.Version.Required = true
	for _, level := range delivery.ServiceLevels {
		at := "levels." + string(level)
		table := cellLevel{Level: level}
		for _, name := range levelCells {
			table.Times = append(table.Times, v.cell(at+"."+name, v.Text(priceKeys[name])))
		}
		for _, zone := range pricing.Zones {
			path := zonePath(level, zone)
			row := cellZone{Path: path, Name: v.Text(zoneKeys[string(zone)]), Offered: cells[path] == offered}
			for _, name := range zoneCells {
				cell := v.cell(path+"."+name, v.PathName(path+"."+name))
				row.Cells = append(row.Cells, cell)
			}
			table.Zones = append(table.Zones, row)
		}
		tables.Levels = append(tables.Levels, table)
	}
	for _, path := range (cardView{}).General() {
		tables.General = append(tables.General, v.cell(path, v.PathName(path)))
	}
	for _, path := range extraCells {
		cell := v.cell(path, v.PathName(path))
		cell.Hint = v.Text(extraHints[path])
		tables.Extra = append(tables.Extra, cell)
	}
	return tables
}

// cellClock is a time of day as inputs of type time hold it.
var cellClock = regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9]$`)

// cell returns the field of a cell.
func (v newCardView) cell(path, label string) page.Field {
	kind, field := cellOf(path), page.Field{Name: path, Label: label, Type: "text", Autocomplete: "off"}
	switch {
	case strings.HasSuffix(path, ".cut_off"), strings.HasSuffix(path, ".deliver_by"):
		if at := v.Form.Values.Get(path); at == "" || cellClock.MatchString(at) {
			field.Type = "time" // which shows nothing else
		}
	case !kind.text && kind.places == 0:
		field.InputMode = "numeric"
	case !kind.text:
		field.InputMode = "decimal"
	}
	return v.Form.With(field)
}
