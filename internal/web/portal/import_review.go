package portal

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/label"
	"github.com/dropyard/dropyard/internal/orderfile"
	"github.com/dropyard/dropyard/internal/saved"
	"github.com/dropyard/dropyard/internal/web/orderform"
	"github.com/dropyard/dropyard/internal/web/page"
)

// importView is the page that shows what a file would do.
type importView struct {
	*sheet
	*importPlan
	Draft    *saved.Draft
	Form     *page.Form // checks again what was typed
	Creation *page.Form // creates the orders that are ready
	Notice   string     // why nothing was created, if that is to be said

	fields           orderform.Form // which knows how fields are shown
	senders, parcels []*saved.Entry
}

// The parts of the names of fields of the form. What follows is the number of a column, the name of a field, or the
// line and the name of a cell.
const (
	columnPart  = "column:"
	defaultPart = "default:"
	cellPart    = "cell:"
	leaveField  = "leave_out" // the lines of orders that are not created
	senderField = "sender"    // the id of an entry that fills in the pickup
	parcelField = "parcel"    // the id of an entry that fills in the parcel
	countField  = "_count"    // how many orders the page has shown as ready
	priceField  = "_price"    // what they cost together, in cents
)

// maxShownFaulty and maxShownReady are how many orders the page shows of each.
const maxShownFaulty, maxShownReady = 50, 100

func (*Pages) reviewImport(s *sheet) (int, []byte, error) {
	draft, err := s.importDraft()
	if err != nil {
		return 0, nil, err
	}
	return s.showImport(draft, http.StatusOK, "")
}

func (s *sheet) showImport(draft *saved.Draft, status int, notice string) (int, []byte, error) {
	plan, err := s.planImport(draft)
	if err != nil {
		return 0, nil, err
	}
	s = s.on(draftPath(draft.DraftID))
	v := &importView{sheet: s, importPlan: plan, Draft: draft, Notice: notice}
	if v.Form, err = s.form(draftPath(draft.DraftID) + "/check"); err != nil {
		return 0, nil, err
	}
	if v.Creation, err = s.form(draftPath(draft.DraftID)); err != nil {
		return 0, nil, err
	}
	v.fields = orderform.Form{Sheet: s.Sheet, Sent: v.Form, Clock: s.pages.config.Calendar.ClockAt}
	v.fill()
	if v.senders, err = s.pages.config.Saved.Entries(s.Context(), s.Account, saved.Sender); err != nil {
		return 0, nil, err
	}
	if v.parcels, err = s.pages.config.Saved.Entries(s.Context(), s.Account, saved.Parcel); err != nil {
		return 0, nil, err
	}
	return s.show(leaf{
		template: "portal-import-review", title: s.Text("import.title"), data: v, status: status, otherMode: importPath,
		back: &page.Link{Text: s.Text("import.another"), Path: s.Link(importPath)},
	})
}

// fill puts what the draft holds into the form.
func (v *importView) fill() {
	values := v.Form.Values
	for i, field := range v.Draft.Columns {
		values.Set(columnPart+strconv.Itoa(i), field)
	}
	for field, text := range v.Draft.Defaults {
		values.Set(defaultPart+field, text)
	}
	faults := maps.Clone(v.defaultFaults)
	for field := range v.missing {
		faults[field] = cmp.Or(faults[field], v.Text("fault.required"))
	}
	for field, text := range faults {
		v.Form.Faults = append(v.Form.Faults, page.Fault{Field: defaultPart + field, Text: text})
	}
	for _, one := range slices.Concat(v.ShownStray(), v.ShownFaulty()) {
		for _, fault := range one.cells {
			name := cellName(fault.Cell)
			values.Set(name, v.texts[fault.Cell])
			v.Form.Faults = append(v.Form.Faults, page.Fault{Field: name, Text: fault.text})
		}
	}
}

func cellName(at orderfile.Cell) string { return cellPart + strconv.Itoa(at.Line) + ":" + at.Field }

// importLabels are the phrases of fields that the form of an order does not have.
var importLabels = map[string]string{
	orderfile.ContentsName: "import.contents", orderfile.ContentsQuantity: "neworder.quantity", "value": "neworder.value",
	"value_cents": "import.value_cents", "cod.amount": "neworder.cod", "insurance.amount": "neworder.insurance",
	"cod.amount_cents": "import.cod_cents", "insurance.amount_cents": "import.insurance_cents",
	"metadata":    "import.metadata",
	"product_sku": "import.product_sku", "product_barcode": "import.product_barcode",
	"product_id": "neworder.product", "quantity": "import.product_quantity", "quote_id": "import.quote",
}

// labelOf names a field of a file.
func (v *importView) labelOf(name string) string {
	if key := importLabels[name]; key != "" {
		return v.Text(key)
	}
	if end, isCountry := strings.CutSuffix(name, ".address.country"); isCountry {
		return v.Text("neworder."+end) + " · " + v.Text("import.country")
	}
	field, _ := orderfile.FindField(name)
	if field.Part == orderfile.OfParcel {
		return v.fields.Field(orderform.Row("parcels", 0) + "." + name).Label
	}
	return v.fields.Fault(name, "").Label
}

// ImportColumn is a column of the file.
type ImportColumn struct {
	Title, Sample string
	Field         page.Field
}

// FileColumns returns the columns of the file, each with the field that it is read as.
func (v *importView) FileColumns() (columns []ImportColumn) {
	options := make([]page.Option, 1, 1+len(orderfile.Fields))
	options[0].Label = v.Text("import.column.none")
	for _, field := range orderfile.Fields {
		options = append(options, page.Option{Value: field.Name, Label: v.labelOf(field.Name)})
	}
	for i, title := range v.file.Titles {
		name := v.Text("import.column", "title", title)
		columns = append(columns, ImportColumn{title, v.file.Sample(i), v.Form.With(page.Field{
			Name: columnPart + strconv.Itoa(i), Label: name, Type: "select", Options: options,
		})})
	}
	return columns
}

// Unread is how many columns are not read.
func (v *importView) Unread() (count int) {
	for _, field := range v.Draft.Columns {
		if field == "" {
			count++
		}
	}
	return count
}

// UnreadNames names the columns with texts that are not read, unless the file is the export of a shop; of many the
// first ones.
func (v *importView) UnreadNames() string {
	const most = 8
	names := v.file.Unread(v.Draft.Columns)
	if len(names) > most {
		names = append(names[:most], "…")
	}
	return strings.Join(names, ", ")
}

// LacksColumns names the fields for which a column is to be chosen: no order has them, and they differ from order
// to order.
func (v *importView) LacksColumns() string { return v.lacks(false) }

// DefaultsFaulty reports whether orders need defaults that are wrong.
func (v *importView) DefaultsFaulty() bool { return len(v.defaultFaults) > 0 }

// LacksDefaults names the missing fields of which the page asks for a default.
func (v *importView) LacksDefaults() string { return v.lacks(true) }

// lacks names the missing fields for which the page asks for a default, or those for which it does not.
func (v *importView) lacks(asked bool) string {
	var names []string
	for _, field := range orderfile.Fields {
		if v.missing[field.Name] && slices.Contains(defaultFields, field.Name) == asked {
			names = append(names, v.labelOf(field.Name))
		}
	}
	return strings.Join(names, ", ")
}

// SenderChoice is the field that chooses a saved sender; nil without any.
func (v *importView) SenderChoice() *page.Field {
	return v.choice(senderField, v.Text("import.sender"), v.senders)
}

// ParcelChoice is the field that chooses a saved parcel; nil without any.
func (v *importView) ParcelChoice() *page.Field {
	return v.choice(parcelField, v.Text("import.parcel"), v.parcels)
}

func (v *importView) choice(name, label string, entries []*saved.Entry) *page.Field {
	if len(entries) == 0 {
		return nil
	}
	options := []page.Option{{Label: v.Text("import.choose")}}
	for _, entry := range entries {
		options = append(options, page.Option{Value: entry.EntryID, Label: entry.Name})
	}
	return &page.Field{Name: name, Label: label, Type: "select", Options: options}
}

// defaultFields are the fields of which the page asks for a default.
var defaultFields = []string{
	"pickup.name", "pickup.phone", "pickup.email", "pickup.address.line1", "pickup.address.line2",
	"pickup.address.city", "pickup.address.province", "pickup.address.postal_code", "pickup.address.notes",
	"pickup.time_window.start", "pickup.time_window.end", "dropoff.time_window.start", "dropoff.time_window.end",
	"service_level", "weight_kg", "length_cm", "width_cm", "height_cm", "value", "description",
}

// Default returns the field for what orders lack.
func (v *importView) Default(name string) page.Field {
	path := name
	field, _ := orderfile.FindField(name)
	if field.Part == orderfile.OfParcel {
		path = orderform.Row("parcels", 0) + "." + strings.Replace(name, "value", "value_cents", 1)
	}
	shown := v.fields.Field(path)
	shown.Name, shown.Required, shown.Hint, shown.Autocomplete = defaultPart+name, false, "", "off"
	shown.MaxLength = maxTyped
	if name == "service_level" {
		shown.Type, shown.Options = "select", v.fields.Levels()
	}
	return v.Form.With(shown)
}

// ShownStray returns the lines without an order that the page shows.
func (v *importView) ShownStray() []*plannedOrder { return v.Stray[:min(len(v.Stray), maxShownFaulty)] }

// MoreStray is how many others there are.
func (v *importView) MoreStray() int { return len(v.Stray) - len(v.ShownStray()) }

// ShownFaulty returns the orders with faults that the page shows.
func (v *importView) ShownFaulty() []*plannedOrder {
	return v.Faulty[:min(len(v.Faulty), maxShownFaulty)]
}

// MoreFaulty is how many others there are.
func (v *importView) MoreFaulty() int { return len(v.Faulty) - len(v.ShownFaulty()) }

// ShownReady returns the orders that can be created, as far as the page shows them: those with warnings first.
func (v *importView) ShownReady() []*plannedOrder {
	shown := slices.Clone(v.Ready)
	rank := func(one *plannedOrder) int { return min(len(one.dry.Warnings)+len(one.Warnings), 1) }
	slices.SortStableFunc(shown, func(a, b *plannedOrder) int { return rank(b) - rank(a) })
	return shown[:min(len(shown), maxShownReady)]
}

// MoreReady is how many others there are.
func (v *importView) MoreReady() int { return len(v.Ready) - len(v.ShownReady()) }

// Finished reports whether all orders of the file exist.
func (v *importView) Finished() bool {
	return len(v.Draft.Created) > 0 && len(v.Ready)+len(v.Faulty)+len(v.Stray)+len(v.LeftOut)+len(v.missing) == 0
}

// Line is the first line of an order.
func (one *plannedOrder) Line() int { return one.line }

// Name is the order's own number; empty for a line that has none.
func (one *plannedOrder) Name() string {
	if one.Order == nil {
		return ""
	}
	return one.Reference
}

// To says who receives an order, and in which city.
func (one *plannedOrder) To() string {
	if one.Order == nil {
		return ""
	}
	parts := []string{one.Text("dropoff.name"), one.Text("dropoff.address.city")}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ", ")
}

// RateCents is the price.
func (one *plannedOrder) RateCents() int64 { return one.dry.RateCents }

// Others is what is wrong with an order besides its cells.
func (one *plannedOrder) Others() []string { return one.others }

// Warned returns what is probably not meant about an order, in the file or by its meaning.
func (v *importView) Warned(one *plannedOrder) (texts []string) {
	if one.Order == nil {
		return nil
	}
	for _, warning := range one.Warnings {
		texts = append(texts, v.fileFault(warning))
	}
	return append(texts, v.fields.WarningTexts(one.dry.Warnings)...)
}

// Arrives returns the window in which an order is delivered.
func (v *importView) Arrives(one *plannedOrder) string {
	to := one.wanted.Dropoff
	return v.Language.Window(to.Window, v.fields.Clock(to.Address), v.pages.config.Site.Now())
}

// Closed returns why an order is left out unless a person wants it; empty if its shop expects its delivery.
func (v *importView) Closed(one *plannedOrder) string {
	if one.exists {
		return v.Text("import.exists")
	}
	if one.Order == nil || one.Closed == nil {
		return ""
	}
	return v.Text("import.closed", "column", one.Closed.Column, "text", one.Closed.Text)
}

// Correction is an order, or a line without one, with the fields that correct it.
type Correction struct {
	*plannedOrder
	Cells  []page.Field // each once
	Warned []string
}

// Correct returns an order with the fields that correct it.
func (v *importView) Correct(one *plannedOrder) Correction {
	shown := Correction{one, nil, v.Warned(one)}
	var seen []orderfile.Cell
	for _, fault := range one.cells {
		if slices.Contains(seen, fault.Cell) {
			continue
		}
		seen = append(seen, fault.Cell)
		field := page.Field{
			Name: cellName(fault.Cell), Label: v.labelOf(fault.Field), Type: "text", Autocomplete: "off", MaxLength: maxTyped,
		}
		if strings.HasSuffix(fault.Field, "address.province") {
			field.Type, field.Options = "select", orderform.Provinces(v.Sheet)
		}
		shown.Cells = append(shown.Cells, v.Form.With(field))
	}
	return shown
}

// Total is the price of all orders that are ready.
func (v *importView) Total() string { return v.Language.Money(v.cents, v.currency()) }

// Cents is the same, for the hidden field of the form.
func (v *importView) Cents() int64 { return v.cents }

// Labels returns the files with the labels of the orders that were created.
func (v *importView) Labels() (links []page.Link) {
	ids := make([]string, 0, len(v.Draft.Created))
	for _, c := range v.Draft.Created {
		ids = append(ids, c.OrderID)
	}
	for part := range slices.Chunk(ids, label.MaxOrders) {
		links = append(links, page.Link{Text: v.Language.Count("labels.shown", len(part)), Path: v.labelsLink(part)})
	}
	return links
}

// checkImport keeps what was typed, and shows the page again.
func (pages *Pages) checkImport(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	sender, err := pages.config.Saved.Entry(s.Context(), s.Account, saved.Sender, sent.Values.Get(senderField))
	if err != nil {
		return 0, nil, err
	}
	parcel, err := pages.config.Saved.Entry(s.Context(), s.Account, saved.Parcel, sent.Values.Get(parcelField))
	if err != nil {
		return 0, nil, err
	}
	draft, err := s.importDraft() // with the orders that exist, before the lines that they have can change
	if err != nil {
		return 0, nil, err
	}
	draftID := draft.DraftID
	draft, err = pages.config.Saved.ChangeDraft(s.Context(), s.Account, draftID, func(d *saved.Draft) error {
		return s.takeTyped(d, sent, sender, parcel)
	})
	if err != nil {
		return 0, nil, err
	}
	window, err := s.pickupOfImport(draft)
	if err == nil && window != nil {
		_, err = pages.config.Saved.ChangeDraft(s.Context(), s.Account, draftID, func(d *saved.Draft) error {
			maps.Copy(d.Defaults, window)
			return nil
		})
	}
	if err != nil {
		return 0, nil, err
	}
	file, err := orderfile.Read(draft.File)
	if err == nil {
		err = pages.config.Saved.KeepColumns(s.Context(), s.Account, file.Titles, file.Propose(nil), draft.Columns)
	}
	if err != nil {
		return 0, nil, err
	}
	return s.LeadTo(s.Link(draftPath(draftID)), page.Flash{})
}

// takeTyped puts what was typed into the draft. A cell that holds what the page has shown is not corrected.
func (s *sheet) takeTyped(d *saved.Draft, sent *page.Form, sender, parcel *saved.Entry) error {
	file, err := orderfile.Read(d.File)
	if err != nil {
		return err // cannot happen: it was read when the draft was made
	}
	shown := file.Orders(s.importOptions(d)).Texts
	for i := range d.Columns {
		field := sent.Values.Get(columnPart + strconv.Itoa(i))
		if _, known := orderfile.FindField(field); (known || field == "") && sent.Values.Has(columnPart+strconv.Itoa(i)) {
			d.Columns[i] = field
		}
	}
	for _, field := range defaultFields {
		if text, isTyped := typed(sent.Values[defaultPart+field]); isTyped {
			d.Defaults[field] = text
		}
	}
	if sender != nil {
		for field := range orderform.ContactFields(&delivery.Contact{}) {
			d.Defaults["pickup."+field] = sender.Fields[field]
		}
	}
	if parcel != nil {
		for _, field := range []string{"weight_kg", "length_cm", "width_cm", "height_cm", "description"} {
			d.Defaults[field] = parcel.Fields[field]
		}
		d.Defaults["value"] = orderform.SavedText("value_cents", parcel.Fields["value_cents"])
	}
	for name, texts := range sent.Values {
		at, isCell := strings.CutPrefix(name, cellPart)
		line, field, _ := strings.Cut(at, ":")
		number, err := strconv.Atoi(line)
		_, known := orderfile.FindField(field)
		leftOut := slices.Contains(sent.Values[leaveField], line) // which goes before a number that was typed with it
		text, isTyped := typed(texts)
		if !isCell || err != nil || !known || leftOut || !isTyped || !file.HasLine(number) ||
			len(d.Corrections) >= maxCorrections {
			continue
		}
		if text != shown[orderfile.Cell{Line: number, Field: field}] {
			d.Correct(number, field, text)
		}
	}
	takeLeftOut(d, file, sent)
	return nil
}

// maxTyped is how many characters a default or a cell may have.
const maxTyped = 1_000

// typed returns what was typed into a field, unless it was not sent or is longer than the field takes.
func typed(texts []string) (text string, ok bool) {
	if len(texts) == 0 {
		return "", false
	}
	text = strings.TrimSpace(texts[0])
	return text, utf8.RuneCountInString(text) <= maxTyped
}

// maxCorrections is how many cells of a file can be corrected.
const maxCorrections = 10_000

// The lines of what the page has shown with a tick for leaving it out: of what is left out already, and of what has
// faults.
const (
	shownField  = "_shown"
	faultyField = "_faulty"
)

// takeLeftOut takes the ticks of what is left out. What the page did not show stays as it was.
func takeLeftOut(d *saved.Draft, file *orderfile.File, sent *page.Form) {
	for _, text := range sent.Values[shownField] {
		if line, err := strconv.Atoi(text); err == nil && file.HasLine(line) {
			ticked := slices.Contains(sent.Values[leaveField], text)
			d.LeaveOut, d.Include = marked(d.LeaveOut, line, ticked), marked(d.Include, line, !ticked)
		}
	}
	for _, text := range sent.Values[faultyField] { // correcting an order that exists does not include it
		if line, err := strconv.Atoi(text); err == nil && file.HasLine(line) {
			ticked := slices.Contains(sent.Values[leaveField], text)
			d.LeaveOut = marked(d.LeaveOut, line, ticked)
			if ticked {
				d.Include = marked(d.Include, line, false)
			}
		}
	}
}

// marked returns the lines with one of them, or without it.
func marked(lines []int, line int, with bool) []int {
	lines = slices.DeleteFunc(lines, func(other int) bool { return other == line })
	if with {
		lines = append(lines, line)
	}
	return lines
}
