package label

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// The page, in dots.
const (
	perInch = 203
	width   = 4 * perInch
	height  = 6 * perInch
	margin  = 24

	headerTop, headerHeight = 24, 92
	fromTop                 = 128
	toTop                   = 242
	codesTop                = 782
	barsTop, barsHeight     = 1026, 128
	captionTop              = barsTop + barsHeight + 4

	captionSize = 18 // of the words above a block
)

// page is the layout of one label, from which PDF and ZPL are written.
type page struct {
	boxes []box
	texts []line
	bars  *bars   // nil if Code128 is empty
	qr    *qrCode // nil if the tracking URL cannot be encoded
}

// box is a black rectangle.
type box struct{ x, y, width, height int }

// line is a line of text with its top left corner at x and y.
type line struct {
	face    *face
	x, y    int
	size    int
	text    string // as returned by clean
	inverse bool   // white on a box
}

// bars is a Code 128.
type bars struct {
	x      int // of the first bar
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

// set adds a text as the next lines of the column, at most so many, in the largest
// size that fits (see fit).
func (c *column) set(f *face, text string, large, small, lines int) {
	size, broken := f.fit(text, large, small, c.width, lines)
	for _, text := range broken {
		c.texts = append(c.texts, line{face: f, x: c.x, y: c.y, size: size, text: text})
		c.y += leading(size)
	}
}

// leading returns the distance from the top of one line to that of the next.
func leading(size int) int { return size * 23 / 20 }

// badge adds a text in white on a black box, and moves the column to the right of
// the box.
func (c *column) badge(text string) {
	const large, small, tall, inset = 36, 16, 50, 14
	size, _ := bold.fit(text, large, small, c.width-2*inset, 1)
	wide := bold.width(text, size) + 2*inset
	c.boxes = append(c.boxes, box{c.x, c.y, wide, tall})
	c.texts = append(c.texts, line{
		face: bold, x: c.x + inset, y: c.y + (tall-size)/2, size: size, text: text, inverse: true,
	})
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
	name := clean(strings.ToUpper(strings.ReplaceAll(string(level), "_", " ")))
	p.texts = append(p.texts, line{
		face: bold, x: margin + headerInset, y: headerTop + (headerHeight-headerSize)/2, size: headerSize,
		text: name, inverse: true,
	})
}

// place adds the parcel's place in its order to the header.
func (p *page) place(place, count int) {
	of := fmt.Sprintf("%d / %d", place, count)
	x := width - margin - headerInset - bold.width(of, headerSize)
	p.texts = append(p.texts, line{
		face: bold, x: x, y: headerTop + (headerHeight-headerSize)/2, size: headerSize, text: of, inverse: true,
	})
}

// from adds the sender, and beside it the order's short number.
func (p *page) from(o *delivery.Order) {
	const numberSize, gap = 72, 24
	number := clean(Number(o.OrderID))
	wide := bold.width(number, numberSize)
	n := column{p, width - margin - wide, fromTop, wide}
	n.set(regular, "No.", captionSize, captionSize, 1)
	n.set(bold, number, numberSize, numberSize, 1)

	c := column{p, margin, fromTop, n.x - gap - margin}
	c.set(regular, "FROM / DE", captionSize, captionSize, 1)
	c.set(bold, o.Pickup.Name, 24, 18, 1)
	a := o.Pickup.Address
	c.set(regular, both(a.Line1, ", ", a.Line2), 22, 16, 1)
	c.set(regular, both(a.City, ", ", a.Province+"  "+a.PostalCode), 22, 16, 1)
}

// both joins two texts, or returns the one that is not empty.
func both(one, between, other string) string {
	if one == "" || other == "" {
		return one + other
	}
	return one + between + other
}

// to adds the recipient's address, in sizes by how early on the way a line is
// needed. The notes get the space that the address leaves.
func (p *page) to(o *delivery.Order, clock *time.Location) {
	const postalSize, countrySize = 88, 34
	c := column{p, margin, toTop, width - 2*margin}
	c.set(regular, "TO / À", captionSize, captionSize, 1)
	c.y += 4
	a := o.Dropoff.Address
	c.set(bold, o.Dropoff.Name, 46, 36, 2)
	c.set(regular, a.Line1, 40, 32, 2)
	c.set(regular, a.Line2, 40, 32, 2)
	c.set(bold, a.City, 46, 28, 1)
	postal := clean(a.Province + " " + postalCode(a.PostalCode))
	c.texts = append(c.texts, line{face: bold, x: c.x, y: c.y, size: postalSize, text: postal})
	country := clean(countryName(a.Country))
	c.texts = append(c.texts, line{face: bold, x: width - margin - bold.width(country, countrySize),
		y: c.y + (postalSize-countrySize)*4/5, size: countrySize, text: country})
	c.y += leading(postalSize)
	c.appointment(&o.Dropoff, clock)
	c.notes(both(a.Notes, " – ", o.Instructions))
}

// appointment adds a line with the time window and the phone number.
func (c *column) appointment(to *delivery.Contact, clock *time.Location) {
	const phoneSize, large, small, gap = 30, 34, 24, 24
	phone := clean(phoneNumber(to.Phone))
	wide := regular.width(phone, phoneSize)
	right := column{c.page, c.x + c.width - wide, c.y, wide}
	left := column{c.page, c.x, c.y, c.width - wide - gap}
	left.set(regular, "DELIVER / LIVRER", captionSize, captionSize, 1)
	left.set(bold, window(to.Window, clock), large, small, 1)
	if phone != "" {
		right.set(regular, "TEL. / TÉL.", captionSize, captionSize, 1)
		right.set(regular, phone, phoneSize, phoneSize, 1)
	}
	c.y = left.y + 8
}

// window returns a time window in a time zone, to the minute.
func window(w delivery.Window, clock *time.Location) string {
	const date, minute = "2006-01-02", "15:04"
	start, end := w.Start.In(clock), w.End.In(clock)
	until := end.Format(minute)
	if day := end.Format(date); day != start.Format(date) {
		until = day + " " + until
	}
	return start.Format(date+" "+minute) + " – " + until
}

// phoneNumber returns a phone number, in groups if it is North American.
func phoneNumber(number string) string {
	const length = len("+15145550100")
	if len(number) != length || !strings.HasPrefix(number, "+1") {
		return number
	}
	return number[:2] + " " + number[2:5] + "-" + number[5:8] + "-" + number[8:]
}

// notes adds a text in the rest of the address's block, in large letters if it is
// short.
func (c *column) notes(text string) {
	const large, small, bottom = 36, 26, codesTop - 14
	for _, size := range []int{large, small} {
		room := (bottom - c.y) / leading(size)
		if _, whole := regular.wrap(clean(text), size, c.width, room); whole || size == small {
			c.set(regular, text, size, size, room)
			return
		}
	}
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
	left := margin + qrSide + 16
	c := column{p, left, codesTop + 4, width - margin - left}
	if p.marks(o, parcel, c) {
		c.y += 60
	}
	c.set(bold, decimal(parcel.WeightKg, 2)+" kg – "+decimal(parcel.LengthCm, 1)+" × "+
		decimal(parcel.WidthCm, 1)+" × "+decimal(parcel.HeightCm, 1)+" cm", 30, 22, 1)
	c.y += 4
	named := func(name, text string) {
		if text != "" {
			c.set(regular, name+text, 24, 18, 1)
		}
	}
	named("Order: ", o.PartnerOrderID)
	named("Ref: ", o.Reference)
	named("Parcel: ", parcel.ParcelID)
	named("", o.OrderID)
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
	p.bars = &bars{(width - dots*len(bits)) / 2, dots, text, bits}
	size, broken := regular.fit(text, 28, 18, width-2*margin, 1)
	for _, shown := range broken {
		p.texts = append(p.texts, line{face: regular, x: (width - regular.width(shown, size)) / 2, y: captionTop, size: size, text: shown})
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
