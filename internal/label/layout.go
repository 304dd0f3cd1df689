package label

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

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
)

// page is one label, before it is written in a language.
type page struct {
	boxes  []box
	texts  []line
	bars   *bars   // nil if the parcel has no text that can be coded
	square *square // nil if the tracking URL cannot be coded
}

// box is a black rectangle.
type box struct{ x, y, width, height int }

// line is one line of text, its top left corner at x and y.
type line struct {
	face    *face
	x, y    int
	size    int
	text    string // clean
	inverse bool   // white, on a box
}

// bars is a Code 128.
type bars struct {
	x, module int // x is that of the first bar
	text      string
}

// square is a QR code, x and y its first module.
type square struct {
	x, y, module int
	text         string
	bits         [][]bool
}

// column is where a block of lines is set, from top to bottom.
type column struct {
	*page
	x, y, width int
}

// set writes a text into the column's next lines.
func (c *column) set(f *face, text string, large, small, lines int) {
	size, broken := f.fit(text, large, small, c.width, lines)
	for _, text := range broken {
		c.texts = append(c.texts, line{face: f, x: c.x, y: c.y, size: size, text: text})
		c.y += leading(size)
	}
}

// leading is the distance from one line's top to the next.
func leading(size int) int { return size * 23 / 20 }

// badge writes a word white on black, as wide as the word, and moves the column
// to its right.
func (c *column) badge(text string) {
	const large, small, tall, inset = 36, 16, 50, 14
	size, _ := bold.fit(text, large, small, c.width-2*inset, 1)
	wide := bold.width(text, size) + 2*inset
	c.boxes = append(c.boxes, box{c.x, c.y, wide, tall})
	c.texts = append(c.texts, line{bold, c.x + inset, c.y + (tall-size)/2, size, text, true})
	c.x += wide + inset
	c.width -= wide + inset
}

// layout lays out the labels of an order.
func layout(o *delivery.Order) []*page {
	common := page{square: newSquare(o.TrackingURL)}
	common.from(&o.Pickup)
	common.rule(toTop - 10)
	common.to(o)
	common.rule(codesTop - 10)
	pages := make([]*page, len(o.Parcels))
	for i := range pages {
		place := i + 1
		p := &page{boxes: slices.Clone(common.boxes), texts: slices.Clone(common.texts), square: common.square}
		p.header(o.ServiceLevel, place, len(o.Parcels))
		p.details(o, place)
		p.code(Code128(o, place))
		pages[i] = p
	}
	return pages
}

func (p *page) rule(y int) { p.boxes = append(p.boxes, box{margin, y, width - 2*margin, 3}) }

// header says what a sorter looks for first: how fast, and how many.
func (p *page) header(level delivery.ServiceLevel, place, count int) {
	const size, inset = 70, 20
	p.boxes = append(p.boxes, box{margin, headerTop, width - 2*margin, headerHeight})
	name := clean(strings.ToUpper(strings.ReplaceAll(string(level), "_", " ")))
	of := fmt.Sprintf("%d / %d", place, count)
	x := width - margin - inset - bold.width(of, size)
	y := headerTop + (headerHeight-size)/2
	p.texts = append(p.texts,
		line{bold, margin + inset, y, size, name, true},
		line{bold, x, y, size, of, true})
}

func (p *page) from(sender *delivery.Contact) {
	c := column{p, margin, fromTop, width - 2*margin}
	c.set(regular, "FROM / DE", 18, 18, 1)
	c.set(bold, sender.Name, 24, 18, 1)
	a := sender.Address
	c.set(regular, both(a.Line1, ", ", a.Line2), 22, 16, 1)
	c.set(regular, both(a.City, ", ", a.Province+"  "+a.PostalCode), 22, 16, 1)
}

// both joins two texts, or is the one that there is.
func both(one, between, other string) string {
	if one == "" || other == "" {
		return one + other
	}
	return one + between + other
}

// to is read at the door and in the van: the larger, the sooner it is needed.
// The notes get what room the address leaves.
func (p *page) to(o *delivery.Order) {
	const postalSize, countrySize = 88, 34
	c := column{p, margin, toTop, width - 2*margin}
	c.set(regular, "TO / À", 18, 18, 1)
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
	c.y += leading(postalSize) + 4
	c.notes(both(a.Notes, " – ", o.Instructions))
}

// notes take the rest of the address's block, in large letters if they are
// short.
func (c *column) notes(text string) {
	const large, small, bottom = 36, 26, codesTop - 14
	for _, size := range []int{large, small} {
		room := (bottom - c.y) / leading(size)
		if size == small || len(regular.wrap(clean(text), size, c.width)) <= room {
			c.set(regular, text, size, size, room)
			return
		}
	}
}

// postalCode is one as people read it: H2X 1Y4.
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

// details stand beside the QR code.
func (p *page) details(o *delivery.Order, place int) {
	parcel := o.Parcels[place-1]
	left := margin + squareSide + 16
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

// marks warns of what is not to be dropped, and of what is to be paid.
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

// decimal is a number with at most so many places.
func decimal(number float64, places int) string {
	text := strconv.FormatFloat(number, 'f', places, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// code is the Code 128 in the middle of the page's foot, its text below.
func (p *page) code(text string) {
	dots := module(text)
	if dots == 0 {
		return
	}
	p.bars = &bars{x: (width - dots*len(bits128(text))) / 2, module: dots, text: text}
	size, broken := regular.fit(text, 28, 18, width-2*margin, 1)
	for _, shown := range broken {
		p.texts = append(p.texts, line{face: regular, x: (width - regular.width(shown, size)) / 2, y: captionTop, size: size, text: shown})
	}
}

// newSquare is the QR code of an order; nil if its URL does not fit.
func newSquare(url string) *square {
	bits := bitsQR(url)
	dots := squareSide / (len(bits) + 2*quietQR)
	if len(bits) == 0 || dots < thinnest {
		return nil
	}
	inset := (squareSide - dots*len(bits)) / 2
	return &square{margin + inset, codesTop + inset, dots, url, bits}
}
