package partner

import (
	"cmp"
	"context"
	"strings"
)

// ListFilter selects the partners to list. An empty field selects all.
type ListFilter struct {
	Search string // any case, anywhere in the name, the e-mail address or the id
	// NamesOnly searches in the name and the id only, for callers who may not see more.
	NamesOnly bool
	// Pending selects the accounts that await approval.
	Pending   bool
	Suspended bool
	// RateCard selects the partners with a series of rate cards; DefaultCard those without
	// one of their own.
	RateCard string
	After    string // a partner id: only those after it
	Limit    int
}

// selects reports whether a partner with these settings is listed.
func (f *ListFilter) selects(s Settings) bool {
	return (!f.Pending || s.Pending()) && (!f.Suspended || s.Suspended()) &&
		(f.RateCard == "" || cmp.Or(s.RateCard, DefaultCard) == f.RateCard)
}

// ListPage is a part of the list of partners. Next is the cursor for what
// follows, empty at the end.
type ListPage struct {
	Partners []Listed
	Next     string
}

// searched is how many partners are read at a time.
const searched = 1000

// List lists partners by id. The search is made here, because engines differ in
// which letters they fold.
func (s *Service) List(ctx context.Context, filter ListFilter) (page ListPage, err error) {
	wanted := strings.ToLower(filter.Search)
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		page = ListPage{}
		for after := filter.After; ; {
			found, err := tx.List(ctx, after, searched)
			if err != nil {
				return err
			}
			for _, p := range found {
				after = p.PartnerID
				if !p.matches(wanted, filter.NamesOnly) || !filter.selects(p.Settings) {
					continue
				}
				if len(page.Partners) == filter.Limit {
					page.Next = page.Partners[filter.Limit-1].PartnerID
					return nil
				}
				page.Partners = append(page.Partners, p)
			}
			if len(found) < searched {
				return nil
			}
		}
	})
	return page, err
}

func (l *Listed) matches(wanted string, namesOnly bool) bool {
	texts := []string{l.Name, l.PartnerID, l.Email}
	if namesOnly {
		texts = texts[:2]
	}
	for _, text := range texts {
		if strings.Contains(strings.ToLower(text), wanted) {
			return true
		}
	}
	return false
}
