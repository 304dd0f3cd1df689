package label

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// The page, in inches and in dots.
const (
	inchesWide, inchesHigh = 4, 6

	width  = inchesWide * int(Coarsest)
	height = inchesHigh * int(Coarsest)
	margin = 24

	headerTop, headerHeight = 24, 92
	fromTop                 = 128
	toTop                   = 242
	codesTop                = 782
	barsTop, barsHeight     = 1026, 128
	captionTop              = barsTop + barsHeight + 4

	belowTo, belowTimes = 4, 8 // the space between lines of the recipient's block
	notesBottom         = codesTop - 14
	postalSize          = 88

	detailsLeft  = margin + qrSide + 16
	detailsWidth = width - margin - detailsLeft
)

// The words that go before and between texts of an order.
const (
	betweenNotes                         = " – "
	orderFact, referenceFact, parcelFact = "Order: ", "Ref: ", "Parcel: "
)

// page is the layout of one label, from which PDF and ZPL are written.
type page struct {
	boxes  []box
	texts  []line
	bars   *bars   // nil if Code128 is empty
	qr     *qrCode // nil if the tracking URL cannot be encoded
	faults []Fault
}

// Fault is a text of an order that its label does not show as it is.
type Fault struct {
	Field string // its path in a request
	// Cut reports whether the text is too long. Otherwise it has characters that cannot be printed.
	Cut bool
}

// box is a black rectangle.
type box struct{ x, y, width, height int }

// line is a line of text with its top left corner at x and y.
type line struct {
	font    *typeface
	x, y    int
	size    int
	text    string // as returned by clean
	inverse bool   // white on a box
}

// bars is a Code 128.
type bars struct {
	x, y   int // of the first bar
	height int
	module int // the width of a module, in dots
	text   string
	bits   []bool
}

// qrCode is a QR code with its first module at x and y.
type qrCode struct {
	x, y   int
	module int // the side of a module, in dots
	text   string
	bits   [][]bool
}

// column is an area of the page into which lines are set from top to bottom. Its
// y moves down with every line.
type column struct {
	*page
	x, y, width int
}

// set adds words of the label as the next lines of the column, in the largest size of the style
// that fits (see fit). It reports whether they can be seen as they are.
func (c *column) set(s style, text string) (whole bool) {
	set := s.face.fit(text, s.large, s.small, c.width, s.lines)
	for _, text := range set.lines {
		c.texts = append(c.texts, line{font: set.font, x: c.x, y: c.y, size: set.size, text: text})
		c.y += leading(set.size)
	}
	return set.whole
}

// given is a text of an order.
type given struct{ field, text string }

// join joins texts that are printed together, without those that are empty.
func join(between string, texts ...given) string {
	var parts []string
	for _, t := range texts {
		if t.text != "" {
			parts = append(parts, t.text)
		}
	}
	return strings.Join(parts, between)
}

// show adds texts of the order as set does, and notes what cannot be seen of them.
func (c *column) show(s style, before, between string, texts ...given) {
	text := join(between, texts...)
	if text != "" && !c.set(s, before+text) {
		c.note(texts)
	}
}

// note records why texts are not shown as they are: characters that cannot be printed, or
// otherwise the end of the last text.
func (p *page) note(texts []given) {
	before, last := len(p.faults), ""
	for _, t := range texts {
		if _, ok := clean(t.text); !ok {
			p.faults = append(p.faults, Fault{Field: t.field})
		}
		if t.text != "" {
			last = t.field
		}
	}
	if len(p.faults) == before {
		p.faults = append(p.faults, Fault{Field: last, Cut: true})
	}
}

// print adds a short text of the label at a place.
func (p *page) print(f *face, x, y, size int, text string, inverse bool) {
	p.texts = append(p.texts, line{font: f.of(text), x: x, y: y, size: size, text: text, inverse: inverse})
}

// leading returns the distance from the top of one line to that of the next.
func leading(size int) int { return size * 23 / 20 }

// badge adds a text in white on a black box, and moves the column to the right of
// the box.
func (c *column) badge(text string) {
	const large, small, tall, inset = 36, 16, 50, 14
	size := bold.fit(text, large, small, c.width-2*inset, 1).size
	wide := bold.width(text, size) + 2*inset
	c.boxes = append(c.boxes, box{c.x, c.y, wide, tall})
	c.print(bold, c.x+inset, c.y+(tall-size)/2, size, text, true)
	c.x += wide + inset
	c.width -= wide + inset
}

// layout returns the labels of an order: what all of them show, and for each parcel
// what only its own label shows. clock is the time zone of the dropoff. It lets other
// goroutines run after each label.
func layout(o *delivery.Order, clock *time.Location) (common *page, parcels []*page) {
	common = &page{qr: newQRCode(o.TrackingURL)}
	common.header(o.ServiceLevel)
	common.from(o)
	common.rule(toTop - 10)
	common.to(o, clock)
	common.rule(codesTop - 10)
	parcels = make([]*page, len(o.Parcels))
	for i := range parcels {
		place := i + 1
		p := &page{}
		p.place(place, len(o.Parcels))
		p.details(o, place)
		p.code(Code128(o, place))
		parcels[i] = p
		runtime.Gosched()
	}
	return common, parcels
}

func (p *page) rule(y int) { p.boxes = append(p.boxes, box{margin, y, width - 2*margin, 3}) }

const headerSize, headerInset = 70, 20

// header adds the service level, by which parcels are sorted.
func (p *page) header(level delivery.ServiceLevel) {
	p.boxes = append(p.boxes, box{margin, headerTop, width - 2*margin, headerHeight})
	name, _ := clean(strings.ToUpper(strings.ReplaceAll(string(level), "_", " ")))
	p.print(bold, margin+headerInset, headerTop+(headerHeight-headerSize)/2, headerSize, name, true)
}

// place adds the parcel's place in its order to the header.
func (p *page) place(place, count int) {
	of := fmt.Sprintf("%d / %d", place, count)
	x := width - margin - headerInset - bold.width(of, headerSize)
	p.print(bold, x, headerTop+(headerHeight-headerSize)/2, headerSize, of, true)
}

// from adds the sender, and beside it the order's short number.
func (p *page) from(o *delivery.Order) {
	number, _ := clean(Number(o.OrderID))
	left, wide := senderWidth(number)
	n := column{p, width - margin - wide, fromTop, wide}
	n.set(caption, "No.")
	n.set(orderNumber, number)

	c := column{p, margin, fromTop, left}
	c.set(caption, "FROM / DE")
	a := o.Pickup.Address
	c.show(senderName, "", "", given{"pickup.name", o.Pickup.Name})
	c.show(senderPlace, "", ", ", given{"pickup.address.line1", a.Line1}, given{"pickup.address.line2", a.Line2})
	c.show(senderPlace, "", ", ", given{"pickup.address.city", a.City},
		given{"pickup.address.postal_code", a.Province + " " + a.PostalCode})
}

// senderWidth returns how much room the sender has beside an order's number, and the number.
func senderWidth(number string) (sender, order int) {
	const gap = 24
	order = bold.width(number, orderNumber.large)
	return width - 2*margin - gap - order, order
}

// to adds the recipient's address, in sizes by how early on the way a line is
// needed. The notes get the space that the address leaves.
func (p *page) to(o *delivery.Order, clock *time.Location) {
	const countrySize = 34
	c := column{p, margin, toTop, width - 2*margin}
	c.set(caption, "TO / À")
	c.y += belowTo
	a := o.Dropoff.Address
	c.show(recipientName, "", "", given{"dropoff.name", o.Dropoff.Name})
	c.show(street, "", "", given{"dropoff.address.line1", a.Line1})
	c.show(street, "", "", given{"dropoff.address.line2", a.Line2})
	c.show(city, "", "", given{"dropoff.address.city", a.City})
	postal, _ := clean(a.Province + " " + postalCode(a.PostalCode))
	c.print(bold, c.x, c.y, postalSize, postal, false)
	country, _ := clean(countryName(a.Country))
	right := width - margin - bold.width(country, countrySize)
	c.print(bold, right, c.y+(postalSize-countrySize)*4/5, countrySize, country, false)
	c.y += leading(postalSize)
	c.appointment(&o.Dropoff, clock)
	c.notes(given{"dropoff.address.notes", a.Notes}, given{"instructions", o.Instructions})
}

// appointment adds a line with the time window and the phone number.
func (c *column) appointment(to *delivery.Contact, clock *time.Location) {
	const gap = 24
	phone, _ := clean(phoneNumber(to.Phone))
	wide := regular.width(phone, telephone.large)
	right := column{c.page, c.x + c.width - wide, c.y, wide}
	left := column{c.page, c.x, c.y, c.width - wide - gap}
	left.set(caption, "DELIVER / LIVRER")
	left.set(times, window(to.Window, clock))
	if phone != "" {
		right.set(caption, "TEL. / TÉL.")
		right.set(telephone, phone)
	}
	c.y = left.y + belowTimes
}

// window returns a time window in a time zone, to the minute, with the name of the zone: the
// person who prints the label may be in another.
func window(w delivery.Window, clock *time.Location) string {
	const date, minute = "2006-01-02", "15:04"
	start, end := w.Start.In(clock), w.End.In(clock)
	until := end.Format(minute)
	if day := end.Format(date); day != start.Format(date) {
		until = day + " " + until
	}
	return start.Format(date+" "+minute) + " – " + until + " " + start.Format("MST")
}

// phoneNumber returns a phone number, in groups if it is North American.
func phoneNumber(number string) string {
	const length = len("+15145550100")
	if len(number) != length || !strings.HasPrefix(number, "+1") {
		return number
	}
	return number[:2] + " " + number[2:5] + "-" + number[5:8] + "-" + number[8:]
}

// notes adds texts in the rest of the address's block, in large letters if they are short.
func (c *column) notes(texts ...given) {
	text, _ := clean(join(betweenNotes, texts...))
	s := largeNotes.above(notesBottom, c.y)
	if _, whole := s.face.of(text).wrap(text, s.large, c.width, s.lines); !whole {
		s = smallNotes.above(notesBottom, c.y)
	}
	c.show(s, "", betweenNotes, texts...)
}

// postalCode returns a postal code in its usual spelling, such as H2X 1Y4.
func postalCode(code string) string {
	const half = 3
	code = delivery.NormalPostalCode(code)
	if len(code) != 2*half {
		return code
	}
	return code[:half] + " " + code[half:]
}

func countryName(code string) string {
	if code == delivery.Country {
		return "CANADA"
	}
	return code
}

// details adds the facts of the parcel and the order beside the QR code.
func (p *page) details(o *delivery.Order, place int) {
	parcel := o.Parcels[place-1]
	c := column{p, detailsLeft, codesTop + 4, detailsWidth}
	if p.marks(o, parcel, c) {
		c.y += 60
	}
	c.set(dimensions, decimal(parcel.WeightKg, 2)+" kg – "+decimal(parcel.LengthCm, 1)+" × "+
		decimal(parcel.WidthCm, 1)+" × "+decimal(parcel.HeightCm, 1)+" cm")
	c.y += 4
	named := func(name, field, text string) { c.show(fact, name, "", given{field, text}) }
	named(orderFact, "partner_order_id", o.PartnerOrderID)
	named(referenceFact, "reference", o.Reference)
	named(parcelFact, fmt.Sprintf("parcels[%d].parcel_id", place-1), parcel.ParcelID)
	named("", "order_id", o.OrderID)
}

// marks adds badges for a fragile parcel and for cash on delivery, and reports
// whether there are any.
func (p *page) marks(o *delivery.Order, parcel delivery.Parcel, c column) bool {
	start := c.x
	if parcel.Fragile {
		c.badge("FRAGILE")
	}
	if o.COD != nil && o.COD.AmountCents > 0 {
		c.badge(fmt.Sprintf("COD %d.%02d %s", o.COD.AmountCents/100, o.COD.AmountCents%100, o.COD.Currency))
	}
	return c.x > start
}

// decimal returns a number with at most so many decimal places.
func decimal(number float64, places int) string {
	text := strconv.FormatFloat(number, 'f', places, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// code adds the Code 128 at the foot of the page, in the middle, and its text
// below.
func (p *page) code(text string) {
	bits := bits128(text)
	dots := moduleWidth(text, bits)
	if dots == 0 {
		return
	}
	p.bars = &bars{x: (width - dots*len(bits)) / 2, y: barsTop, height: barsHeight, module: dots, text: text, bits: bits}
	set := regular.fit(text, 28, 18, width-2*margin, 1)
	for _, shown := range set.lines {
		p.print(regular, (width-regular.width(shown, set.size))/2, captionTop, set.size, shown, false)
	}
}

// newQRCode returns the QR code of a tracking URL, or nil if the URL does not fit.
func newQRCode(url string) *qrCode {
	bits := bitsQR(url)
	dots := qrSide / (len(bits) + 2*quietQR)
	if len(bits) == 0 || dots < minModule {
		return nil
	}
	inset := (qrSide - dots*len(bits)) / 2
	return &qrCode{margin + inset, codesTop + inset, dots, url, bits}
}
