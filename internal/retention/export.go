package retention

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/requestlog"
)

// exportPage is how many rows an export holds in memory. An order may take tens of
// kilobytes.
const exportPage = 100

// Export is an export of a partner's data that may be written.
type Export struct {
	store     Store
	partnerID string
}

// Export begins an export, which the audit log records. It refuses with not_found.
func (s *Service) Export(ctx context.Context, partnerID string) (*Export, error) {
	if _, err := findPartner(ctx, s.config.Store, partnerID); err != nil {
		return nil, err
	}
	entry, err := s.note(ctx, audit.ActionPartnerExported, partnerID, nil)
	if err != nil {
		return nil, err
	}
	if err := s.config.Store.Write(ctx, func(tx Writer) error { return tx.AddAudit(ctx, entry) }); err != nil {
		return nil, err
	}
	return &Export{s.config.Store, partnerID}, nil
}

// Write writes all that is stored for the partner as JSON Lines, one
// {"type": …, "record": …} for each row, without secrets and the hashes of passwords.
// Each page is read in a view of its own, so a row that changes while the export
// runs is written as it was before or after the change, but never in part.
func (x *Export) Write(ctx context.Context, to io.Writer) error {
	e := &export{store: x.store, partnerID: x.partnerID, to: to}
	for _, part := range []func(context.Context) error{
		e.account, e.products, e.levels, e.movements, e.orders, e.events, e.entries, e.statements, e.requests,
	} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// export is one export under way.
type export struct {
	store     Store
	partnerID string
	to        io.Writer
}

// line writes one record. Line breaks in it can only be white space of metadata,
// since strings in JSON have none; they are replaced by spaces.
func (e *export) line(kind string, content []byte) error {
	var w strictjson.Writer
	w.Object("")
	w.Text("type", kind)
	w.Raw("record", content)
	w.EndObject()
	for i, c := range w.Buffer {
		if c == '\n' || c == '\r' {
			w.Buffer[i] = ' '
		}
	}
	_, err := e.to.Write(append(w.Buffer, '\n'))
	return err
}

// value writes one record as JSON.
func (e *export) value(kind string, value any) error {
	content, err := strictjson.Marshal(value)
	if err != nil {
		return err
	}
	return e.line(kind, content)
}

// account writes the partner, its people, its API keys and its endpoints.
func (e *export) account(ctx context.Context) error {
	var account *Partner
	var users []User
	var identities []Identity
	var keys []APIKey
	var endpoints []*Endpoint
	var kept []SavedEntry
	err := e.store.Read(ctx, func(tx Reader) (err error) {
		if account, err = tx.Partner(ctx, e.partnerID); err == nil {
			users, err = tx.Users(ctx, e.partnerID)
		}
		if err == nil {
			identities, err = tx.Identities(ctx, e.partnerID)
		}
		if err == nil {
			keys, err = tx.APIKeys(ctx, e.partnerID)
		}
		if err == nil {
			endpoints, err = tx.Endpoints(ctx, e.partnerID)
		}
		if err == nil {
			kept, err = tx.SavedEntries(ctx, e.partnerID)
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case account == nil:
		return refusal.NotFound("partner " + e.partnerID)
	}
	if err := e.value("partner", account); err != nil {
		return err
	}
	return errors.Join(values(e, "user", users), values(e, "user_identity", identities), values(e, "api_key", keys),
		values(e, "saved_entry", kept), values(e, "webhook_endpoint", endpoints))
}

// values writes a record for each of the values.
func values[T any](e *export, kind string, all []T) error {
	for _, one := range all {
		if err := e.value(kind, one); err != nil {
			return err
		}
	}
	return nil
}

// rows calls write for every row of a list, which read reads page by page: the rows
// after the given one, which is zero for the first page.
func rows[T any](
	ctx context.Context, e *export, read func(tx Reader, last *T) ([]T, error), write func(*T) error,
) error {
	return pages(func(last T) (page []T, err error) {
		err = e.store.Read(ctx, func(tx Reader) error {
			page, err = read(tx, &last)
			return err
		})
		return page, err
	}, func(page []T) error {
		for i := range page {
			if err := write(&page[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

type exportedProduct struct {
	ProductID  int64                  `json:"product_id"`
	Name       string                 `json:"name"`
	Quantity   int64                  `json:"quantity"`
	StockMin   int64                  `json:"stock_min"`
	StockMax   int64                  `json:"stock_max"`
	PriceCents int64                  `json:"price_cents"`
	Barcode    string                 `json:"barcode"`
	SKU        string                 `json:"sku"`
	Status     delivery.ProductStatus `json:"status"`
}

func (e *export) products(ctx context.Context) error {
	return rows(ctx, e, func(tx Reader, last *delivery.Product) ([]delivery.Product, error) {
		return tx.Products(ctx, e.partnerID, last.ProductID, exportPage)
	}, func(p *delivery.Product) error { return e.value("product", exportedProduct(*p)) })
}

type exportedLevel struct {
	ProductID int64  `json:"product_id"`
	Location  string `json:"location"`
	Quantity  int64  `json:"quantity"`
}

func (e *export) levels(ctx context.Context) error {
	return rows(ctx, e, func(tx Reader, last *delivery.Level) ([]delivery.Level, error) {
		return tx.Levels(ctx, e.partnerID, *last, exportPage)
	}, func(l *delivery.Level) error { return e.value("stock_level", exportedLevel(*l)) })
}

func (e *export) movements(ctx context.Context) error {
	return rows(ctx, e, func(tx Reader, last *delivery.Movement) ([]delivery.Movement, error) {
		return tx.Movements(ctx, e.partnerID, last.MovementID, exportPage)
	}, func(m *delivery.Movement) error {
		var w strictjson.Writer
		w.Object("")
		w.Integer("movement_id", m.MovementID)
		w.Text("type", string(m.Type))
		w.Integer("quantity", m.Quantity)
		w.Integer("product_id", m.ProductID)
		w.Text("location", m.Location)
		w.Text("order_id", m.OrderID)
		w.Text("notes", m.Notes)
		w.Time("created_at", m.At)
		w.EndObject()
		return e.line("movement", w.Buffer)
	})
}

// ordersAfter returns the page of orders after the given one, or the first page if
// that is nil.
func ordersAfter(ctx context.Context, tx Reader, partnerID string, last *delivery.Order) ([]*delivery.Order, error) {
	after := ""
	if last != nil {
		after = last.OrderID
	}
	return tx.Orders(ctx, partnerID, after, exportPage)
}

func (e *export) orders(ctx context.Context) error {
	return rows(ctx, e, func(tx Reader, last **delivery.Order) ([]*delivery.Order, error) {
		return ordersAfter(ctx, tx, e.partnerID, *last)
	}, func(o **delivery.Order) error { return e.order(*o) })
}

// order writes an order; of one that cannot be read, only that and its id.
func (e *export) order(o *delivery.Order) error {
	if o.Damage == nil {
		return e.line("order", record.EncodeCurrent(o))
	}
	return e.value("order", struct {
		OrderID    string `json:"order_id"`
		Unreadable bool   `json:"unreadable"`
	}{o.OrderID, true})
}

func (e *export) events(ctx context.Context) error {
	return rows(ctx, e, func(tx Reader, last **Event) ([]*Event, error) {
		after := outbox.EventKey{PartnerID: e.partnerID}
		if *last != nil {
			after = outbox.KeyOf((*last).Event)
		}
		return tx.Events(ctx, after, exportPage)
	}, func(event **Event) error { return e.event(*event) })
}

func (e *export) event(event *Event) error {
	facts := []byte("null")
	if !event.Damaged {
		encoded, err := strictjson.Marshal(event.Facts)
		if err != nil {
			return err
		}
		facts = encoded
	}
	var w strictjson.Writer
	w.Object("")
	w.Text("event_id", event.EventID)
	w.Text("type", string(event.Type))
	w.Text("order_id", event.OrderID)
	w.Integer("sequence", event.Sequence)
	w.Time("created_at", event.CreatedAt)
	w.Raw("facts", bytes.TrimSpace(facts))
	w.Text("state", event.State)
	if len(event.Attempts) > 0 {
		w.Raw("attempts", event.Attempts)
	}
	if len(event.Deliveries) > 0 {
		w.List("deliveries")
		for _, one := range event.Deliveries {
			w.Object("")
			w.Text("endpoint_id", one.EndpointID)
			w.Text("state", one.State)
			if len(one.Attempts) > 0 {
				w.Raw("attempts", one.Attempts)
			}
			w.EndObject()
		}
		w.EndList()
	}
	w.EndObject()
	return e.line("event", w.Buffer)
}

type exportedEntry struct {
	EntryID        string         `json:"entry_id"`
	Day            date.Day       `json:"day"`
	At             time.Time      `json:"at"`
	RecordedAt     time.Time      `json:"recorded_at"`
	Act            money.Act      `json:"act"`
	OrderID        string         `json:"order_id,omitzero"`
	PartnerOrderID string         `json:"partner_order_id,omitzero"`
	Notes          string         `json:"notes,omitzero"`
	Lines          []exportedLine `json:"lines"`
}

type exportedLine struct {
	Account     money.Account     `json:"account"`
	AmountCents int64             `json:"amount_cents"`
	Currency    delivery.Currency `json:"currency"`
}

// entries writes what the partner was charged. Who acted, and which courier had cash, is the service's own.
func (e *export) entries(ctx context.Context) error {
	return rows(ctx, e, func(tx Reader, last **money.Entry) ([]*money.Entry, error) {
		return tx.JournalEntries(ctx, e.partnerID, *last, exportPage)
	}, func(found **money.Entry) error {
		entry := *found
		exported := exportedEntry{
			EntryID: entry.EntryID, Day: entry.Day, At: entry.At, RecordedAt: entry.RecordedAt, Act: entry.Act,
			OrderID: entry.OrderID, PartnerOrderID: entry.PartnerOrderID, Notes: entry.Notes,
		}
		for _, line := range entry.Lines {
			exported.Lines = append(exported.Lines, exportedLine{line.Account, line.Cents, line.Currency})
		}
		return e.value("journal_entry", exported)
	})
}

// statementPage is how many statements are read at a time. Each may have megabytes.
const statementPage = 2

// statements writes the statements of the partner.
func (e *export) statements(ctx context.Context) error {
	return rows(ctx, e, func(tx Reader, last *Statement) ([]Statement, error) {
		return tx.Statements(ctx, e.partnerID, last.Number, statementPage)
	}, func(s *Statement) error { return e.line("statement", s.Document) })
}

// requestPage is how many segments of the request log are read at a time. Each may hold
// many entries.
const requestPage = 20

type exportedRequest struct {
	RequestID   string    `json:"request_id"`
	At          time.Time `json:"at"`
	Method      string    `json:"method"`
	Path        string    `json:"path"`
	Status      int       `json:"status"`
	Code        string    `json:"code,omitzero"`
	DurationMS  int64     `json:"duration_ms"`
	KeyID       string    `json:"key_id"`
	OrderID     string    `json:"order_id,omitzero"`
	RequestBody string    `json:"request_body,omitzero"` // of a refused request, redacted
}

// requests writes the request log. Segments that cannot be read are left out.
func (e *export) requests(ctx context.Context) error {
	return rows(ctx, e, func(tx Reader, last **requestlog.Segment) ([]*requestlog.Segment, error) {
		after := ""
		if *last != nil {
			after = (*last).SegmentID
		}
		return tx.RequestSegments(ctx, e.partnerID, after, requestPage)
	}, func(segment **requestlog.Segment) error {
		logged, _ := (*segment).Entries()
		for _, r := range logged {
			if err := e.value("request", exportedRequest{
				RequestID: r.RequestID, At: r.At, Method: r.Method, Path: r.Path, Status: r.Status, Code: r.Code,
				DurationMS: r.Took.Milliseconds(), KeyID: r.KeyID, OrderID: r.OrderID, RequestBody: string(r.Body),
			}); err != nil {
				return err
			}
		}
		return nil
	})
}
