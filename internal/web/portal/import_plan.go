package portal

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/orderfile"
	"github.com/dropyard/dropyard/internal/saved"
	"github.com/dropyard/dropyard/internal/web/page"
)

// importPlan is what a file would do now.
type importPlan struct {
	file    *orderfile.File
	Ready   []*plannedOrder
	Faulty  []*plannedOrder // in the order of their first lines
	LeftOut []*plannedOrder
	// Stray are lines that belong to no order that could be created. Nothing is created before they are corrected or
	// left out, because they may be parts of the orders that are ready.
	Stray []*plannedOrder
	// missing holds the required fields for which the file has no column and the form no default.
	missing map[string]bool
	// defaultFaults are what is wrong with the defaults that orders need, by field, in the reader's language.
	defaultFaults map[string]string
	texts         map[orderfile.Cell]string
	cents         int64
}

// plannedOrder is an order of a file, or lines that cannot be one.
type plannedOrder struct {
	*orderfile.Order // nil for a line that belongs to no order
	line             int
	body             []byte
	wanted           order.Wanted
	dry              order.Dry
	cells            []cellFault
	others           []string // what is wrong besides cells, in the reader's language
	exists           bool     // the account has an order with the number, such as from an earlier import of the file
}

// cellFault is what is wrong with a cell, in the reader's language.
type cellFault struct {
	orderfile.Cell
	text string
}

// orderNumber is the field by which lines are orders.
const orderNumber = "partner_order_id"

// planImport finds out what the file of a draft would do now.
func (s *sheet) planImport(draft *saved.Draft) (*importPlan, error) {
	file, err := orderfile.Read(draft.File)
	if err != nil {
		return nil, err // cannot happen: it was read when the draft was made
	}
	result := file.Orders(s.importOptions(draft))
	p := &importPlan{file: file, missing: map[string]bool{}, defaultFaults: map[string]string{}, texts: result.Texts}
	byLine := s.gather(p, draft, result)
	if !slices.Contains(draft.Columns, orderNumber) {
		p.missing[orderNumber] = true
	}
	s.addFileFaults(p, byLine, draft, result.Faults)
	for _, one := range slices.Clone(p.Ready) {
		if err := s.validateImported(p, one, draft); err != nil {
			return nil, err
		}
	}
	p.sort()
	return p, nil
}

// importOptions says how the file of a draft is read.
func (s *sheet) importOptions(draft *saved.Draft) orderfile.Options {
	corrections := map[orderfile.Cell]string{}
	for _, c := range draft.Corrections {
		corrections[orderfile.Cell{Line: c.Line, Field: c.Field}] = c.Text
	}
	defaults := map[string]string{"dropoff.email": s.Member.Partner.Email}
	for field, text := range draft.Defaults {
		defaults[field] = text
	}
	return orderfile.Options{
		Mapping: draft.Columns, Defaults: defaults, Corrections: corrections, Clock: s.pages.config.Calendar.ClockAt,
	}
}

// gather puts the orders of a file that are still to be created into the plan, and returns what each line belongs to.
func (s *sheet) gather(p *importPlan, draft *saved.Draft, result *orderfile.Result) map[int]*plannedOrder {
	created := map[int]bool{} // lines
	for _, c := range draft.Created {
		created[c.Line] = true
		for _, line := range c.Lines {
			created[line] = true
		}
	}
	byLine := map[int]*plannedOrder{}
	for _, o := range result.Orders {
		one := &plannedOrder{Order: o, line: o.Line}
		for _, line := range o.Lines {
			byLine[line] = one
		}
		switch {
		case slices.ContainsFunc(o.Lines, func(line int) bool { return created[line] }):
			for _, line := range o.Lines {
				if !created[line] {
					byLine[line] = s.tooLate(p.addStray(line, draft), o.Reference)
				}
			}
		case slices.Contains(draft.LeaveOut, o.Line) || o.Closed != nil && !slices.Contains(draft.Include, o.Line):
			p.LeftOut = append(p.LeftOut, one)
		case len(p.Ready) >= order.MaxBatch: // these follow when the others are created
		default:
			p.Ready = append(p.Ready, one)
		}
	}
	return byLine
}

// addStray adds a line that belongs to no order.
func (p *importPlan) addStray(line int, draft *saved.Draft) *plannedOrder {
	one := &plannedOrder{line: line}
	if slices.Contains(draft.LeaveOut, line) {
		p.LeftOut = append(p.LeftOut, one)
	} else {
		p.Stray = append(p.Stray, one)
	}
	return one
}

// tooLate adds the fault of a line whose order was created without it.
func (s *sheet) tooLate(one *plannedOrder, reference string) *plannedOrder {
	one.blame(orderfile.Cell{Line: one.line, Field: orderNumber}, s.Text("import.too_late", "order", reference))
	return one
}

// addFileFaults adds what is wrong with cells and lines of the file.
func (s *sheet) addFileFaults(
	p *importPlan, byLine map[int]*plannedOrder, draft *saved.Draft, faults []orderfile.Fault,
) {
	for _, fault := range faults {
		if fault.Code == orderfile.NoReference && p.missing[orderNumber] {
			continue // of every line
		}
		one := byLine[fault.Line]
		if one == nil {
			one = p.addStray(fault.Line, draft)
			byLine[fault.Line] = one
		}
		switch text := s.fileFault(fault); {
		case fault.OfDefault:
			if slices.Contains(p.Ready, one) { // other orders need no default now
				p.defaultFaults[fault.Field] = text
				s.addEmpty(p, one, draft, fault.Cell)
			}
		case fault.Field == "":
			one.others = append(one.others, text)
		default:
			one.blame(fault.Cell, text)
		}
	}
}

// fileFault returns what is wrong with a cell or a line of a file, in the reader's language.
func (s *sheet) fileFault(fault orderfile.Fault) string {
	return s.Text("import.fault."+string(fault.Code), s.faultArguments(fault)...)
}

// faultArguments returns the arguments of the phrase of a fault.
func (s *sheet) faultArguments(fault orderfile.Fault) []any {
	arguments := make([]any, 0, 2+2*len(fault.Arguments))
	arguments = append(arguments, "text", form.Shorten(fault.Text, 100))
	for i, value := range fault.Arguments {
		text := fmt.Sprint(value)
		if n, ok := value.(int); ok {
			text = s.Language.Number(n)
		}
		arguments = append(arguments, []string{"a", "b"}[i], text)
	}
	return arguments
}

// validateImported adds what creating an order would be refused for.
func (s *sheet) validateImported(p *importPlan, one *plannedOrder, draft *saved.Draft) error {
	if one.Order == nil || len(one.cells) > 0 {
		return nil
	}
	err := s.readImported(one)
	if err == nil {
		err = one.wanted.Problems().Err()
	}
	if err == nil {
		one.dry, err = s.pages.config.Orders.Validate(s.Context(), s.Account, one.wanted)
	}
	var refused *refusal.Error
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &refused):
		return err
	}
	problems := form.ProblemsOf(err)
	for _, problem := range problems {
		s.addProblem(p, one, draft, problem)
	}
	switch {
	case problems != nil:
	case refused.Code == refusal.CodeConflict && !slices.Contains(draft.Include, one.line):
		one.exists = true
	case refused.Code == refusal.CodeConflict:
		one.blame(orderfile.Cell{Line: one.line, Field: orderNumber}, s.Text("neworder.fault.taken"))
	default:
		one.others = append(one.others, s.Language.Refusal(refused.Code))
	}
	return nil
}

// readImported reads an order as the interface does. One without a window of its dropoff gets the day on which it is
// estimated to arrive.
func (s *sheet) readImported(one *plannedOrder) error {
	if err := one.read(); err != nil || one.Text(dropoffWindow+".start")+one.Text(dropoffWindow+".end") != "" {
		return err
	}
	window, ok, err := s.estimatedWindow(one.wanted.Shipment)
	if err != nil || !ok {
		return err
	}
	one.SetWindow("dropoff", window)
	return one.read()
}

const dropoffWindow = "dropoff.time_window"

// read reads the request of an order. Its faults are in what is wanted.
func (one *plannedOrder) read() (err error) {
	if one.body, err = one.JSON(); err != nil {
		return err
	}
	root, err := strictjson.Parse(one.body)
	if err == nil {
		one.wanted, err = form.Decode(root, order.ReadWanted)
	}
	return err
}

// estimatedWindow returns the day on which a shipment is estimated to arrive, if that is known. A recipient at a place
// that is not served counts as being where the pickup is: that fault is found later.
func (s *sheet) estimatedWindow(shipment delivery.Shipment) (window delivery.Window, ok bool, err error) {
	for _, to := range []delivery.Contact{shipment.Dropoff, shipment.Pickup} {
		if to.Address.Province == "" || to.Address.PostalCode == "" || shipment.Pickup.Address.Province == "" {
			continue
		}
		shipment.Dropoff.Address = to.Address
		_, window, ok, err = s.pages.config.Orders.ProposeWindows(s.Context(), s.Account, shipment)
		if err != nil || ok {
			break
		}
	}
	return window, ok, err
}

// addProblem adds a fault of a member of an order.
func (s *sheet) addProblem(p *importPlan, one *plannedOrder, draft *saved.Draft, problem form.Problem) {
	cell := one.Cell(problem.Field)
	if problem.Value == nil || problem.Value == "" {
		s.addEmpty(p, one, draft, cell)
		return
	}
	one.blameMember(cell, page.FaultText(problem, s.Language))
}

// addEmpty adds that an order lacks a member. One that no order of the file has is missing.
func (s *sheet) addEmpty(p *importPlan, one *plannedOrder, draft *saved.Draft, cell orderfile.Cell) {
	fields := missingFields(cell.Field)
	if p.texts[cell] != "" ||
		slices.ContainsFunc(fields, func(field string) bool { return slices.Contains(draft.Columns, field) }) {
		one.blameMember(cell, s.Text("fault.required"))
		return
	}
	for _, field := range fields {
		p.missing[field] = true
	}
}

// blameMember adds what is wrong with a member to the cells of its fields.
func (one *plannedOrder) blameMember(member orderfile.Cell, text string) {
	for _, field := range missingFields(member.Field) {
		one.blame(orderfile.Cell{Line: member.Line, Field: field}, text)
	}
}

// blame adds what is wrong with a cell.
func (one *plannedOrder) blame(cell orderfile.Cell, text string) {
	one.cells = append(one.cells, cellFault{cell, text})
}

// missingFields returns the fields that are typed for a member of a request, which may be an object.
func missingFields(member string) (fields []string) {
	end, object, _ := strings.Cut(member, ".")
	switch {
	case member == "parcels":
		return orderfile.Parcel
	case member == "value_cents":
		return []string{"value"}
	case end != "pickup" && end != "dropoff" || slices.Contains(orderfile.Contact, object):
		return []string{member}
	}
	for _, name := range orderfile.Contact {
		if object == "" || strings.HasPrefix(name, object+".") {
			fields = append(fields, end+"."+name)
		}
	}
	if fields == nil { // a field that an order may lack
		return []string{member}
	}
	return fields
}

// sort moves the orders with faults from those that are ready, and adds up the price of the others. While a
// field is missing in the whole file, or a line belongs to no order, none is ready.
func (p *importPlan) sort() {
	all := p.Ready
	p.Ready = nil
	for _, one := range all {
		switch {
		case one.exists:
			p.LeftOut = append(p.LeftOut, one)
		case len(one.cells) > 0 || len(one.others) > 0:
			p.Faulty = append(p.Faulty, one)
		case len(p.missing) == 0 && len(p.Stray) == 0:
			p.Ready = append(p.Ready, one)
			p.cents += one.dry.RateCents
		}
	}
	for _, list := range [][]*plannedOrder{p.Faulty, p.Stray, p.LeftOut} {
		slices.SortStableFunc(list, func(a, b *plannedOrder) int { return a.line - b.line })
	}
}

// currency is that of the price.
func (p *importPlan) currency() delivery.Currency {
	if len(p.Ready) > 0 {
		return p.Ready[0].dry.Currency
	}
	return delivery.CAD
}
