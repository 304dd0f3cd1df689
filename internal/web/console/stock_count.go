package console

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/movement"
	"github.com/dropyard/dropyard/internal/web/page"
)

// maxCounted is the most lines of a count, as the use case has it.
const maxCounted = 500

// maxSent is how many lines are looked up: more than a count may have, because several
// codes may be those of one product.
const maxSent = 2 * maxCounted

var errTooManyLines = refusal.New(refusal.CodePayloadTooLarge, "a count has at most 500 products")

// countLine is a line of a count: a code that was scanned, and how often.
type countLine struct {
	Code    string
	Counted string // as it was typed
	Product *movement.Product
	Fault   string // why the line cannot be booked; empty if it can
	// Level is what is in stock at the location, and Promised what orders have taken and the warehouse has not
	// picked. They are set for the review only.
	Level, Promised int64
}

// Expected returns how many units should be on the shelf.
func (l countLine) Expected() int64 { return l.Level + l.Promised }

// Difference returns how many more are there.
func (l countLine) Difference() int64 {
	counted, _ := l.quantity()
	return counted - l.Expected()
}

// free returns the level that the count leaves: what is not promised to orders.
func (l countLine) free() int64 {
	counted, _ := l.quantity()
	return max(0, counted-l.Promised)
}

// Quantity returns the counted quantity. It reports false if that is not a number from 0
// to maxCountable.
func (l countLine) quantity() (int64, bool) {
	const maxCountable = 1_000_000_000
	counted, err := strconv.ParseInt(strings.TrimSpace(l.Counted), 10, 64)
	return counted, err == nil && counted >= 0 && counted <= maxCountable
}

// countView is what the pages of a count show.
type countView struct {
	*storeroom
	Location  string
	Locations []string
	// NewLocation is the one that the address names if nothing has been there: the page asks whether it is meant.
	NewLocation string
	Booked      string // the location whose count has just been booked; empty if none was
	Form        *page.Form
	Lines       []countLine
	Last        *countLine // the line of the latest scan
	// Agreed is the number of lines of a review without a difference.
	Agreed  int
	Problem *page.Message // why a review was not booked; may be nil
}

// countView returns the count at a location. The error may be not_found.
func (s *sheet) countView(location string) (*countView, error) {
	of, err := s.storeroom()
	if err != nil {
		return nil, err
	}
	v := &countView{storeroom: of, Location: strings.TrimSpace(location)}
	if n := utf8.RuneCountInString(v.Location); n > 64 || !form.IsText(v.Location) {
		v.Location = ""
	}
	return v, nil
}

// countForm shows the count at the location that the address names, or asks for one.
func (pages *Pages) countForm(s *sheet) (int, []byte, error) {
	v, err := s.countView(s.parameter("location"))
	if err != nil {
		return 0, nil, err
	}
	v.Booked = s.parameter("booked")
	if v.Location != "" && s.parameter("new") == "" {
		known, err := v.locations()
		if err != nil {
			return 0, nil, err
		}
		if len(known) > 0 && !slices.Contains(known, v.Location) {
			v.Location, v.NewLocation = "", v.Location
		}
	}
	return v.show(http.StatusOK)
}

// show shows the count with an empty field for the next scan.
func (v *countView) show(status int) (int, []byte, error) {
	if v.Location == "" {
		var err error
		if v.Locations, err = v.locations(); err != nil {
			return 0, nil, err
		}
		return v.storeroom.show(leaf{
			template: "stock-count-where", title: v.Text("warehouse.count"), data: v, status: status,
			scripts: []string{"stock.js"},
		})
	}
	var err error
	if v.Form, err = v.form(v.Path("/count"), 0); err != nil {
		return 0, nil, err
	}
	return v.storeroom.show(leaf{template: "stock-count", title: v.Text("warehouse.count.at", "location",
		v.Location), data: v, status: status, scripts: []string{"stock.js", "scan.js"}})
}

// countLines shows the lines of some codes, for the script that has scanned them.
func (pages *Pages) countLines(s *sheet) (int, []byte, error) {
	v, err := s.countView("-")
	if err != nil {
		return 0, nil, err
	}
	if len(s.Request.URL.Query()["code"]) > maxSent {
		return 0, nil, errTooManyLines
	}
	for _, code := range s.Request.URL.Query()["code"] {
		v.Lines = append(v.Lines, countLine{Code: code, Counted: "0"})
	}
	if err := v.find(); err != nil {
		return 0, nil, err
	}
	if s.Request.URL.Query().Has("names") {
		if err := v.findByNames(); err != nil {
			return 0, nil, err
		}
	}
	return v.storeroom.show(leaf{template: "stock-count-found", title: v.Text("warehouse.count"), data: v})
}

// find looks up the products of the lines. Lines of the same product become one.
func (v *countView) find() error {
	codes := make([]string, len(v.Lines))
	for i, line := range v.Lines {
		codes[i] = line.Code
	}
	found, err := v.pages.config.Stock.Find(v.Context(), v.PartnerID, codes...)
	if err != nil {
		return err
	}
	var merged []countLine
	for _, line := range v.Lines {
		switch products := found[line.Code]; len(products) {
		case 0:
			line.Fault = v.Text("warehouse.count.unknown")
		case 1:
			line.Product = products[0]
		default:
			line.Fault = v.Text("warehouse.count.several", "numbers", numbersOf(products))
		}
		at := slices.IndexFunc(merged, line.same)
		if at < 0 {
			merged = append(merged, line)
			continue
		}
		more, ok := line.quantity()
		if so, okSo := merged[at].quantity(); ok && okSo {
			merged[at].Counted = strconv.FormatInt(so+more, 10)
		}
	}
	v.Lines = merged
	return nil
}

// same reports whether two lines are about the same product or unknown code.
func (l countLine) same(other countLine) bool {
	if l.Product == nil || other.Product == nil {
		return l.Code == other.Code
	}
	return l.Product.ProductID == other.Product.ProductID
}

// numbersOf lists the numbers of products.
func numbersOf(products []*movement.Product) string {
	numbers := make([]string, len(products))
	for i, product := range products {
		numbers[i] = strconv.FormatInt(product.ProductID, 10)
	}
	return strings.Join(numbers, ", ")
}

// withQuantity fits a scan with a quantity before it: 12*0627843400011.
var withQuantity = regexp.MustCompile(`^([0-9]{1,10})\*(.+)$`)

// read reads the lines of a count that was sent.
func (v *countView) read(sent *page.Form) error {
	codes, counted := sent.Values["code"], sent.Values["counted"]
	if len(codes) > maxSent {
		return errTooManyLines
	}
	for i, code := range codes {
		line := countLine{Code: strings.TrimSpace(code), Counted: "1"}
		if i < len(counted) {
			line.Counted = strings.TrimSpace(counted[i])
		}
		if line.Code != "" && form.IsText(line.Code) && sent.Values.Get("remove") != code {
			v.Lines = append(v.Lines, line)
		}
	}
	return v.find()
}

// scan adds a scan to the lines. The line of its product comes first.
func (v *countView) scan(text string) error {
	code, quantity := strings.TrimSpace(text), ""
	if typed := withQuantity.FindStringSubmatch(code); typed != nil {
		quantity, code = typed[1], strings.TrimSpace(typed[2])
	}
	if code == "" || !form.IsText(code) {
		return nil
	}
	before := len(v.Lines)
	v.Lines = append(v.Lines, countLine{Code: code, Counted: "0"})
	if err := v.find(); err != nil {
		return err
	}
	at := len(v.Lines) - 1
	if len(v.Lines) == before { // the product has a line, perhaps under another code
		scanned := countView{storeroom: v.storeroom, Lines: []countLine{{Code: code}}}
		if err := scanned.find(); err != nil {
			return err
		}
		at = slices.IndexFunc(v.Lines, scanned.Lines[0].same)
	}
	line := v.Lines[at]
	if so, ok := line.quantity(); ok {
		line.Counted = strconv.FormatInt(so+1, 10)
	}
	if quantity != "" {
		line.Counted = quantity
	}
	v.Lines = slices.Insert(slices.Delete(v.Lines, at, at+1), 0, line)
	v.Last = &v.Lines[0]
	return nil
}

// count adds a scan to a count, or shows the differences. Nothing is booked yet.
func (pages *Pages) count(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	v, err := s.countView(sent.Values.Get("location"))
	if err != nil {
		return 0, nil, err
	}
	if err := v.read(sent); err != nil {
		return 0, nil, err
	}
	if err := v.scan(sent.Values.Get("scan")); err != nil {
		return 0, nil, err
	}
	if sent.Values.Get("act") != "review" || v.Location == "" {
		return v.show(http.StatusOK)
	}
	return v.review()
}

// check adds what is expected, and what is wrong, to the lines, and reports whether they can be booked.
func (v *countView) check() (bool, error) {
	if len(v.Lines) == 0 || len(v.Lines) > maxCounted {
		v.Problem = &page.Message{Text: v.Text("warehouse.count.lines", "most", maxCounted), Danger: true}
		return false, nil
	}
	promised, err := v.pages.config.Dispatch.Promised(v.Context(), v.PartnerID)
	if err != nil {
		return false, err
	}
	for i := range v.Lines {
		line := &v.Lines[i]
		if _, ok := line.quantity(); !ok && line.Fault == "" {
			line.Fault = page.FaultText(form.Problem{Rule: form.IntegerFrom(0, 1_000_000_000)}, v.Language)
		}
		if line.Fault != "" {
			v.Problem = &page.Message{Text: v.Text("warehouse.count.faults"), Danger: true}
			continue
		}
		line.Level, line.Promised = line.Product.Level(v.Location), promised[line.Product.ProductID][v.Location]
	}
	return v.Problem == nil, nil
}

// review shows the differences of a count before it is booked.
func (v *countView) review() (int, []byte, error) {
	switch ok, err := v.check(); {
	case err != nil:
		return 0, nil, err
	case !ok:
		return v.show(http.StatusUnprocessableEntity)
	}
	return v.showReview(http.StatusOK)
}

func (v *countView) showReview(status int) (int, []byte, error) {
	form, err := v.form(v.Path("/count/book"), v.version())
	if err != nil {
		return 0, nil, err
	}
	v.Form, v.Agreed = form, 0
	for _, line := range v.Lines {
		if line.Difference() == 0 {
			v.Agreed++
		}
	}
	size := func(l countLine) int64 { return max(l.Difference(), -l.Difference()) }
	slices.SortStableFunc(v.Lines, func(a, b countLine) int { return int(min(1, max(-1, size(b)-size(a)))) })
	return v.storeroom.show(leaf{template: "stock-count-review", title: v.Text("warehouse.count.at", "location",
		v.Location), data: v, status: status})
}

// version differs when others are expected.
func (v *countView) version() int64 {
	var levels []string
	for _, line := range v.Lines {
		levels = append(levels, fmt.Sprintf("%d=%d+%d", line.Product.ProductID, line.Level, line.Promised))
	}
	slices.Sort(levels)
	return page.VersionOf(append(levels, v.Location)...)
}

// Change returns what a line books, with its sign.
func (v *countView) Change(l countLine) string { return v.Language.Signed(l.Difference()) }

// Promised says how many of the expected units are promised to orders; it is empty if none are.
func (v *countView) Promised(l countLine) string {
	if l.Promised == 0 {
		return ""
	}
	return v.Language.Count("warehouse.count.promised", int(l.Promised))
}

// Short says how many units are promised to orders that are not there; it is empty if none are.
func (v *countView) Short(l countLine) string {
	counted, _ := l.quantity()
	if counted >= l.Promised {
		return ""
	}
	return v.Language.Count("warehouse.count.short", int(l.Promised-counted))
}
