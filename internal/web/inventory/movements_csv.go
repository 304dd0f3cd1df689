package inventory

import (
	"bytes"
	"strconv"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/csvfile"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/stock"
)

const (
	// movementsInFile is how many movements a file has at most: the newest ones.
	movementsInFile = 50_000
	// movementsAtOnce is how many of them are read at a time.
	movementsAtOnce = 1000
)

// movementColumns are the columns of a journal in CSV. change is the quantity with the sign
// of what the movement added to the stock.
var movementColumns = []string{
	"at", "movement_id", "type", "change", "product_id", "product_name", "location", "order_id", "notes",
	"partner_order_id",
}

// MovementsCSV returns the movements that the page's address asks for as CSV, newest first,
// and at most the newest 50,000. The error is not_found if the partner has no such product.
func (v *View) MovementsCSV(layout csvfile.Layout) ([]byte, error) {
	m := &Movements{View: v}
	if err := m.choose(); err != nil {
		return nil, err
	}
	filter := stock.MovementFilter{PartnerID: v.PartnerID, Type: m.Type, Limit: movementsAtOnce}
	if m.Product != nil {
		filter.ProductID = m.Product.ProductID
	}
	var file bytes.Buffer
	lines := csvfile.NewWriter(&file, layout, movementColumns...)
	for range movementsInFile / movementsAtOnce {
		found, err := v.Stock.Movements(v.Context(), filter)
		if err != nil {
			return nil, err
		}
		numbers, err := v.numbers(found)
		if err != nil {
			return nil, err
		}
		for _, one := range found {
			lines.Row(v.movementLine(one, numbers[one.OrderID])...)
		}
		if len(found) < movementsAtOnce {
			break
		}
		filter.Before = found[len(found)-1].MovementID
	}
	err := lines.Flush() // before the bytes are taken
	return file.Bytes(), err
}

func (v *View) movementLine(m delivery.Movement, number string) []csvfile.Value {
	notes := ""
	if v.Notes {
		notes = m.Notes
	}
	return []csvfile.Value{
		csvfile.Plain(timestamp.Format(m.At)), csvfile.Whole(m.MovementID), csvfile.Plain(string(m.Type)),
		csvfile.Whole(m.Change()), csvfile.Whole(m.ProductID), csvfile.Words(m.ProductName), csvfile.Words(m.Location),
		csvfile.Plain(m.OrderID), csvfile.Words(notes),
		csvfile.Words(number),
	}
}

// File returns the address of the same journal as CSV.
func (m *Movements) File() string {
	product := ""
	if m.Product != nil {
		product = strconv.FormatInt(m.Product.ProductID, 10)
	}
	return m.Link(m.Path+".csv", "product_id", product, "type", string(m.Type))
}
