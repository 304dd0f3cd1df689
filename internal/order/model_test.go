package order

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/movement"
)

// wish is a command in words: what the model reads, and what a real command is
// made from.
type wish struct {
	kind      string // create, return, edit, cancel, advance, request, answer, transfer or receive
	partner   string
	order     string
	event     string // the id of the event that it causes
	at        time.Time
	key, body byte // idempotency key and body hash
	// of a creation
	reference string
	items     []delivery.Item
	named     string // by what the items of a creation or an edit name their products; empty for product_id
	// of a cancellation or an advance
	products []movement.ProductKey // what its caller saw of the allocation
	reason   string
	granted  bool // of an answer, whose text is in notes
	// of an advance
	version int64
	to      delivery.Status
	courier string
	eta     time.Time
	notes   string
	// occurred is when it happened, in an advance or a transfer that says so.
	occurred time.Time
	// of a transfer to a hub, or of a receipt
	location string
	lines    []delivery.ReturnLine // of a receipt
	// of a return: the order that it brings back, and to where
	origin string
	end    delivery.ReturnTo
	// of an edit: the version that it was made from, that its caller insists on, if not 0, and the
	// order's reference, beside its items
	seen, wanted int64
	label        string
}

func (w wish) target() OrderKey { return OrderKey{w.partner, w.order} }

func (w wish) scope() string {
	switch w.kind {
	case "create":
		return "POST /v1/orders"
	case "return":
		return "POST /v1/orders/" + w.origin + "/returns"
	}
	return "POST /v1/orders/" + w.order + "/" + w.kind
}

// snapshot is all that can be seen of an order.
type snapshot struct {
	Partner, ID, Reference string
	Status                 delivery.Status
	Version, Events        int64
	Updated, ETA           int64 // Unix milliseconds
	Courier                string
	Items                  []delivery.Item
	Takes                  []delivery.Take
	History                []string
	Cancelled              string
	Request                string   // its state; empty if there is none
	Asked                  string   // what was asked, and when
	Answer                 string   // to it
	Moved                  int64    // the version of the latest move or transfer
	Transfers              []string // who got the goods, and when
	HandedAt               int64    // when the latest transfer happened
	Return                 string
	Label                  string // its reference, which edits change
	Edits                  []string
	Origin                 string   // the order that it brings back
	End                    string   // to where
	Returns                []string // the orders that bring goods of it back, and what
}

func (s snapshot) String() string {
	return fmt.Sprint(s.Partner, s.ID, s.Reference, s.Status, s.Version, s.Events, s.Updated, s.ETA,
		s.Courier, s.Items, s.Takes, s.History, s.Cancelled, s.Request, s.Asked, s.Answer, s.Moved, s.Transfers, s.Return,
		s.Label, s.Edits, s.Origin, s.End, s.Returns)
}

// allowed is the table of the decisions, written down a second time so that
// the model does not believe what the code says.
var allowed = map[delivery.Status]string{
	"pending":          "accepted cancelled",
	"accepted":         "courier_assigned cancelled",
	"courier_assigned": "picked_up accepted courier_assigned cancelled failed",
	"picked_up":        "in_transit out_for_delivery failed",
	"in_transit":       "out_for_delivery failed",
	"out_for_delivery": "delivered failed",
	"failed":           "in_transit out_for_delivery cancelled",
}

func mayBecome(from, to delivery.Status) bool {
	return slices.Contains(strings.Fields(allowed[from]), string(to))
}

type place struct {
	movement.ProductKey
	location string
}

type kept struct {
	body byte
	text string
}

// model is the committer without groups, sets and versions: one command after
// the other on plain maps.
type model struct {
	names   map[movement.ProductKey]string
	active  map[movement.ProductKey]bool
	levels  map[place]int64
	orders  map[OrderKey]*snapshot
	answers map[string]kept
	events  []string
	ledger  []string
	last    map[string]int64
	lows    map[movement.ProductKey]int64 // how often products have become low
	// onTheWay is set if most commands are about orders that are, or were, with a courier, and
	// comeBack if they are about orders that were delivered, and their returns.
	onTheWay, comeBack bool
}

// settle carries out a wish and returns its outcome in words. The minimum of all products is 0, so
// those become low of which nothing is left.
func (m *model) settle(w wish) string {
	before := m.totals()
	outcome := m.carryOut(w)
	after := m.totals()
	for _, key := range slices.SortedFunc(maps.Keys(before), func(a, b movement.ProductKey) int {
		return cmp.Or(cmp.Compare(a.PartnerID, b.PartnerID), cmp.Compare(a.ProductID, b.ProductID))
	}) {
		if m.active[key] && before[key] > 0 && after[key] == 0 {
			m.lows[key]++
			m.events = append(m.events, fmt.Sprint(key, m.lows[key], "is low"))
		}
	}
	return outcome
}

// totals returns how much there is of each product.
func (m *model) totals() map[movement.ProductKey]int64 {
	totals := map[movement.ProductKey]int64{}
	for at, level := range m.levels {
		totals[at.ProductKey] += level
	}
	return totals
}

func (m *model) carryOut(w wish) string {
	switch w.kind {
	case "advance":
		return m.advance(w)
	case "answer":
		return m.answer(w)
	case "transfer":
		return m.transfer(w)
	case "receive":
		return m.receive(w)
	}
	key := fmt.Sprint(w.partner, w.scope(), w.key)
	if earlier, ok := m.answers[key]; ok {
		if earlier.body != w.body {
			return "idempotency_key_reused"
		}
		return "replayed " + earlier.text
	}
	do := map[string]func(wish) (refused, text string){
		"create": m.create, "cancel": m.cancel, "request": m.request, "return": m.giveBack, "edit": m.edit,
	}[w.kind]
	refused, text := do(w)
	if refused != "" {
		return refused
	}
	m.answers[key] = kept{w.body, text}
	return "admitted " + text
}

func (m *model) create(w wish) (refused, text string) {
	for _, other := range m.orders {
		if other.Partner == w.partner && other.Reference == w.reference {
			return "conflict " + string(other.Status), ""
		}
	}
	for i, item := range w.items {
		if !m.active[movement.ProductKey{PartnerID: w.partner, ProductID: item.ProductID}] {
			refused += fmt.Sprintf(" items[%d].%s", i, w.field())
		}
	}
	if refused != "" {
		return "validation_error" + refused, ""
	}
	takes, refused := m.take(w)
	if refused != "" {
		return "insufficient_stock" + refused, ""
	}
	o := &snapshot{
		Partner: w.partner, ID: w.order, Reference: w.reference, Status: "pending", Version: 1, Moved: 1,
		Updated: w.at.UnixMilli(), ETA: w.eta.UnixMilli(), Takes: takes,
		History: []string{fmt.Sprintf("pending@%d/%d:", w.at.UnixMilli(), w.at.UnixMilli())},
	}
	for _, item := range w.items {
		item.SKU = skuOf(item.ProductID)
		item.Name = m.names[movement.ProductKey{PartnerID: w.partner, ProductID: item.ProductID}]
		o.Items = append(o.Items, item)
	}
	for _, taken := range takes {
		m.book(o, "OUT", taken, -1, o.Updated)
	}
	m.orders[w.target()] = o
	return "", o.String()
}

// take plans where the items come from: a product's fullest location, then the
// fullest of the others, without touching the levels.
func (m *model) take(w wish) (takes []delivery.Take, shortages string) {
	wanted, mentioned := map[int64]int64{}, []int64{}
	for _, item := range w.items {
		if wanted[item.ProductID] == 0 {
			mentioned = append(mentioned, item.ProductID)
		}
		wanted[item.ProductID] += item.Quantity
	}
	for _, product := range mentioned {
		left, rest, all := map[string]int64{}, wanted[product], int64(0)
		for at, quantity := range m.levels {
			if at.ProductKey == (movement.ProductKey{PartnerID: w.partner, ProductID: product}) {
				left[at.location] = quantity
				all += quantity
			}
		}
		if all < rest {
			shortages += fmt.Sprintf(" %d:%d<%d", product, all, rest)
			continue
		}
		for rest > 0 {
			from := fullest(left)
			taken := min(rest, left[from])
			takes = append(takes, delivery.Take{ProductID: product, Location: from, Quantity: taken})
			rest -= taken
			delete(left, from)
		}
	}
	return takes, shortages
}

func fullest(left map[string]int64) (location string) {
	for _, candidate := range slices.Sorted(maps.Keys(left)) {
		if location == "" || left[candidate] > left[location] {
			location = candidate
		}
	}
	return location
}

func (m *model) book(o *snapshot, kind string, taken delivery.Take, sign, at int64) {
	m.last[o.Partner]++
	m.levels[place{movement.ProductKey{PartnerID: o.Partner, ProductID: taken.ProductID}, taken.Location}] += sign *
		taken.Quantity
	m.ledger = append(m.ledger, fmt.Sprint(o.Partner, m.last[o.Partner], kind, taken, o.ID, at))
}

func (m *model) cancel(w wish) (refused, text string) {
	o := m.orders[w.target()]
	switch {
	case o == nil:
		return "not_found", ""
	case o.Status != "pending" && o.Status != "accepted":
		return "order_not_cancellable " + string(o.Status), ""
	}
	w.to, w.notes = "cancelled", w.reason
	return "", m.enter(o, w, "partner")
}

func (m *model) request(w wish) (refused, text string) {
	o := m.orders[w.target()]
	switch {
	case o == nil:
		return "not_found", ""
	case o.Request != "", !slices.Contains(strings.Fields("courier_assigned picked_up in_transit out_for_delivery failed"),
		string(o.Status)):
		return "conflict " + string(o.Status), ""
	}
	o.Version++
	o.Request, o.Asked = "requested", fmt.Sprintf("%s@%d", w.reason, w.at.UnixMilli())
	return "", o.String()
}

// answer settles a request: granted, it cancels the order wherever it is.
func (m *model) answer(w wish) string {
	o := m.orders[w.target()]
	switch {
	case o == nil:
		return "not_found"
	case o.Request != "requested", allowed[o.Status] == "":
		return "conflict " + string(o.Status)
	}
	o.Answer = w.notes
	if w.granted {
		o.Request = "granted"
		w.to, w.reason = "cancelled", strings.Split(o.Asked, "@")[0]
		w.notes = w.reason
		return "admitted " + m.enter(o, w, "service")
	}
	o.Request = "declined"
	o.Version++
	o.Events++
	m.events = append(m.events, fmt.Sprint(o.Partner, o.ID, o.Events, max(o.Updated, w.at.UnixMilli()), w.notes))
	return "admitted " + o.String()
}

func (m *model) advance(w wish) string {
	o := m.orders[w.target()]
	switch {
	case o == nil:
		return "not_found"
	case !w.occurred.IsZero() && w.occurred.UnixMilli() < o.lastAct():
		return "conflict " + string(o.Status)
	case w.version < o.Moved || w.version > o.Version || !mayBecome(o.Status, w.to):
		return "invalid_transition " + string(o.Status)
	case w.to == "out_for_delivery" && o.Courier == "": // at a hub
		return "invalid_transition " + string(o.Status)
	}
	return "admitted " + m.enter(o, w, "service")
}

func (m *model) enter(o *snapshot, w wish, by string) string {
	o.Status = w.to
	o.Version++
	o.Events++
	o.Moved = o.Version
	collected := o.collected()
	booked, happened := max(o.Updated, w.at.UnixMilli()), max(w.at.UnixMilli(), o.lastAct())
	if !w.occurred.IsZero() {
		happened = w.occurred.UnixMilli()
	}
	o.Updated = max(o.Updated, happened)
	if !w.eta.IsZero() {
		o.ETA = w.eta.UnixMilli()
	}
	o.History = append(slices.Clone(o.History), fmt.Sprintf("%s@%d/%d:%s", w.to, happened, w.at.UnixMilli(), w.notes))
	switch w.to {
	case "courier_assigned":
		o.Courier = w.courier
	case "accepted":
		o.Courier = ""
	case "cancelled":
		o.Cancelled = fmt.Sprintf("%s@%d", w.reason, happened)
		if collected {
			o.Return = "due"
			break
		}
		for _, taken := range o.Takes {
			m.book(o, "IN", taken, 1, booked)
		}
		if origin := m.orders[OrderKey{o.Partner, o.Origin}]; origin != nil {
			origin.Version++
			origin.Returns = slices.DeleteFunc(slices.Clone(origin.Returns),
				func(back string) bool { return strings.HasPrefix(back, o.ID+" ") })
		}
	case "delivered":
		if o.End == "warehouse" {
			o.Return = "due"
		}
	default: // the others change the state and nothing else
	}
	event := fmt.Sprint(o.Partner, o.ID, o.Events, w.to, happened, o.ETA, o.Courier, w.reason)
	if w.to == "cancelled" {
		event += " " + by
	}
	m.events = append(m.events, event)
	if o.Return != "" {
		m.announce(o, happened, "")
	}
	return o.String()
}

// announce adds an event that is not of a move.
func (m *model) announce(o *snapshot, at int64, courier string) {
	o.Events++
	m.events = append(m.events, fmt.Sprint(o.Partner, o.ID, o.Events, o.Status, at, o.ETA, courier, ""))
}

// collected reports whether the goods were picked up.
func (s snapshot) collected() bool {
	return slices.ContainsFunc(s.History, func(entry string) bool {
		status, _, _ := strings.Cut(entry, "@")
		return status == "picked_up" || status == "in_transit" || status == "out_for_delivery"
	})
}

// lastAct returns when the latest move or transfer happened.
func (s snapshot) lastAct() int64 {
	_, times, _ := strings.Cut(s.History[len(s.History)-1], "@")
	times, _, _ = strings.Cut(times, "/")
	at, _ := strconv.ParseInt(times, 10, 64)
	return max(at, s.HandedAt)
}

// transfer hands goods on that a courier or a hub has.
func (m *model) transfer(w wish) string {
	o := m.orders[w.target()]
	if o == nil {
		return "not_found"
	}
	to := "courier " + w.courier
	if w.courier == "" {
		to = "location " + w.location
	}
	refused := "conflict " + string(o.Status)
	underWay := o.collected() && o.Status != "delivered" && (o.Status != "cancelled" || o.Return == "due")
	occurred := w.occurred.UnixMilli()
	switch last := o.lastAct(); {
	case !underWay, !w.occurred.IsZero() && occurred < last, w.version < o.Moved, w.version > o.Version:
		return refused
	case o.holder() == to:
		return refused
	default:
		if o.HandedAt = max(w.at.UnixMilli(), last); !w.occurred.IsZero() {
			o.HandedAt = occurred
		}
	}
	o.Version++
	o.Moved = o.Version
	o.Updated = max(o.Updated, o.HandedAt)
	o.Courier = w.courier
	o.Transfers = append(slices.Clone(o.Transfers), fmt.Sprintf("%s@%d", to, o.HandedAt))
	m.announce(o, o.HandedAt, w.courier)
	return "admitted " + o.String()
}

// holder returns who has goods that were picked up.
func (s snapshot) holder() string {
	if len(s.Transfers) == 0 {
		return "courier " + s.Courier
	}
	to, _, _ := strings.Cut(s.Transfers[len(s.Transfers)-1], "@")
	return to
}

// faultsOf returns what is wrong with a receipt of the order's goods.
func (s snapshot) faultsOf(w wish) (faults string) {
	if w.location == "" && len(s.Items) > 0 {
		faults += " location"
	}
	left, at := map[int64]int64{}, map[int64]string{}
	for _, item := range s.Items {
		left[item.ProductID] += item.Quantity
		at[item.ProductID] = " lines"
	}
	for i, line := range w.lines {
		if at[line.ProductID] == "" {
			faults += fmt.Sprintf(" lines[%d].product_id", i)
			continue
		}
		left[line.ProductID] -= line.Quantity
		at[line.ProductID] = fmt.Sprintf(" lines[%d].quantity", i)
	}
	for _, item := range s.Items {
		if left[item.ProductID] != 0 {
			faults += at[item.ProductID]
			left[item.ProductID] = 0
		}
	}
	return faults
}

// receive takes goods back that are due.
func (m *model) receive(w wish) string {
	o := m.orders[w.target()]
	switch {
	case o == nil:
		return "not_found"
	case o.Return != "due":
		return "conflict " + string(o.Status)
	}
	if w.location == "" && o.End == "warehouse" {
		w.location = returnDepot
	}
	if faults := o.faultsOf(w); faults != "" {
		return "validation_error" + faults
	}
	if w.location == "" {
		return "conflict " + string(o.Status) // without a proof
	}
	o.Version++
	happened, booked := max(w.at.UnixMilli(), o.lastAct()), max(o.Updated, w.at.UnixMilli())
	o.Updated = max(o.Updated, happened)
	o.Return = fmt.Sprint("received ", w.location, w.lines, happened)
	for _, line := range w.lines {
		taken := delivery.Take{ProductID: line.ProductID, Location: w.location, Quantity: line.Quantity}
		if line.Disposition != "missing" {
			m.book(o, "IN", taken, 1, booked)
		}
		if line.Disposition == "damaged" {
			taken.Quantity = -taken.Quantity
			m.book(o, "ADJUSTMENT", taken, 1, booked)
		}
	}
	m.announce(o, happened, "")
	return "admitted " + o.String()
}
