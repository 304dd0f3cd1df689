package ops

import (
	"cmp"
	"net/http"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/label"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/proof"
)

// ownCourier limits a request to one courier's orders: other orders do not exist
// for it. It returns the id of that courier; empty means no limit. It refuses with
// forbidden.
func ownCourier(c *httpd.Call) (courierID string, err error) {
	if sender(c).Role != operator.RoleCourier {
		return "", nil
	}
	if sender(c).CourierID == "" { // the account is older than the rule that it must be linked
		return "", refusal.New(refusal.CodeForbidden, "this operator is not linked to a courier yet: ask an admin")
	}
	return sender(c).CourierID, nil
}

// courierInPath returns the courier that the path names. Requests that are limited to one courier get not_found for
// any other.
func courierInPath(c *httpd.Call, own string) (courierID string, err error) {
	courierID = c.PathID("courier_id")
	if own != "" && courierID != own {
		return "", refusal.NotFound("courier")
	}
	return courierID, nil
}

type addressAnswer struct {
	Line1      string `json:"line1"`
	Line2      string `json:"line2,omitzero"`
	City       string `json:"city"`
	Province   string `json:"province"`
	PostalCode string `json:"postal_code"`
	Country    string `json:"country"`
	Notes      string `json:"notes,omitzero"`
}

// stopAnswer leaves out the e-mail address, which a courier does not need.
type stopAnswer struct {
	Kind       dispatch.StopKind `json:"kind"`
	Name       string            `json:"name"`
	Phone      string            `json:"phone"`
	Address    addressAnswer     `json:"address"`
	Area       string            `json:"area"`
	TimeWindow windowAnswer      `json:"time_window"`
	Deadline   time.Time         `json:"deadline"`
}

type jobParcel struct {
	ParcelID    string  `json:"parcel_id"`
	Barcode     string  `json:"barcode,omitzero"`
	Label       string  `json:"label"` // the text of the Code 128 on its label
	Description string  `json:"description"`
	WeightKg    float64 `json:"weight_kg"`
	Fragile     bool    `json:"fragile"`
}

type moneyAnswer struct {
	AmountCents int64             `json:"amount_cents"`
	Currency    delivery.Currency `json:"currency"`
}

type jobAnswer struct {
	OrderID        string                `json:"order_id"`
	PartnerID      string                `json:"partner_id"`
	PartnerName    string                `json:"partner_name"`
	PartnerOrderID string                `json:"partner_order_id"`
	Reference      string                `json:"reference,omitzero"`
	Status         delivery.Status       `json:"status"`
	Version        int64                 `json:"version"`
	ServiceLevel   delivery.ServiceLevel `json:"service_level"`
	Stop           stopAnswer            `json:"stop"`
	Instructions   string                `json:"instructions,omitzero"`
	Parcels        []jobParcel           `json:"parcels"`
	COD            *moneyAnswer          `json:"cod"` // null if no cash is to be collected
	Failures       int64                 `json:"failures"`
	NextAttempt    *time.Time            `json:"next_attempt"` // null if none is scheduled
	Actions        []delivery.Status     `json:"actions"`
	ReturnOf       string                `json:"return_of,omitzero"` // the order whose goods this one brings back
	Changes        *changesAnswer        `json:"changes,omitzero"`   // what the courier has to confirm
}

func jobOf(j *dispatch.Job) jobAnswer {
	o := j.Order
	answer := jobAnswer{
		OrderID: o.OrderID, PartnerID: o.PartnerID, PartnerName: j.PartnerName, PartnerOrderID: o.PartnerOrderID,
		Reference: o.Reference, Status: o.Status, Version: o.Version, ServiceLevel: o.ServiceLevel,
		Stop: stopOf(&j.Stop), Instructions: o.Instructions, Parcels: parcelsOf(o), Failures: j.Failures,
		Actions: j.Actions, Changes: changesOf(o),
	}
	if o.Course.Origin != nil {
		answer.ReturnOf = o.Course.Origin.OrderID
	}
	if o.COD != nil {
		answer.COD = &moneyAnswer{o.COD.AmountCents, o.COD.Currency}
	}
	if !j.NextAttempt.IsZero() {
		answer.NextAttempt = &j.NextAttempt
	}
	return answer
}

func parcelsOf(o *delivery.Order) []jobParcel {
	parcels := make([]jobParcel, len(o.Parcels))
	for i, p := range o.Parcels {
		parcels[i] = jobParcel{
			ParcelID: p.ParcelID, Barcode: p.Barcode, Label: label.Code128(o, i+1), Description: p.Description,
			WeightKg: p.WeightKg, Fragile: p.Fragile,
		}
	}
	return parcels
}

func stopOf(s *dispatch.Stop) stopAnswer {
	contact := s.Contact
	return stopAnswer{
		Kind: s.Kind, Name: contact.Name, Phone: contact.Phone, Address: addressAnswer(contact.Address),
		Area: s.Area, TimeWindow: windowAnswer(contact.Window), Deadline: contact.Window.End,
	}
}

// endAnswer is where goods are brought back.
type endAnswer struct {
	Name    string        `json:"name"`
	Phone   string        `json:"phone"`
	Address addressAnswer `json:"address"`
}

// bringingAnswer is an order whose goods a courier brings back.
type bringingAnswer struct {
	OrderID        string            `json:"order_id"`
	PartnerID      string            `json:"partner_id"`
	PartnerName    string            `json:"partner_name"`
	PartnerOrderID string            `json:"partner_order_id"`
	Version        int64             `json:"version"`
	To             delivery.ReturnTo `json:"to"`
	Location       string            `json:"location,omitzero"` // of the warehouse, if it is known
	Place          *endAnswer        `json:"place"`             // null if no address is known
	Parcels        []jobParcel       `json:"parcels"`
	DueAt          time.Time         `json:"due_at"`
}

func bringingOf(b *dispatch.Bringing) bringingAnswer {
	o := b.Order
	answer := bringingAnswer{
		OrderID: o.OrderID, PartnerID: o.PartnerID, PartnerName: b.PartnerName, PartnerOrderID: o.PartnerOrderID,
		Version: o.Version, To: b.To, Location: b.Location, Parcels: parcelsOf(o), DueAt: b.DueAt,
	}
	if end := b.Contact; end != nil {
		answer.Place = &endAnswer{end.Name, end.Phone, addressAnswer(end.Address)}
	}
	return answer
}

// unreadAnswer is a message that the courier has not confirmed.
type unreadAnswer struct {
	MessageID string    `json:"message_id"`
	Text      string    `json:"text"`
	At        time.Time `json:"at"`
}

type deliveryAnswer struct {
	OrderID        string    `json:"order_id"`
	PartnerOrderID string    `json:"partner_order_id"`
	DeliveredAt    time.Time `json:"delivered_at"`
}

type doneAnswer struct {
	Since  time.Time        `json:"since"`
	Count  int64            `json:"count"`
	Latest []deliveryAnswer `json:"latest"`
}

// defaultSince is how far back deliveries are listed if the request does not say
// when the courier's day began, which the service cannot know.
const defaultSince = 24 * time.Hour

var (
	recentTime   = form.Define("recent_time", "a time within the last 7 days")
	namedCourier = form.Define("named_courier", "the id of a courier")
	labelCode    = form.Define("label_code", "the text of a label's code")
)

func (s *Server) handleJobs(c *httpd.Call) (httpd.Reply, error) {
	own, err := ownCourier(c)
	if err != nil {
		return httpd.Reply{}, err
	}
	q, err := c.ListQuery()
	if err != nil {
		return httpd.Reply{}, err
	}
	courierID, since, now := q.Text("courier_id"), q.Time("since"), timestamp.Truncate(s.config.Now())
	if since.IsZero() {
		since = now.Add(-defaultSince)
	}
	if now.Sub(since) > dispatch.MaxSince {
		q.Fault("since", q.Text("since"), recentTime)
	}
	if courierID = cmp.Or(courierID, own); courierID == "" {
		q.Fault("courier_id", nil, namedCourier)
	}
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	if own != "" && courierID != own {
		return httpd.Reply{}, refusal.NotFound("courier")
	}
	round, err := s.config.Dispatch.Round(c.Context(), courierID, since)
	if err != nil {
		return httpd.Reply{}, err
	}
	jobs := make([]jobAnswer, len(round.Jobs))
	for i := range round.Jobs {
		jobs[i] = jobOf(&round.Jobs[i])
	}
	unread := make([]unreadAnswer, len(round.Unread))
	for i, message := range round.Unread {
		unread[i] = unreadAnswer{message.MessageID, message.Text, message.At}
	}
	returns := make([]bringingAnswer, len(round.Returns))
	for i := range round.Returns {
		returns[i] = bringingOf(&round.Returns[i])
	}
	done := doneAnswer{Since: since, Count: round.Done.Count, Latest: make([]deliveryAnswer, len(round.Done.Latest))}
	for i, d := range round.Done.Latest {
		done.Latest[i] = deliveryAnswer{d.OrderID, d.PartnerOrderID, d.At}
	}
	colleagues, err := s.colleaguesOf(c.Context(), courierID)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(struct {
		CourierID     string            `json:"courier_id"`
		Jobs          []jobAnswer       `json:"jobs"`
		More          bool              `json:"more"`
		Returns       []bringingAnswer  `json:"returns"`
		Delivered     doneAnswer        `json:"delivered"`
		Colleagues    []colleagueAnswer `json:"colleagues"`
		Messages      []unreadAnswer    `json:"messages"`
		DispatchPhone string            `json:"dispatch_phone,omitzero"`
	}{courierID, jobs, round.More, returns, done, colleagues, unread, round.Phone})
}

// matchAnswer is an order that a scan has found. Place and ParcelID are null if the
// code stands for the whole order.
type matchAnswer struct {
	Place    *int      `json:"place"`
	ParcelID *string   `json:"parcel_id"`
	Order    jobAnswer `json:"order"`
}

// maxCode is the longest text that a scanner may send, in characters. A QR code
// cannot hold more.
const maxCode = 3000

func (s *Server) handleScan(c *httpd.Call) (httpd.Reply, error) {
	own, err := ownCourier(c)
	if err != nil {
		return httpd.Reply{}, err
	}
	q, err := c.Query()
	if err != nil {
		return httpd.Reply{}, err
	}
	code := q.OneOf("code", form.AnyLength(1, maxCode))
	if code == "" && q.Err() == nil {
		q.Fault("code", nil, labelCode)
	}
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	scan := dispatch.Scan{Text: code, CourierID: own}
	scan.OrderID, scan.Place, _ = label.Scan(code)
	found, err := s.config.Dispatch.Find(c.Context(), scan)
	if err != nil {
		return httpd.Reply{}, err
	}
	matches := make([]matchAnswer, len(found))
	for i := range found {
		matches[i].Order = jobOf(&found[i].Job)
		if place := found[i].Place; place > 0 {
			matches[i].Place, matches[i].ParcelID = &place, &found[i].Order.Parcels[place-1].ParcelID
		}
	}
	return httpd.OK(struct {
		Matches []matchAnswer `json:"matches"`
	}{matches})
}

type proofAnswer struct {
	ProofID    string             `json:"proof_id"`
	Kind       delivery.ProofKind `json:"kind"`
	URL        string             `json:"url"`
	At         time.Time          `json:"at"`
	RecordedAt time.Time          `json:"recorded_at"`
	OperatorID string             `json:"operator_id"`
}

func (s *Server) proofOf(p *delivery.Proof) proofAnswer {
	return proofAnswer{
		ProofID: p.ProofID, Kind: p.Kind, URL: s.config.Proofs.URL(p.Name), At: p.At, RecordedAt: p.RecordedAt,
		OperatorID: p.OperatorID,
	}
}

func (s *Server) handleProofAdd(c *httpd.Call) (httpd.Reply, error) {
	own, err := ownCourier(c)
	if err != nil {
		return httpd.Reply{}, err
	}
	if err := c.RequirePicture(); err != nil {
		return httpd.Reply{}, err
	}
	q, err := c.Query()
	if err != nil {
		return httpd.Reply{}, err
	}
	rule := form.OneOf(delivery.ProofKinds...)
	upload := proof.Upload{OrderID: c.PathID("order_id"), Kind: delivery.ProofKind(q.OneOf("kind",
		rule)), Data: c.Content, CourierID: own}
	if upload.Kind == "" && q.Err() == nil {
		q.Fault("kind", nil, rule.Rule)
	}
	upload.OccurredAt = q.Time("occurred_at")
	if at := upload.OccurredAt; !at.IsZero() && !delivery.MayHaveOccurred(at, timestamp.Truncate(s.config.Now())) {
		q.Fault("occurred_at", q.Text("occurred_at"), delivery.OccurredRule)
	}
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	added, replayed, err := s.config.Proofs.Add(c.Context(), upload)
	if err != nil {
		return httpd.Reply{}, err
	}
	c.MarkReplayed(replayed)
	return httpd.Answer(http.StatusCreated, s.proofOf(added))
}
