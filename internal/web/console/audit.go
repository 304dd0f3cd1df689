package console

import (
	"bytes"
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/foundation/csvfile"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

const auditPath = "/console/audit"

func (pages *Pages) auditRoutes() []web.Route {
	export := pages.get("/audit.csv", administering, (*Pages).exportAudit)
	export.Heavy = true
	return []web.Route{pages.get("/audit", administering, (*Pages).audit), export}
}

const (
	// entriesOnPage is the number of entries on a page of the audit log.
	entriesOnPage = 40
	// entriesInFile is how many entries a file may have.
	entriesInFile = 50_000
)

// auditFields are the parameters of the filter.
var auditFields = []string{"operator_id", "action", "partner_id", "object_id", "from", "to"}

// auditView is what the audit log shows.
type auditView struct {
	*sheet
	Form     *page.Form
	Entries  []auditRow
	Narrowed bool
	Pages    page.Pages
	CSV      string // the address of the file
}

// auditRow is a change that a person has made.
type auditRow struct {
	*operator.Audited
	Sentence string
	Who      string // the e-mail address, or the id if that is not known
	Machine  string // what acted, in words, if it was not a person
	Partner  string // the name, or the id if that is not known; empty for no partner
	Object   string // the path of the page of what was changed; empty if it has none
	Changes  []difference
}

// machines are the phrases for authors that are not persons, by their ids.
var machines = map[string]string{"settings": "audit.by.settings", "command line": "audit.by.command"}

func (pages *Pages) audit(s *sheet) (int, []byte, error) {
	filter, sent, err := pages.auditFilter(s)
	if err != nil {
		return 0, nil, err
	}
	view := auditView{sheet: s, Form: sent, Narrowed: len(filled(sent.Values, auditFields)) > 0}
	status := http.StatusOK
	if len(sent.Faults) > 0 {
		status = http.StatusUnprocessableEntity
	} else if err := view.fill(filter); err != nil {
		return 0, nil, err
	}
	return s.show(leaf{template: "audit", title: s.Text("console.audit"), data: &view, status: status})
}

// fill reads the entries that a filter selects.
func (v *auditView) fill(filter operator.AuditFilter) error {
	filter.Before, filter.Limit = v.Request.URL.Query().Get("cursor"), entriesOnPage
	found, err := v.pages.config.Operators.Audit(v.Context(), filter)
	if err != nil {
		return err
	}
	names, err := v.pages.config.Operators.Names(v.Context(), found.Entries)
	if err != nil {
		return err
	}
	for _, entry := range found.Entries {
		row := auditRow{
			Audited: entry, Sentence: sentence(v.Language, entry, names), Object: objectPath(entry),
			Who:     cmp.Or(names[entry.OperatorID], entry.OperatorID),
			Partner: cmp.Or(names[entry.PartnerID], entry.PartnerID), Changes: differences(entry.Before, entry.After),
		}
		if key := machines[entry.OperatorID]; key != "" {
			row.Machine = v.Text(key)
		}
		v.Entries = append(v.Entries, row)
	}
	chosen := filled(v.Form.Values, auditFields)
	v.CSV = v.Link(auditPath+".csv", chosen...)
	if found.Next != "" {
		v.Pages.Next = v.Link(auditPath, append(slices.Clone(chosen), "cursor", found.Next)...)
	}
	if filter.Before != "" {
		v.Pages.First = v.Link(auditPath, chosen...)
	}
	return nil
}

// filled returns the parameters of a filter that have a value, as pairs.
func filled(values url.Values, names []string) (pairs []string) {
	for _, name := range names {
		if value := values.Get(name); value != "" {
			pairs = append(pairs, name, value)
		}
	}
	return pairs
}

// objectPath returns the path of the page of what an entry is about.
func objectPath(a *operator.Audited) string {
	for prefix, path := range map[string]string{
		"ord_": "/console/orders/", "cou_": "/console/couriers/", "opr_": operatorsPath + "/", "par_": "/console/partners/",
	} {
		if strings.HasPrefix(a.ObjectID, prefix) {
			return path + a.ObjectID
		}
	}
	return ""
}

// auditFilter reads the filter that the address has.
func (pages *Pages) auditFilter(s *sheet) (operator.AuditFilter, *page.Form, error) {
	sent := &page.Form{Action: auditPath, Values: url.Values{}}
	for _, name := range auditFields {
		sent.Values.Set(name, strings.TrimSpace(s.Request.URL.Query().Get(name)))
	}
	filter := operator.AuditFilter{
		OperatorID: sent.Values.Get("operator_id"), PartnerID: sent.Values.Get("partner_id"),
		ObjectID: sent.Values.Get("object_id"), Action: audit.Action(sent.Values.Get("action")), From: s.day(sent, "from"),
		To: s.day(sent, "to"),
	}
	if !filter.To.IsZero() {
		filter.To = filter.To.AddDate(0, 0, 1) // the day that is named is a part of the period
	}
	if filter.Action != "" && !slices.Contains(audit.Actions, filter.Action) {
		filter.Action = ""
		sent.Values.Del("action")
	}
	if strings.Contains(filter.OperatorID, "@") {
		found, err := pages.config.Operators.ByEmail(s.Context(), filter.OperatorID)
		if err != nil {
			return filter, sent, err
		}
		if found != nil { // otherwise no entry has the address as its author
			filter.OperatorID = found.OperatorID
		}
	}
	return filter, sent, nil
}

// day reads a day of a filter; zero if none is given.
func (s *sheet) day(sent *page.Form, name string) time.Time {
	text := sent.Values.Get(name)
	if text == "" {
		return time.Time{}
	}
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		sent.Values.Del(name) // a field of dates shows no other text
		sent.Faults = append(sent.Faults, page.Fault{Field: name, Text: s.Text("audit.day")})
	}
	return at
}

// Fields returns the fields of the filter.
func (v *auditView) Fields() []page.Field {
	actions := make([]page.Option, 1+len(audit.Actions))
	actions[0].Label = v.Text("audit.any")
	for i, action := range audit.Actions {
		actions[1+i] = page.Option{Value: string(action), Label: v.Action(action)}
	}
	fields := []page.Field{
		{Name: "action", Label: v.Text("audit.action"), Type: "select", Options: actions},
		{Name: "object_id", Label: v.Text("audit.object"), Type: "search"},
		{Name: "operator_id", Label: v.Text("audit.who.id"), Type: "search"},
		{Name: "partner_id", Label: v.Text("audit.partner"), Type: "search"},
		{Name: "from", Label: v.Text("audit.from"), Type: "date"},
		{Name: "to", Label: v.Text("audit.to"), Type: "date"},
	}
	for i := range fields {
		fields[i] = v.Form.With(fields[i])
	}
	return fields
}

// Action returns what was done, in words.
func (v *auditView) Action(a audit.Action) string { return v.Text("audit." + string(a)) }

// exportAudit returns the entries that the filter selects as CSV, the oldest first.
func (pages *Pages) exportAudit(s *sheet) (int, []byte, error) {
	filter, sent, err := pages.auditFilter(s)
	if err != nil {
		return 0, nil, err
	}
	if len(sent.Faults) > 0 {
		return 0, nil, form.Fault(sent.Faults[0].Field, sent.Values.Get(sent.Faults[0].Field), page.DateRule)
	}
	var file bytes.Buffer
	lines := csvfile.NewWriter(&file, page.CSVLayout(s.PageRequest),
		"at", "operator_id", "action", "partner_id", "object_id", "request_id", "before", "after")
	count := 0
	err = pages.config.Operators.ExportAudit(s.Context(), filter, func(a *operator.Audited) error {
		if count++; count > entriesInFile {
			return refusal.New(refusal.CodePayloadTooLarge, "the period has more than 50,000 entries: choose a shorter one")
		}
		lines.Row(
			csvfile.Plain(timestamp.Format(a.At)), csvfile.Words(a.OperatorID), csvfile.Plain(string(a.Action)),
			csvfile.Words(a.PartnerID), csvfile.Words(a.ObjectID), csvfile.Words(a.RequestID),
			csvfile.Words(string(a.Before)), csvfile.Words(string(a.After)))
		return nil
	})
	if err != nil {
		return 0, nil, err
	}
	if err := lines.Flush(); err != nil {
		return 0, nil, err
	}
	return page.ShowCSV(s.PageRequest, "audit.csv", file.Bytes())
}
