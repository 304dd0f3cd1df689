package portal

import (
	"cmp"

	"github.com/dropyard/dropyard/internal/accounting"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/billing"
	"github.com/dropyard/dropyard/internal/web/page"
)

const statementsPath = "/portal/statements"

func (pages *Pages) statementRoutes() []web.Route {
	shown := pages.get("/statements", partner.PermissionMoneyRead, (*Pages).statements)
	shown.Heavy = true
	return []web.Route{shown, pages.get("/statements/{file}", partner.PermissionMoneyRead, (*Pages).statementFile)}
}

// billing returns the statements of the partner. Test orders are on none: in test mode, too, they are those of the live
// account.
func (s *sheet) billing() *billing.View {
	return &billing.View{
		Sheet: s.Sheet, Accounting: s.pages.config.Accounting, PartnerID: delivery.LiveAccount(s.Account),
		Orders: "/portal/orders", Files: statementsPath,
	}
}

// statementsView has what was charged since the last statement, and the statements.
type statementsView struct {
	*sheet
	Off   bool   // nothing was ever charged
	Month string // that has not ended, with its name
	Firm  string // that corrects a wrong line
	Shown billing.Statement
	Rows  []billing.Row
	Pages page.Pages
}

func (pages *Pages) statements(s *sheet) (int, []byte, error) {
	v, books := &statementsView{sheet: s}, s.billing()
	after, further := accounting.ParseStatementCursor(s.parameter("cursor"))
	list, err := books.List(0, after)
	if err != nil {
		return 0, nil, err
	}
	v.Rows = list.Rows
	if next := list.Next.String(); next != "" {
		v.Pages.Next = s.Link(statementsPath, "cursor", next)
	}
	if further {
		v.Pages.First = s.Link(statementsPath)
	}
	since, err := pages.config.Accounting.Preview(s.Context(), books.PartnerID, pages.config.Accounting.Closable()+1)
	if err != nil {
		return 0, nil, err
	}
	v.Shown, v.Month = books.Statement(since), billing.Month(s.Language, since.Period)
	v.Off = since.Empty() && len(v.Rows) == 0
	firm, err := pages.config.Accounting.Firm(s.Context())
	if err != nil {
		return 0, nil, err
	}
	v.Firm = cmp.Or(firm.Name, s.Text("statement.wrong.firm"))
	return s.show(leaf{template: "portal-statements", title: s.Text("statement.title"), data: v, modeless: true})
}

func (pages *Pages) statementFile(s *sheet) (int, []byte, error) {
	return s.billing().File(s.ID("file"))
}
