package statement

import (
	"bytes"
	"fmt"
	"strings"

	"codeberg.org/go-pdf/fpdf"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/label"
	"github.com/dropyard/dropyard/internal/money"
)

// The page, in points: letter format.
const (
	pageWidth, pageHeight = 612.0, 792.0
	margin                = 48.0
	right                 = pageWidth - margin
	bottom                = pageHeight - 60 // of the lines; the number of the page is below
	lineHeight            = 14.0
	gap                   = 6.0
)

// The columns of the lines: their left or, of amounts, right ends.
const (
	orderLeft  = margin + 64
	actLeft    = orderLeft + 112
	netRight   = right - 150
	taxRight   = right - 68
	actWidth   = netRight - 56 - actLeft
	orderWidth = actLeft - gap - orderLeft
	// notesMost is how many lines of notes are printed of an entry: more than the longest have.
	notesMost = 24
)

var (
	heading = label.Type{Bold: true, Size: 16}
	strong  = label.Type{Bold: true, Size: 9}
	plain   = label.Type{Size: 9}
	small   = label.Type{Size: 8}
)

// sheet is a PDF that is being drawn. What is drawn is kept by page, so that each page has the number of all.
type sheet struct {
	*words
	s     *money.Statement
	pages [][]drawing
	y     float64
	pen   *label.Pen
}

// drawing is a text or, without one, a rule.
type drawing struct {
	x, y float64
	text string
	as   label.Type
	end  float64 // of a rule
}

// pdf returns a closed statement as PDF.
func pdf(s *money.Statement, in Language) ([]byte, error) {
	f := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: pageWidth, Ht: pageHeight}})
	d := &sheet{words: languages[in], s: s, pen: label.NewPen(f)}
	title := fmt.Sprintf(d.title, s.Number, d.month(s.Period))
	f.SetCatalogSort(true)
	f.SetCreationDate(s.ClosedAt)
	f.SetModificationDate(s.ClosedAt)
	f.SetTitle(title, true)
	f.SetLang(string(in))
	f.SetAutoPageBreak(false, 0)
	d.head(title)
	for _, sums := range s.Sums {
		d.sums(sums)
	}
	d.lines()
	f.SetLineWidth(0.5)
	f.SetDrawColor(170, 170, 170)
	for i, drawn := range d.pages {
		f.AddPage()
		for _, one := range append(drawn, d.foot(title, i)...) {
			if one.text == "" {
				f.Line(one.x, one.y, one.end, one.y)
				continue
			}
			d.pen.Write(one.x, one.y, one.text, one.as)
		}
	}
	var file bytes.Buffer
	if err := f.Output(&file); err != nil {
		return nil, fmt.Errorf("draw statement %d: %w", s.Number, err)
	}
	return file.Bytes(), nil
}

func (d *sheet) newPage() {
	d.pages = append(d.pages, nil)
	d.y = margin + 12
}

func (d *sheet) put(one drawing) {
	last := len(d.pages) - 1
	d.pages[last] = append(d.pages[last], one)
}

func (d *sheet) left(x float64, text string, as label.Type) {
	d.put(drawing{x: x, y: d.y, text: text, as: as})
}

// ending puts a text that ends at a place.
func (d *sheet) ending(x float64, text string, as label.Type) {
	d.left(x-d.pen.Width(text, as), text, as)
}

func (d *sheet) rule() { d.put(drawing{x: margin, y: d.y - 10, end: right}) }

// head draws the sender of the statement, the partner and the month.
func (d *sheet) head(title string) {
	d.newPage()
	d.left(margin, title, heading)
	d.y += 20
	d.left(margin, fmt.Sprintf(d.closedOn, d.day(d.s.ClosedOn)), plain)
	d.y += 22
	top := d.y
	for _, line := range d.pen.Lines(d.s.Name, strong, 240, 3) {
		d.left(margin, line, strong)
		d.y += lineHeight
	}
	low := d.y
	d.y = top
	const firmLeft, firmWidth = margin + 280, right - margin - 280
	for _, line := range d.pen.Lines(d.s.Firm.Name, strong, firmWidth, 3) {
		d.left(firmLeft, line, strong)
		d.y += lineHeight
	}
	rest := strings.Split(d.s.Firm.Address, "\n")
	for _, number := range [][2]string{{d.gstHST, d.s.Firm.Numbers.GSTHST}, {d.qst, d.s.Firm.Numbers.QST}} {
		if number[1] != "" {
			rest = append(rest, number[0]+" "+number[1])
		}
	}
	for _, text := range rest {
		for _, line := range d.pen.Lines(text, plain, firmWidth, 3) {
			d.left(firmLeft, line, plain)
			d.y += lineHeight
		}
	}
	d.y = max(d.y, low) + 12
}

// foot returns what stands below a page.
func (d *sheet) foot(title string, page int) []drawing {
	text := fmt.Sprintf(d.page, page+1, len(d.pages))
	const y = pageHeight - 36
	feet := []drawing{{x: right - d.pen.Width(text, small), y: y, text: text, as: small}}
	if page > 0 {
		feet = append(feet, drawing{x: margin, y: y, text: title, as: small})
	}
	return feet
}

// sums draws the sums in a currency.
func (d *sheet) sums(sums money.Sums) {
	rows := []sumRow{{d.opening, sums.Opening.Balance(), true}, {d.charged, sums.Charged, false}}
	for _, one := range sums.Taxes {
		rows = append(rows, sumRow{d.taxes[one.Tax], one.Cents, false})
	}
	if sums.Paid != 0 {
		rows = append(rows, sumRow{d.paid, -sums.Paid, false})
	}
	if sums.Collected != 0 || sums.Remitted != 0 {
		rows = append(rows, sumRow{d.collected, -sums.Collected, false}, sumRow{d.remitted, sums.Remitted, false})
	}
	rows = append(rows, sumRow{d.closing, sums.Closing.Balance(), true})
	if sums.Closing.Collected != 0 {
		rows = append(rows, sumRow{d.held, -sums.Closing.Collected, false})
	}
	d.room(lineHeight * float64(len(rows)+2))
	for _, row := range rows {
		as := plain
		if row.strong {
			as = strong
		}
		d.rule()
		d.left(margin, row.name, as)
		d.ending(margin+300, d.money(row.cents, sums.Currency), as)
		if row.name == d.closing {
			d.left(margin+312, d.balance, small)
		}
		d.y += lineHeight
	}
	d.rule()
	d.y += 12
}

type sumRow struct {
	name   string
	cents  int64
	strong bool
}

// room begins a page if the present one has not so much room.
func (d *sheet) room(height float64) (begun bool) {
	if d.y+height <= bottom {
		return false
	}
	d.newPage()
	return true
}

// lines draws the lines, with the head of the table on each page, and what they add up to.
func (d *sheet) lines() {
	if len(d.s.Lines) == 0 {
		d.room(lineHeight)
		d.left(margin, d.noLine, plain)
		return
	}
	d.room(4 * lineHeight)
	d.tableHead()
	totals := map[delivery.Currency]int64{}
	for _, line := range d.s.Lines {
		totals[line.Currency] += line.Total
		d.line(line)
	}
	for _, sums := range d.s.Sums {
		if d.room(lineHeight) {
			d.tableHead()
		}
		d.rule()
		d.left(margin, d.carried, strong)
		d.ending(right, d.money(totals[sums.Currency], sums.Currency), strong)
		d.y += lineHeight
	}
}

func (d *sheet) tableHead() {
	d.left(margin, d.date, strong)
	d.left(orderLeft, d.order, strong)
	d.left(actLeft, d.act, strong)
	d.ending(netRight, d.net, strong)
	names := make([]string, 0, len(d.taxes))
	for _, tax := range []money.Account{money.TaxGST, money.TaxHST, money.TaxQST} {
		names = append(names, d.taxes[tax])
	}
	d.ending(taxRight, strings.Join(names, " · "), strong)
	d.ending(right, d.total, strong)
	d.y += lineHeight
}

// line draws a line; further taxes and the notes are below it.
func (d *sheet) line(line money.StatementLine) {
	text := []string{d.acts[line.Act]}
	if line.Notes != "" {
		text = append(text, d.pen.Lines(line.Notes, plain, actWidth, notesMost)...)
	}
	order := d.pen.Lines(line.PartnerOrderID, plain, orderWidth, notesMost)
	high := max(1, len(text), len(line.Taxes), len(order))
	if d.room(lineHeight * float64(high)) {
		d.tableHead()
	}
	d.rule()
	top := d.y
	d.left(margin, d.day(line.Day), plain)
	d.ending(netRight, d.amount(line.Net), plain)
	total := d.amount(line.Total)
	if line.Currency != delivery.CAD {
		total += " " + string(line.Currency)
	}
	d.ending(right, total, plain)
	d.column(top, order, func(text string) { d.left(orderLeft, text, plain) })
	d.column(top, text, func(text string) { d.left(actLeft, text, plain) })
	taxes := make([]string, len(line.Taxes))
	for i, one := range line.Taxes {
		taxes[i] = d.amount(one.Cents) + " " + d.taxes[one.Tax]
	}
	d.column(top, taxes, func(text string) { d.ending(taxRight, text, plain) })
	d.y = top + lineHeight*float64(high)
}

// column draws texts below each other.
func (d *sheet) column(top float64, texts []string, draw func(string)) {
	for i, text := range texts {
		d.y = top + lineHeight*float64(i)
		draw(text)
	}
}
