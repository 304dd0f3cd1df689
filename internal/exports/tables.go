package exports

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/csvfile"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/record"
)

// table is how rows of a source are written.
type table struct {
	source Source
	files  []layout
	// rows returns the rows with such keys as each of the files has them.
	rows func(ctx context.Context, tx Reader, keys []RowKey) ([][]row, error)
}

// layout is a kind of files and its columns in CSV.
type layout struct {
	kind    Kind
	columns []string
}

// tables returns how rows are written, in the order in which a manifest lists the files.
func (s *Service) tables() []table {
	edits := append([]string{"event_id", "recorded_at"}, s.orderColumns()...)
	return []table{
		{SourceOrders, []layout{{KindOrders, s.orderColumns()}}, s.orders},
		{SourceEvents, []layout{{KindOrderEdits, edits}, {KindEvents, s.with(eventColumns, eventTexts)}}, s.events},
		{SourceMovements, []layout{{KindMovements, s.with(movementColumns, []string{"notes"})}}, s.movements},
		{SourceJournal, []layout{{KindJournal, s.config.Entries.Columns}}, s.entries},
	}
}

// with returns columns, and those of persons behind them if the files have them.
func (s *Service) with(columns, personal []string) []string {
	if !s.config.Personal {
		return columns
	}
	return slices.Concat(columns, personal)
}

// moment returns a time as files have it; empty for none.
func moment(at time.Time) csvfile.Value {
	if at.IsZero() {
		return csvfile.Plain("")
	}
	return csvfile.Plain(timestamp.Format(at))
}

// recorded returns when an event was recorded, which its id says.
func recorded(eventID string) time.Time {
	at, _ := identifier.UUIDTime(eventID)
	return at
}

// oneLine returns JSON without the line breaks that metadata may have between its members.
func oneLine(text []byte) []byte {
	for i, c := range text {
		if c == '\n' || c == '\r' {
			text[i] = ' '
		}
	}
	return text
}

// line returns a function that writes one line.
func line(values ...csvfile.Value) func(*csvfile.Writer) int64 {
	return func(w *csvfile.Writer) int64 {
		w.Row(values...)
		return 1
	}
}

// The columns of orders: an order as its creation, or an edit, has left it. What moves have changed since is in events.
var (
	orderColumns = []string{
		"partner_id", "order_id", "partner_order_id", "created_at", "service_level",
		"pickup_city", "pickup_province", "pickup_postal_code", "pickup_start", "pickup_end",
		"dropoff_city", "dropoff_province", "dropoff_postal_code", "dropoff_start", "dropoff_end",
		"parcels", "weight_kg", "items", "cod", "cod_currency", "insurance", "insurance_currency",
		"rate", "currency", "estimated_delivery", "return_of",
	}
	orderPersons = []string{
		"reference", "pickup_name", "pickup_phone", "pickup_email", "pickup_line1", "pickup_line2",
		"dropoff_name", "dropoff_phone", "dropoff_email", "dropoff_line1", "dropoff_line2", "instructions",
	}
)

func (s *Service) orderColumns() []string { return s.with(orderColumns, orderPersons) }

func (s *Service) orders(ctx context.Context, tx Reader, keys []RowKey) ([][]row, error) {
	found, err := tx.Orders(ctx, keys)
	rows := make([]row, len(found))
	for i, o := range found {
		w := strictjson.Writer{}
		w.Object("")
		w.Text("partner_id", o.PartnerID)
		rows[i] = row{o.OrderID, s.orderJSON(w, o), line(s.orderCells(o)...)}
	}
	return [][]row{rows}, err
}

// events returns the orders that events report an edit of, and the events.
func (s *Service) events(ctx context.Context, tx Reader, keys []RowKey) ([][]row, error) {
	found, err := tx.Events(ctx, keys)
	if err != nil {
		return nil, err
	}
	edits, err := s.editRows(ctx, tx, found)
	if err != nil {
		return nil, err
	}
	rows, err := s.eventRows(found)
	return [][]row{edits, rows}, err
}

// editRows returns an order for each event that reports an edit: as it is when the file is written, with all edits
// until then.
func (s *Service) editRows(ctx context.Context, tx Reader, events []Event) (rows []row, err error) {
	var edits []Event
	var edited []RowKey
	for _, e := range events {
		if e.Type == delivery.EventOrderUpdated {
			edits, edited = append(edits, e), append(edited, RowKey{e.PartnerID, e.OrderID})
		}
	}
	if len(edits) == 0 {
		return nil, nil
	}
	found, err := tx.Orders(ctx, edited)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]*delivery.Order, len(found))
	for _, o := range found {
		byID[o.OrderID] = o
	}
	for _, e := range edits {
		o := byID[e.OrderID]
		if o == nil { // was removed since
			continue
		}
		at := recorded(e.EventID)
		w := strictjson.Writer{}
		w.Object("")
		w.Text("event_id", e.EventID)
		w.Time("recorded_at", at)
		w.Text("partner_id", e.PartnerID)
		cells := append([]csvfile.Value{csvfile.Plain(e.EventID), moment(at)}, s.orderCells(o)...)
		rows = append(rows, row{e.EventID, s.orderJSON(w, o), line(cells...)})
	}
	return rows, nil
}

// orderJSON adds the record of an order to an object that was begun. Of one that cannot be read, it adds only that and
// its id.
func (s *Service) orderJSON(w strictjson.Writer, o *delivery.Order) []byte {
	if o.Damage != nil {
		w.Text("order_id", o.OrderID)
		w.Flag("unreadable", true)
		w.EndObject()
		return w.Buffer
	}
	if !s.config.Personal {
		record.ErasePersons(o)
	}
	members := record.EncodeCreated(o)[1:] // without the brace in front
	return oneLine(append(append(w.Buffer, ','), members...))
}

func (s *Service) orderCells(o *delivery.Order) []csvfile.Value {
	cells := []csvfile.Value{
		csvfile.Plain(o.PartnerID), csvfile.Plain(o.OrderID), csvfile.Words(o.PartnerOrderID), moment(o.CreatedAt),
		csvfile.Plain(string(o.ServiceLevel)),
	}
	for _, end := range []*delivery.Contact{&o.Pickup, &o.Dropoff} {
		cells = append(cells, csvfile.Words(end.Address.City), csvfile.Plain(end.Address.Province),
			csvfile.Words(end.Address.PostalCode), moment(end.Window.Start), moment(end.Window.End))
	}
	weight, items, returnOf := 0.0, int64(0), ""
	for i := range o.Parcels {
		weight += o.Parcels[i].WeightKg
	}
	for _, item := range o.Items {
		items += item.Quantity
	}
	if o.Course.Origin != nil {
		returnOf = o.Course.Origin.OrderID
	}
	cod, codCurrency := amount(o.COD)
	insurance, insuranceCurrency := amount(o.Insurance)
	cells = append(cells, csvfile.Whole(int64(len(o.Parcels))),
		csvfile.Decimal(strconv.FormatFloat(weight, 'f', 2, 64)), csvfile.Whole(items), cod, codCurrency, insurance,
		insuranceCurrency, csvfile.Dollars(o.RateCents), csvfile.Plain(string(o.Currency)), moment(o.Promised),
		csvfile.Plain(returnOf))
	if !s.config.Personal {
		return cells
	}
	cells = append(cells, csvfile.Words(o.Reference))
	for _, end := range []*delivery.Contact{&o.Pickup, &o.Dropoff} {
		cells = append(cells, csvfile.Words(end.Name), csvfile.Code(end.Phone), csvfile.Words(end.Email),
			csvfile.Words(end.Address.Line1), csvfile.Words(end.Address.Line2))
	}
	return append(cells, csvfile.Words(o.Instructions))
}

func amount(m *delivery.Money) (cents, currency csvfile.Value) {
	if m == nil {
		return csvfile.Plain(""), csvfile.Plain("")
	}
	return csvfile.Dollars(m.AmountCents), csvfile.Plain(string(m.Currency))
}

var (
	eventColumns = []string{
		"event_id", "partner_id", "type", "order_id", "partner_order_id", "sequence", "created_at", "recorded_at", "status",
		"at", "eta", "next_attempt", "cancelled_by", "version", "fields",
		"product_id", "sku", "total", "movement_id", "statement_id", "period",
	}
	eventTexts = []string{"failure_reason", "reason", "answer", "courier_name", "courier_phone"}
)

// eventLine is an event in JSON. Its facts are what the webhook is made from.
type eventLine struct {
	EventID    string             `json:"event_id"`
	PartnerID  string             `json:"partner_id"`
	Type       delivery.EventType `json:"type"`
	OrderID    *string            `json:"order_id"` // null for an event that is about no order
	Sequence   int64              `json:"sequence"`
	CreatedAt  time.Time          `json:"created_at"` // when it happened
	RecordedAt time.Time          `json:"recorded_at"`
	Facts      *factsLine         `json:"facts"` // null if they cannot be read
}

// factsLine holds the facts of an event without those that the event has not: an event that is about no order has
// no status and no times of one.
type factsLine struct {
	PartnerOrderID string          `json:"partner_order_id,omitzero"`
	Status         delivery.Status `json:"status,omitzero"`
	At             time.Time       `json:"at,omitzero"`
	ETA            time.Time       `json:"eta,omitzero"`
	*delivery.EventFacts
}

func factsLineOf(f *delivery.EventFacts) *factsLine {
	return &factsLine{f.PartnerOrderID, f.Status, f.At, f.ETA, f}
}

func (s *Service) eventRows(found []Event) ([]row, error) {
	rows := make([]row, len(found))
	for i, e := range found {
		facts := &e.Facts
		if !s.config.Personal {
			record.EraseFacts(facts)
			facts.Courier = nil
		}
		written := eventLine{
			EventID: e.EventID, PartnerID: e.PartnerID, Type: e.Type, OrderID: strictjson.OrNull(e.About()),
			Sequence: e.Sequence, CreatedAt: e.CreatedAt, RecordedAt: recorded(e.EventID), Facts: factsLineOf(facts),
		}
		if e.Damaged {
			written.Facts = nil
		}
		text, err := strictjson.Marshal(written)
		if err != nil {
			return nil, err
		}
		rows[i] = row{e.EventID, text, line(s.eventCells(e.Event)...)}
	}
	return rows, nil
}

func (s *Service) eventCells(e *delivery.Event) []csvfile.Value {
	f, next := &e.Facts, time.Time{}
	if f.NextAttempt != nil {
		next = *f.NextAttempt
	}
	version := csvfile.Plain("")
	if f.Version != 0 {
		version = csvfile.Whole(f.Version)
	}
	cells := []csvfile.Value{ //nolint:prealloc // most files have no more
		csvfile.Plain(e.EventID), csvfile.Plain(e.PartnerID), csvfile.Plain(string(e.Type)), csvfile.Plain(e.About()),
		csvfile.Words(f.PartnerOrderID), csvfile.Whole(e.Sequence), moment(e.CreatedAt), moment(recorded(e.EventID)),
		csvfile.Plain(string(f.Status)), moment(f.At), moment(f.ETA), moment(next), csvfile.Plain(string(f.CancelledBy)),
		version, csvfile.Plain(strings.Join(f.Fields.Fields(), " ")),
	}
	cells = append(cells, subjectCells(f)...)
	if !s.config.Personal {
		return cells
	}
	courier := f.Courier
	if courier == nil {
		courier = &delivery.Courier{}
	}
	return append(cells, csvfile.Words(f.FailureReason), csvfile.Words(f.Reason), csvfile.Words(f.Answer),
		csvfile.Words(courier.Name), csvfile.Code(courier.Phone))
}

// subjectCells returns the cells that name the product or the statement that an event is about; empty ones for others.
func subjectCells(f *delivery.EventFacts) []csvfile.Value {
	none := csvfile.Plain("")
	cells := []csvfile.Value{none, none, none, none, none, none}
	if of := f.Stock; of != nil {
		cells[0], cells[1], cells[2] = csvfile.Whole(of.ProductID), csvfile.Words(of.SKU), csvfile.Whole(of.Total)
		if of.MovementID != 0 {
			cells[3] = csvfile.Whole(of.MovementID)
		}
	}
	if of := f.Statement; of != nil {
		cells[4], cells[5] = csvfile.Plain(of.StatementID), csvfile.Plain(of.Period)
	}
	return cells
}

var movementColumns = []string{
	"partner_id", "movement_id", "date", "type", "quantity", "change", "product_id", "location", "order_id",
}

// movementLine is a movement in JSON.
type movementLine struct {
	PartnerID  string                `json:"partner_id"`
	MovementID int64                 `json:"movement_id"`
	Type       delivery.MovementType `json:"type"`
	Quantity   int64                 `json:"quantity"`
	Change     int64                 `json:"change"` // what it added to the stock
	ProductID  int64                 `json:"product_id"`
	Location   string                `json:"location"`
	OrderID    *string               `json:"order_id"` // null if no order caused it
	Date       time.Time             `json:"date"`
	Notes      string                `json:"notes,omitzero"`
}

func (s *Service) movements(ctx context.Context, tx Reader, keys []RowKey) ([][]row, error) {
	found, err := tx.Movements(ctx, keys)
	rows := make([]row, len(found))
	for i, m := range found {
		written := movementLine{
			PartnerID: m.PartnerID, MovementID: m.MovementID, Type: m.Type, Quantity: m.Quantity, Change: m.Change(),
			ProductID: m.ProductID, Location: m.Location, OrderID: strictjson.OrNull(m.OrderID), Date: m.At,
		}
		cells := []csvfile.Value{
			csvfile.Plain(m.PartnerID), csvfile.Whole(m.MovementID), moment(m.At), csvfile.Plain(string(m.Type)),
			csvfile.Whole(m.Quantity), csvfile.Whole(m.Change()), csvfile.Whole(m.ProductID), csvfile.Words(m.Location),
			csvfile.Plain(m.OrderID),
		}
		if s.config.Personal {
			written.Notes = m.Notes
			cells = append(cells, csvfile.Words(m.Notes))
		}
		text, failed := strictjson.Marshal(written)
		if failed != nil {
			return nil, failed
		}
		rows[i] = row{strconv.FormatInt(m.MovementID, 10), text, line(cells...)}
	}
	return [][]row{rows}, err
}

// entryLine is an entry of the journal in JSON.
type entryLine struct {
	EntryID        string       `json:"entry_id"`
	PartnerID      string       `json:"partner_id"`
	Day            date.Day     `json:"day"` // of the act
	At             time.Time    `json:"at"`
	RecordedAt     time.Time    `json:"recorded_at"`
	Act            money.Act    `json:"act"`
	OrderID        *string      `json:"order_id"` // null for an act that is about no order
	PartnerOrderID *string      `json:"partner_order_id"`
	ActorID        *string      `json:"actor_id"` // null for what the service does by itself
	Notes          string       `json:"notes"`
	Lines          []amountLine `json:"lines"`
}

type amountLine struct {
	Account     money.Account     `json:"account"`
	CourierID   *string           `json:"courier_id"` // of cash; null on other accounts
	AmountCents int64             `json:"amount_cents"`
	Currency    delivery.Currency `json:"currency"`
}

func (s *Service) entries(ctx context.Context, tx Reader, keys []RowKey) ([][]row, error) {
	found, err := tx.Entries(ctx, keys)
	rows := make([]row, len(found))
	for i, e := range found {
		if !s.config.Personal {
			e.Notes = ""
		}
		written := entryLine{
			EntryID: e.EntryID, PartnerID: e.PartnerID, Day: e.Day, At: e.At, RecordedAt: e.RecordedAt, Act: e.Act,
			OrderID: strictjson.OrNull(e.OrderID), PartnerOrderID: strictjson.OrNull(e.PartnerOrderID),
			ActorID: strictjson.OrNull(e.ActorID), Notes: e.Notes, Lines: make([]amountLine, len(e.Lines)),
		}
		for j, l := range e.Lines {
			written.Lines[j] = amountLine{l.Account, strictjson.OrNull(l.CourierID), l.Cents, l.Currency}
		}
		text, failed := strictjson.Marshal(written)
		if failed != nil {
			return nil, failed
		}
		rows[i] = row{e.EntryID, text, func(w *csvfile.Writer) int64 {
			s.config.Entries.Write(w, e)
			return int64(len(e.Lines))
		}}
	}
	return [][]row{rows}, err
}
