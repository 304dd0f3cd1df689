package accounting

import (
	"context"
	"io"

	"github.com/dropyard/dropyard/internal/foundation/csvfile"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/money"
)

// exportPage is how many entries are read at a time.
const exportPage = 500

// Export returns the entries that a filter selects as a CSV file, oldest first, with a row for each line. It
// holds only a few entries in memory at a time: the function writes the file, whose first entries have been read
// before it is returned, so that an error of reading is one of the request. The layout is that of all columns;
// files for other programs are laid out as those read them.
func (s *Service) Export(
	ctx context.Context, filter Filter, columns Columns, layout csvfile.Layout,
) (pages func(io.Writer) error, err error) {
	kind := ownTable
	if of, ok := tables[columns]; ok {
		kind, layout = of, csvfile.Layout{}
	}
	filter.Oldest, filter.Limit = true, exportPage
	page, names, err := s.exported(ctx, filter, kind)
	if err != nil {
		return nil, err
	}
	return func(out io.Writer) error {
		w := csvfile.NewWriter(out, layout, kind.columns...)
		for {
			for _, entry := range page.Entries {
				kind.write(w, entry, names[entry.PartnerID])
			}
			if filter.After = page.Next; filter.After == (Cursor{}) {
				return w.Flush()
			}
			if page, names, err = s.exported(ctx, filter, kind); err != nil {
				return err
			}
		}
	}, nil
}

// exported returns a page of entries, and the names of their partners if the rows have them.
func (s *Service) exported(
	ctx context.Context, filter Filter, kind table,
) (page Page, names map[string]string, err error) {
	if page, err = s.Journal(ctx, filter); err != nil || !kind.named {
		return page, nil, err
	}
	ids := make([]string, len(page.Entries))
	for i, entry := range page.Entries {
		ids[i] = entry.PartnerID
	}
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		names, err = tx.PartnerNames(ctx, ids...)
		return err
	})
	return page, names, err
}

// EntryColumns are the columns of a CSV file with all that the journal has of an entry.
func EntryColumns() []string { return ownTable.columns }

// WriteEntry writes an entry to such a file, with a row for each of its lines.
func WriteEntry(w *csvfile.Writer, e *money.Entry) { ownTable.write(w, e, "") }

// write writes the rows of an entry.
func (t table) write(w *csvfile.Writer, e *money.Entry, partner string) {
	for _, line := range e.Lines {
		if t.leavesOut == nil || !t.leavesOut(line) {
			w.Row(t.row(e, line, partner)...)
		}
	}
}

func ownRow(e *money.Entry, line money.Line, _ string) []csvfile.Value {
	return []csvfile.Value{
		csvfile.Plain(e.Day.String()), csvfile.Plain(e.EntryID), csvfile.Plain(e.PartnerID), csvfile.Plain(string(e.Act)),
		csvfile.Plain(e.OrderID), csvfile.Words(e.PartnerOrderID), csvfile.Plain(string(line.Account)),
		csvfile.Plain(line.CourierID), csvfile.Dollars(line.Cents), csvfile.Plain(string(line.Currency)),
		csvfile.Plain(timestamp.Format(e.At)), csvfile.Plain(timestamp.Format(e.RecordedAt)), csvfile.Plain(e.ActorID),
		csvfile.Words(e.Notes),
	}
}
