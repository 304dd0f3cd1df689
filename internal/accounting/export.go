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

var exportColumns = []string{
	"day", "entry_id", "partner_id", "act", "order_id", "partner_order_id", "account", "courier_id", "amount", "currency",
	"at", "recorded_at", "actor_id", "notes",
}

// Export returns the entries that a filter selects as a CSV file, oldest first, with a row for each line. It
// holds only a few entries in memory at a time: the function writes the file, whose first entries have been read
// before it is returned, so that an error of reading is one of the request.
func (s *Service) Export(
	ctx context.Context, filter Filter, layout csvfile.Layout,
) (pages func(io.Writer) error, err error) {
	filter.Oldest, filter.Limit = true, exportPage
	page, err := s.Journal(ctx, filter)
	if err != nil {
		return nil, err
	}
	return func(out io.Writer) error {
		w := csvfile.NewWriter(out, layout, exportColumns...)
		for {
			for _, entry := range page.Entries {
				for _, line := range entry.Lines {
					w.Row(exportRow(entry, line)...)
				}
			}
			if filter.After = page.Next; filter.After == (Cursor{}) {
				return w.Flush()
			}
			if page, err = s.Journal(ctx, filter); err != nil {
				return err
			}
		}
	}, nil
}

func exportRow(e *money.Entry, line money.Line) []csvfile.Value {
	return []csvfile.Value{
		csvfile.Plain(e.Day.String()), csvfile.Plain(e.EntryID), csvfile.Plain(e.PartnerID), csvfile.Plain(string(e.Act)),
		csvfile.Plain(e.OrderID), csvfile.Words(e.PartnerOrderID), csvfile.Plain(string(line.Account)),
		csvfile.Plain(line.CourierID), csvfile.Dollars(line.Cents), csvfile.Plain(string(line.Currency)),
		csvfile.Plain(timestamp.Format(e.At)), csvfile.Plain(timestamp.Format(e.RecordedAt)), csvfile.Plain(e.ActorID),
		csvfile.Words(e.Notes),
	}
}
