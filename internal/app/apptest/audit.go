package apptest

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/store"
)

// law is a statement that is true of every database at every moment.
type law struct {
	law   string
	query string // selects rows that break the law
	// swept selects rows that break the part of the law that still holds after
	// retention has removed rows. It is empty if all of the law does.
	swept string
}

// laws are all laws. Their queries may read from changes, which has the change
// that every movement made to its level.
var laws = []law{
	{law: "a product's quantity is the sum of its levels", query: `
		SELECT p.partner_id, p.product_id, p.quantity FROM products p LEFT JOIN stock_levels l
		ON l.partner_id = p.partner_id AND l.product_id = p.product_id
		GROUP BY p.partner_id, p.product_id, p.quantity HAVING p.quantity != coalesce(sum(l.quantity), 0)`},
	{law: "a level is the sum of the movements at its location", query: `
		SELECT l.partner_id, l.product_id, l.location, l.quantity FROM stock_levels l LEFT JOIN changes c
		ON c.partner_id = l.partner_id AND c.product_id = l.product_id AND c.location = l.location
		GROUP BY l.partner_id, l.product_id, l.location, l.quantity HAVING l.quantity != coalesce(sum(c.change), 0)`},
	{law: "a product's quantity is the sum of its movements", query: `
		SELECT p.partner_id, p.product_id, p.quantity FROM products p LEFT JOIN changes c
		ON c.partner_id = p.partner_id AND c.product_id = p.product_id
		GROUP BY p.partner_id, p.product_id, p.quantity HAVING p.quantity != coalesce(sum(c.change), 0)`},
	{law: "no two products of a partner have the same sku", query: `
		SELECT partner_id, sku FROM products WHERE sku <> '' GROUP BY partner_id, sku HAVING count(*) > 1`},
	{law: "no level is below zero", query: "SELECT partner_id, product_id, location FROM stock_levels WHERE quantity < 0"},
	{law: "movements are numbered from 1 without a gap, but for the margin after a restore", query: `
		SELECT n.partner_id, n.last_movement FROM partner_counters n LEFT JOIN stock_movements m ON m.partner_id = n.partner_id
		GROUP BY n.partner_id, n.last_movement
		HAVING n.last_movement % ` + strconv.Itoa(store.MovementMargin) + ` != count(m.movement_id)
			OR n.last_movement < ` + strconv.Itoa(store.MovementMargin) +
		` AND n.last_movement != coalesce(max(m.movement_id), 0)`},
	{law: "movements name orders that exist", swept: `
		SELECT movement_id, order_id FROM stock_movements WHERE order_id != '' AND substr(order_id, 5, 8) != substr(partner_id, 5)`,
		query: `
		SELECT m.movement_id, m.order_id FROM stock_movements m LEFT JOIN orders o ON o.partner_id = m.partner_id AND o.order_id = m.order_id
		WHERE m.order_id != '' AND o.order_id IS NULL`},
	// A return order that was cancelled before its pickup is not in the course of the order that it was to bring back.
	{law: "every change of an order is in its history, but for what its course has", query: `
		SELECT o.order_id, o.version FROM orders o LEFT JOIN order_history h ON h.partner_id = o.partner_id AND h.order_id = o.order_id
		GROUP BY o.partner_id, o.order_id, o.version, o.course
		HAVING o.version - 1 != count(h.order_id) AND (o.version - 1 < count(h.order_id) OR o.course = '' AND NOT EXISTS (
			SELECT 1 FROM orders r WHERE r.partner_id = o.partner_id AND r.course LIKE '%"order_id":"' || o.order_id || '"%'))`},
	{law: "the last entry of the history is the order's status", query: `
		SELECT o.order_id, o.status FROM orders o
		JOIN (SELECT partner_id, order_id, max(version) AS version FROM order_history GROUP BY partner_id, order_id) l
		ON l.partner_id = o.partner_id AND l.order_id = o.order_id
		JOIN order_history h ON h.partner_id = o.partner_id AND h.order_id = o.order_id AND h.version = l.version WHERE o.status != h.status`},
	{law: "every order counts its events", swept: `
		SELECT o.order_id, o.events FROM orders o LEFT JOIN events e ON e.partner_id = o.partner_id AND e.order_id = o.order_id
		GROUP BY o.partner_id, o.order_id, o.events HAVING o.events < count(e.order_id)`, query: `
		SELECT o.order_id, o.events FROM orders o LEFT JOIN events e ON e.partner_id = o.partner_id AND e.order_id = o.order_id
		GROUP BY o.partner_id, o.order_id, o.events HAVING o.events != count(e.order_id)`},
	{law: "every order was made by one request", swept: `
		SELECT order_id FROM idempotency_keys WHERE ` + creating + ` GROUP BY partner_id, order_id HAVING count(*) > 1`,
		query: `
		SELECT o.order_id FROM orders o LEFT JOIN (
			SELECT partner_id, order_id, count(*) AS requests FROM idempotency_keys WHERE ` + creating +
			` GROUP BY partner_id, order_id) k
		ON k.partner_id = o.partner_id AND k.order_id = o.order_id WHERE coalesce(k.requests, 0) != 1`},
	{law: "every stored answer belongs to an order, except those of the warehouse", query: `
		SELECT k.order_id FROM idempotency_keys k LEFT JOIN orders o ON o.partner_id = k.partner_id AND o.order_id = k.order_id
		WHERE o.order_id IS NULL AND (k.order_id != '' OR k.answer = '' OR k.scope NOT LIKE 'POST /ops/v1/partners/%')`},
	{law: "every change and every event belongs to an order", query: `
		SELECT h.order_id FROM order_history h LEFT JOIN orders o ON o.partner_id = h.partner_id AND o.order_id = h.order_id WHERE o.order_id IS NULL
		UNION SELECT e.order_id FROM events e LEFT JOIN orders o ON o.partner_id = e.partner_id AND o.order_id = e.order_id
		WHERE o.order_id IS NULL AND e.type NOT IN ('statement.closed', 'stock.low', 'stock.changed')`},
	{law: "every event of stock is about a product that exists", query: `
		SELECT e.order_id FROM events e LEFT JOIN products p ON p.partner_id = e.partner_id AND e.order_id = 'stock_' || p.product_id
		WHERE e.type IN ('stock.low', 'stock.changed') AND p.product_id IS NULL`},
	{law: "every live order under way is on the board as it is", query: `
		SELECT o.order_id, o.status, o.version, b.status, b.version, b.courier_id FROM orders o
		LEFT JOIN open_orders b ON b.partner_id = o.partner_id AND b.order_id = o.order_id
		WHERE o.partner_id < 'par_g' AND o.status NOT IN ('delivered', 'cancelled') AND (b.order_id IS NULL OR b.status != o.status OR b.version != o.version
			OR b.updated_at != o.updated_at OR b.estimated_delivery != o.estimated_delivery OR b.partner_order_id != o.partner_order_id
			OR b.courier_id = '' AND o.courier != '' OR o.courier NOT LIKE '%' || b.courier_id || '%')`},
	{law: "no test order is on the board, in what couriers have delivered, or in the audit log", query: `
		SELECT order_id FROM open_orders WHERE partner_id >= 'par_g' UNION SELECT order_id FROM courier_deliveries WHERE partner_id >= 'par_g'
		UNION SELECT object_id FROM audit WHERE partner_id >= 'par_g'`},
	{law: "only orders under way are on the board", query: `
		SELECT b.order_id, b.status FROM open_orders b LEFT JOIN orders o ON o.partner_id = b.partner_id AND o.order_id = b.order_id
		WHERE o.order_id IS NULL OR o.status IN ('delivered', 'cancelled')`},
	{law: "the board counts failures", query: `
		SELECT b.order_id, b.failures FROM open_orders b
		LEFT JOIN order_history h ON h.partner_id = b.partner_id AND h.order_id = b.order_id AND h.status = 'failed'
		GROUP BY b.partner_id, b.order_id, b.failures HAVING b.failures != count(h.order_id)`},
	{law: "notes are about orders that exist", query: `
		SELECT n.note_id FROM order_notes n LEFT JOIN orders o ON o.partner_id = n.partner_id AND o.order_id = n.order_id WHERE o.order_id IS NULL`},
	{law: "scans are of orders that exist, and so are goods that come back", query: `
		SELECT s.scan_id FROM order_scans s LEFT JOIN orders o ON o.partner_id = s.partner_id AND o.order_id = s.order_id WHERE o.order_id IS NULL
		UNION SELECT r.order_id FROM order_returns r LEFT JOIN orders o ON o.partner_id = r.partner_id AND o.order_id = r.order_id
		WHERE o.order_id IS NULL OR o.status NOT IN ('cancelled', 'delivered') OR o.course NOT LIKE '%"return":{"state":"' || r.state || '"%'`},
	{law: "proofs and deliveries belong to orders that exist", query: `
		SELECT p.proof_id FROM order_proofs p LEFT JOIN orders o ON o.partner_id = p.partner_id AND o.order_id = p.order_id WHERE o.order_id IS NULL
		UNION SELECT d.order_id FROM courier_deliveries d LEFT JOIN orders o ON o.partner_id = d.partner_id AND o.order_id = d.order_id
		WHERE o.order_id IS NULL OR o.status != 'delivered' OR o.updated_at < d.delivered_at
			OR o.course = '' AND o.updated_at != d.delivered_at OR o.courier NOT LIKE '%' || d.courier_id || '%'`},
	{law: "a picture belongs to one proof, or is loose", query: `
		SELECT name FROM order_proofs GROUP BY name HAVING count(*) > 1
		UNION SELECT p.name FROM order_proofs p JOIN loose_pictures l ON l.partner_id = p.partner_id AND l.name = p.name`},
	{law: "the events of an order are numbered from 1 without a gap", swept: `
		SELECT order_id FROM events GROUP BY partner_id, order_id HAVING min(sequence) < 1`, query: `
		SELECT order_id FROM events GROUP BY partner_id, order_id HAVING min(sequence) != 1 OR max(sequence) != count(*)`},
	{law: "the queues of endpoints agree with events, endpoints and the order of events", query: store.WrongDeliveries},
	{law: "only pending events are due", query: `
		SELECT event_id, state FROM events WHERE state != 'pending' AND due_at != 0
		UNION SELECT event_id, state FROM further_deliveries WHERE state != 'pending' AND due_at != 0`},
	{law: "each partner's statements are numbered without gaps, in the order of their months, with their files and one event", swept: `
		SELECT partner_id FROM statements GROUP BY partner_id HAVING min(number) != 1 OR max(number) != count(*)`, query: `
		SELECT partner_id FROM statements GROUP BY partner_id HAVING min(number) != 1 OR max(number) != count(*)
		UNION SELECT a.partner_id FROM statements a JOIN statements b ON b.partner_id = a.partner_id AND b.number > a.number
			WHERE b.period <= a.period
		UNION SELECT s.partner_id FROM statements s LEFT JOIN statement_files f ON f.partner_id = s.partner_id AND f.number = s.number
			GROUP BY s.partner_id, s.number HAVING count(f.format) != 3
		UNION SELECT s.partner_id FROM statements s LEFT JOIN events e
			ON e.partner_id = s.partner_id AND e.order_id = 'stm_' || substr(s.partner_id, 5) || '_' || s.number
			GROUP BY s.partner_id, s.number HAVING count(e.event_id) != 1`},
	{law: "the entries of a statement are in the journal, of its month or an earlier one", query: `
		SELECT e.entry_id FROM statement_entries e
		LEFT JOIN statements s ON s.partner_id = e.partner_id AND s.number = e.number
		LEFT JOIN journal j ON j.partner_id = e.partner_id AND j.entry_id = e.entry_id WHERE s.number IS NULL OR j.entry_id IS NULL`},
	// An entry without lines says that the desk has confirmed what was collected.
	{law: "the lines of each entry of the journal add up to zero, and none is of a test account", query: `
		SELECT entry_id FROM journal_lines GROUP BY partner_id, day, entry_id, currency HAVING sum(cents) != 0
		UNION SELECT l.entry_id FROM journal_lines l
		LEFT JOIN journal j ON j.partner_id = l.partner_id AND j.day = l.day AND j.entry_id = l.entry_id
		WHERE j.entry_id IS NULL
		UNION SELECT j.entry_id FROM journal j
		LEFT JOIN journal_lines l ON l.partner_id = j.partner_id AND l.day = j.day AND l.entry_id = j.entry_id
		WHERE l.entry_id IS NULL AND j.act != 'correction' OR j.partner_id >= 'par_g'`},
	{law: "an order is charged once for its delivery, for its return, and for its cancellation", query: `
		SELECT order_id, act FROM journal WHERE act IN ('delivery', 'return', 'late_cancellation')
		GROUP BY partner_id, order_id, act HAVING count(*) > 1`},
	{law: "what was collected of an order was collected once", query: `
		SELECT order_id FROM journal WHERE act IN ('collection', 'unconfirmed') GROUP BY partner_id, order_id HAVING count(*) > 1`},
	{law: "a partner's references are distinct", query: `
		SELECT partner_id, partner_order_id FROM orders GROUP BY partner_id, partner_order_id HAVING count(*) > 1`},
}

// creating selects the idempotency keys of requests that create an order, alone,
// in a batch or as a return. The row of a batch itself only marks its key as used.
const creating = `(scope = 'POST /v1/orders' OR scope LIKE 'POST /v1/orders/batch#%' OR scope LIKE 'POST /v1/orders/%/returns'
	OR scope LIKE 'POST /ops/v1/partners/%/orders %')`

const changes = `WITH changes AS (
	SELECT partner_id, product_id, location, order_id, CASE type WHEN 'OUT' THEN -quantity ELSE quantity END AS change FROM stock_movements)`

// fileLaws are queries that find damage in the file of the embedded database.
var fileLaws = []string{
	"SELECT * FROM pragma_foreign_key_check",
	"SELECT * FROM pragma_integrity_check WHERE integrity_check != 'ok'",
}

// Audit fails the test if the service's database breaks a law. The service may
// be running or stopped.
func (s *Service) Audit(t testing.TB) {
	t.Helper()
	s.inspect(t, func(ask asker) {
		for _, l := range laws {
			query := l.query
			if s.swept && l.swept != "" {
				query = l.swept
			}
			if broken := ask(changes + query); len(broken) > 0 {
				t.Errorf("not true: %s; got %d exceptions, such as %s", l.law, len(broken), broken[0])
			}
		}
		auditItems(t, ask, s.documentHex())
		auditStoredBytes(t, ask, s.documentHex())
		for _, query := range fileLaws {
			if s.Database == "" && len(ask(query)) > 0 {
				t.Errorf("%s: got %s, want no rows", query, ask(query)[0])
			}
		}
	})
}

// auditItems compares the items of every order with its allocation and its
// movements: an order has taken exactly its items, and a cancelled one has
// returned all of them.
func auditItems(t testing.TB, ask asker, documentHex string) {
	t.Helper()
	taken := map[string]int64{}
	for _, row := range ask(
		changes + "SELECT order_id, -sum(change) FROM changes WHERE order_id != '' GROUP BY order_id",
	) {
		id, units, _ := strings.Cut(row, " ")
		taken[id], _ = strconv.ParseInt(units, 10, 64)
	}
	courses := coursesOf(t, ask)
	for _, row := range ask("SELECT order_id, status, " + documentHex + ", allocation FROM orders") {
		part := strings.SplitN(row, " ", 4)
		id, cancelled := part[0], part[1] == "cancelled"
		allocated, ordered, err := unitsOf(part[3], unpacked(t, part[2]))
		if err != nil {
			t.Errorf("%s: %v", row, err)
		}
		if course := courses[id]; course.Origin != nil { // which takes nothing, and has come back to stock if it was received
			if allocated != 0 || taken[id] != -sellable(course.Return) {
				t.Errorf("return %s (%s): %d units allocated, %d taken", id, part[1], allocated, taken[id])
			}
			continue
		}
		away := stillAway(courses[id].Return, ordered)
		if allocated != ordered || !cancelled && taken[id] != ordered || cancelled && taken[id] != away {
			t.Errorf("order %s (%s): %d units ordered, %d allocated, %d taken", id, part[1], ordered, allocated, taken[id])
		}
	}
}

// coursesOf returns what has happened to orders besides their moves, by id.
func coursesOf(t testing.TB, ask asker) map[string]delivery.Course {
	t.Helper()
	courses := map[string]delivery.Course{}
	for _, row := range ask("SELECT order_id, course FROM orders WHERE course != ''") {
		id, text, _ := strings.Cut(row, " ")
		var course delivery.Course
		if err := json.Unmarshal([]byte(text), &course); err != nil {
			t.Errorf("the course of order %s: %v", id, err)
		}
		courses[id] = course
	}
	return courses
}

// stillAway returns how many units of a cancelled order are not in stock again: those that are due back,
// and those that came back damaged or not at all.
func stillAway(back *delivery.Return, ordered int64) int64 {
	switch {
	case back == nil:
		return 0
	case back.State == delivery.ReturnDue:
		return ordered
	default:
		return ordered - sellable(back)
	}
}

// sellable returns how many units are in stock again.
func sellable(back *delivery.Return) (units int64) {
	if back == nil {
		return 0
	}
	for _, line := range back.Lines {
		if line.Disposition == delivery.Sellable {
			units += line.Quantity
		}
	}
	return units
}

// documentHex returns an expression for a document as it is stored, in hexadecimal digits.
func (s *Service) documentHex() string {
	if s.Database == "" {
		return "hex(document)"
	}
	return "encode(document, 'hex')"
}

// unpacked returns a document that was selected by documentHex.
func unpacked(t testing.TB, digits string) []byte {
	t.Helper()
	stored, err := hex.DecodeString(digits)
	if err != nil {
		t.Fatal(err)
	}
	document, err := store.UnpackDocument(stored)
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// Documents returns the documents of a partner's orders, by order id.
func (s *Service) Documents(t testing.TB, partnerID string) map[string]string {
	t.Helper()
	documents := map[string]string{}
	for _, row := range s.Query(t, "SELECT order_id, "+s.documentHex()+" FROM orders WHERE partner_id = '"+partnerID+"'") {
		id, digits, _ := strings.Cut(row, " ")
		documents[id] = string(unpacked(t, digits))
	}
	return documents
}

// auditStoredBytes compares what partners have used with the sizes of their documents.
func auditStoredBytes(t testing.TB, ask asker, documentHex string) {
	t.Helper()
	stored := map[string]int64{}
	for _, row := range ask("SELECT partner_id, " + documentHex + " FROM orders") {
		partnerID, digits, _ := strings.Cut(row, " ")
		stored[partnerID] += int64(len(unpacked(t, digits)))
	}
	for _, row := range ask("SELECT partner_id, stored_bytes FROM partner_usage") {
		partnerID, used, _ := strings.Cut(row, " ")
		if want := strconv.FormatInt(stored[partnerID], 10); used != want {
			t.Errorf("partner %s: got %s stored bytes, want %s, the size of its documents", partnerID, used, want)
		}
	}
}

// unitsOf returns the sums of the quantities in an allocation, which may be
// missing, and in the items of a document.
func unitsOf(allocation string, order []byte) (allocated, ordered int64, err error) {
	type line struct{ Quantity int64 }
	var takes []line
	var document struct{ Items []line }
	if allocation != "" {
		err = json.Unmarshal([]byte(allocation), &takes)
	}
	if err == nil {
		err = json.Unmarshal(order, &document)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("not an allocation and a document: %w", err)
	}
	for _, take := range takes {
		allocated += take.Quantity
	}
	for _, item := range document.Items {
		ordered += item.Quantity
	}
	return allocated, ordered, nil
}
