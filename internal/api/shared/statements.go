package shared

import (
	"net/http"
	"time"

	"github.com/dropyard/dropyard/internal/accounting"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/statement"
	"github.com/dropyard/dropyard/internal/web"
)

// Statements responds with statements that are closed.
type Statements struct{ Accounting *accounting.Service }

type statementAnswer struct {
	StatementID string          `json:"statement_id"`
	PartnerID   string          `json:"partner_id"`
	Number      int64           `json:"number"`
	Period      money.Period    `json:"period"`
	ClosedAt    time.Time       `json:"closed_at"`
	Balances    []balanceAnswer `json:"balances"`
}

type balanceAnswer struct {
	Currency delivery.Currency `json:"currency"`
	Closing  int64             `json:"closing_balance_cents"`
}

// mostStatements bounds the parameter limit.
const mostStatements = 500

// ListOfAccount responds with a page of the statements of a partner, the latest month first.
func (s Statements) ListOfAccount(c *httpd.Call) (httpd.Reply, error) {
	q, err := c.ListQuery()
	if err != nil {
		return httpd.Reply{}, err
	}
	return s.list(c, q, accounting.StatementFilter{PartnerID: c.Account})
}

// ListOfAll responds with a page of the statements of all partners, or of one.
func (s Statements) ListOfAll(c *httpd.Call) (httpd.Reply, error) {
	q, err := c.ListQuery()
	if err != nil {
		return httpd.Reply{}, err
	}
	return s.list(c, q, accounting.StatementFilter{PartnerID: q.Text("partner_id")})
}

func (s Statements) list(c *httpd.Call, q *httpd.Query, filter accounting.StatementFilter) (httpd.Reply, error) {
	filter.Period = Period(q)
	filter.After, filter.Limit = httpd.Cursor(q, accounting.ParseStatementCursor), q.Limit(mostStatements)
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	page, err := s.Accounting.Statements(c.Context(), filter)
	if err != nil {
		return httpd.Reply{}, err
	}
	answers := make([]statementAnswer, len(page.Statements))
	for i, one := range page.Statements {
		answers[i] = statementAnswer{
			StatementID: one.StatementID(), PartnerID: one.PartnerID, Number: one.Number, Period: one.Period,
			ClosedAt: one.ClosedAt, Balances: make([]balanceAnswer, len(one.Closings)),
		}
		for j, closing := range one.Closings {
			answers[i].Balances[j] = balanceAnswer{closing.Currency, closing.Balance()}
		}
	}
	return httpd.OK(struct {
		Statements []statementAnswer `json:"statements"`
		Next       string            `json:"next_cursor,omitzero"`
	}{answers, page.Next.String()})
}

// Period reads the parameter period; 0 if it was not sent.
func Period(q *httpd.Query) money.Period {
	period, _ := money.ParsePeriod(q.OneOf("period", accounting.PeriodRule))
	return period
}

var statementFormats = map[string]statement.Format{
	string(statement.FormatJSON): statement.FormatJSON, string(statement.FormatCSV): statement.FormatCSV,
	string(statement.FormatPDF): statement.FormatPDF,
}

// OfAccount responds with a statement of a partner, in the format that Accept asks for.
func (s Statements) OfAccount(c *httpd.Call) (httpd.Reply, error) { return s.file(c, c.Account) }

// OfAny responds with a statement of any partner.
func (s Statements) OfAny(c *httpd.Call) (httpd.Reply, error) { return s.file(c, "") }

func (s Statements) file(c *httpd.Call, partnerID string) (httpd.Reply, error) {
	format := httpd.Preferred(c.Header.Values("Accept"), statementFormats, statement.FormatJSON)
	statementID := c.PathID("statement_id")
	file, err := s.Accounting.StatementFile(c.Context(), partnerID, statementID, format)
	if err != nil {
		return httpd.Reply{}, err
	}
	if format != statement.FormatJSON {
		web.SetFile(c.ReplyHeader, file.Name(statementID), file.ContentType())
	}
	return httpd.Reply{Status: http.StatusOK, Body: file.Data}, nil
}
