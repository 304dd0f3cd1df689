package portal

import (
	"bytes"
	"encoding/hex"
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/csvfile"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/orderfile"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/saved"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/orderform"
	"github.com/dropyard/dropyard/internal/web/page"
)

const (
	importPath   = "/portal/orders/import"
	importsPath  = "/portal/imports" // where each file is that is being imported
	templatePath = importsPath + "/template.csv"
)

func (pages *Pages) importRoutes() []web.Route {
	start := pages.post("/orders/import", partner.PermissionOrders, (*Pages).startImport)
	review := pages.get("/imports/{draft_id}", partner.PermissionOrders, (*Pages).reviewImport)
	create := pages.post("/imports/{draft_id}", partner.PermissionOrders, (*Pages).createImported)
	check := pages.post("/imports/{draft_id}/check", partner.PermissionOrders, (*Pages).checkImport)
	start.LargeBody = true
	start.Heavy, review.Heavy, create.Heavy, check.Heavy = true, true, true, true
	return []web.Route{
		start, review, create, check,
		pages.get("/orders/import", partner.PermissionOrders, (*Pages).askImport),
		pages.get("/imports/template.csv", partner.PermissionOrders, (*Pages).importTemplate),
		// For links on a page that was the answer to a form.
		pages.get("/imports/{draft_id}/check", partner.PermissionOrders, func(_ *Pages, s *sheet) (int, []byte, error) {
			return s.LeadTo(s.Link(draftPath(s.ID("draft_id"))), page.Flash{})
		}),
	}
}

func draftPath(draftID string) string { return importsPath + "/" + draftID }

// importStart is the page that asks for a file.
type importStart struct {
	*sheet
	Form  *page.Form
	Fault string // of the file
}

// Template is the address of the file to fill in.
func (v importStart) Template() string { return v.Link(templatePath) }

func (pages *Pages) askImport(s *sheet) (int, []byte, error) {
	made, err := s.form(importPath)
	if err != nil {
		return 0, nil, err
	}
	return s.showImportStart(importStart{s, made, ""}, http.StatusOK)
}

func (s *sheet) showImportStart(v importStart, status int) (int, []byte, error) {
	return s.show(leaf{
		template: "portal-import", title: s.Text("import.title"), data: v, status: status,
		back: &page.Link{Text: s.Text("portal.orders"), Path: s.Link("/portal/orders")},
	})
}

// startImport keeps the file that was sent, and leads to the page that shows what it would do.
func (pages *Pages) startImport(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	content, err := s.File("file")
	if err != nil {
		return 0, nil, err
	}
	file, fault := s.readOrderFile(content)
	if fault != "" {
		return s.showImportStart(importStart{s, sent, fault}, http.StatusUnprocessableEntity)
	}
	key, err := s.Key()
	if err != nil {
		return 0, nil, err
	}
	draft := &saved.Draft{PartnerID: s.Account, DraftID: hex.EncodeToString(key[:]), File: content}
	if err := pages.proposeImport(s, draft, file); err != nil {
		return 0, nil, err
	}
	if err := pages.config.Saved.StartDraft(s.Context(), draft); err != nil {
		return 0, nil, err
	}
	return s.LeadTo(s.Link(draftPath(draft.DraftID)), page.Flash{})
}

// unreadableOrders has the phrases for files that cannot be read.
var unreadableOrders = map[csvfile.Reason]string{
	csvfile.Empty: "import.file.empty", csvfile.NotText: "import.file.text", csvfile.Unpaired: "import.file.quotes",
}

// workbook is how a file of Excel begins that is not CSV: a ZIP archive, or the older format.
var workbooks = [][]byte{[]byte("PK\x03\x04"), []byte("\xd0\xcf\x11\xe0")}

// readOrderFile reads a file, or returns why it cannot be imported.
func (s *sheet) readOrderFile(content []byte) (file *orderfile.File, fault string) {
	for _, begin := range workbooks {
		if bytes.HasPrefix(content, begin) {
			return nil, s.Text("import.file.workbook")
		}
	}
	if len(content) > saved.MaxFile {
		return nil, s.Text("import.file.large")
	}
	file, err := orderfile.Read(content)
	var unreadable *csvfile.ReadError
	switch {
	case errors.As(err, &unreadable):
		return nil, s.Text(unreadableOrders[unreadable.Reason], "line", s.Language.Number(unreadable.Line))
	case err != nil:
		return nil, err.Error()
	case file.Rows() == 0:
		return nil, s.Text("import.file.empty")
	case len(file.Titles) > saved.MaxColumns:
		return nil, s.Text("import.file.columns", "count", s.Language.Number(len(file.Titles)),
			"most", s.Language.Number(saved.MaxColumns))
	}
	mapping := file.Propose(nil)
	if rows := file.Rows(); rows > maxImportRows {
		return nil, s.Text("import.file.rows", "count", s.Language.Number(rows), "most", s.Language.Number(maxImportRows))
	}
	if count := len(file.Orders(orderfile.Options{Mapping: mapping}).Orders); count > order.MaxBatch {
		return nil, s.Text("import.file.many", "count", s.Language.Number(count), "most", s.Language.Number(order.MaxBatch))
	}
	return file, ""
}

// maxImportRows is how many lines a file may have: an order may have several.
const maxImportRows = 5000

// proposeImport proposes what columns mean, and what orders of the file lack: the pickup of the latest order, and the
// next window of the pickup.
func (pages *Pages) proposeImport(s *sheet, draft *saved.Draft, file *orderfile.File) error {
	kept, err := pages.config.Saved.ColumnsOf(s.Context(), s.Account, file.Titles)
	if err != nil {
		return err
	}
	draft.Columns = file.Propose(kept)
	draft.Defaults = map[string]string{"service_level": string(delivery.Standard)}
	latest, err := pages.config.Orders.List(s.Context(), order.Filter{PartnerID: s.Account, Limit: 1})
	if err != nil {
		return err
	}
	if len(latest.Orders) > 0 && latest.Orders[0].Damage == nil {
		for field, text := range orderform.ContactFields(&latest.Orders[0].Pickup) {
			draft.Defaults["pickup."+field] = text
		}
	}
	window, err := s.pickupOfImport(draft)
	maps.Copy(draft.Defaults, window)
	return err
}

// pickupOfImport proposes the window of the pickup of orders of a file, if neither the file nor a person has given any
// and it is known where they are picked up.
func (s *sheet) pickupOfImport(draft *saved.Draft) (map[string]string, error) {
	d := draft.Defaults
	if d["pickup.time_window.start"] != "" || slices.Contains(draft.Columns, "pickup.time_window.start") {
		return nil, nil
	}
	place := delivery.Contact{Address: delivery.Address{
		Province: d["pickup.address.province"], PostalCode: d["pickup.address.postal_code"],
	}}
	if place.Address.Province == "" || place.Address.PostalCode == "" {
		return nil, nil
	}
	shipment := delivery.Shipment{ServiceLevel: delivery.ServiceLevel(d["service_level"]), Pickup: place, Dropoff: place}
	pickup, _, ok, err := s.pages.config.Orders.ProposeWindows(s.Context(), s.Account, shipment)
	if err != nil || !ok {
		return nil, err
	}
	return map[string]string{
		"pickup.time_window.start": pickup.Start.Format(orderform.TimeLayout),
		"pickup.time_window.end":   pickup.End.Format(orderform.TimeLayout),
	}, nil
}

// importTemplate returns a file to fill in, with titles in the reader's language and one line.
func (pages *Pages) importTemplate(s *sheet) (int, []byte, error) {
	var file bytes.Buffer
	titles := []string{
		"order", "name", "phone", "email", "line1", "line2", "city", "province", "postal_code", "weight", "description",
		"value", "instructions",
	}
	for i, title := range titles {
		titles[i] = s.Text("import.template." + title)
	}
	lines := csvfile.NewWriter(&file, page.CSVLayout(s.PageRequest), titles...)
	lines.Row(csvfile.Words("WEB-1"), csvfile.Words("Alex Martin"), csvfile.Code("+15145550142"),
		csvfile.Words("alex@example.com"), csvfile.Words("4000 Rue Saint-Denis"), csvfile.Words("2"),
		csvfile.Words("Montréal"),
		csvfile.Words("QC"), csvfile.Words("H2W 2M5"), csvfile.Decimal("1.5"), csvfile.Words(s.Text("import.template.goods")),
		csvfile.Dollars(2500), csvfile.Words(""))
	if err := lines.Flush(); err != nil {
		return 0, nil, err
	}
	return page.ShowCSV(s.PageRequest, "orders.csv", file.Bytes())
}
