package shelf

import (
	"bytes"
	"encoding/csv"
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
var movementColumns = []string{"at", "movement_id", "type", "change", "product_id", "product_name", "location", "order_id", "notes"}

// MovementsCSV returns the movements that the page's address asks for as CSV, newest first,
// and at most the newest 50,000. The error is not_found if the partner has no such product.
func (v *View) MovementsCSV() ([]byte, error) {
	m := &Movements{View: v}
	if err := m.choose(); err != nil {
		return nil, err
	}
	filter := stock.MovementFilter{PartnerID: v.PartnerID, Type: m.Type, Limit: movementsAtOnce}
	if m.Product != nil {
		filter.ProductID = m.Product.ProductID
	}
	var file bytes.Buffer
	lines := csv.NewWriter(&file)
	_ = lines.Write(movementColumns) // a buffer takes everything
	for range movementsInFile / movementsAtOnce {
		found, err := v.Stock.Movements(v.Context(), filter)
		if err != nil {
			return nil, err
		}
		for _, one := range found {
			_ = lines.Write(v.movementLine(one))
		}
		if len(found) < movementsAtOnce {
			break
		}
		filter.Before = found[len(found)-1].MovementID
	}
	lines.Flush()
	return file.Bytes(), nil
}

func (v *View) movementLine(m delivery.Movement) []string {
	notes := ""
	if v.Notes {
		notes = m.Notes
	}
	return []string{
		timestamp.Format(m.At), strconv.FormatInt(m.MovementID, 10), string(m.Type), strconv.FormatInt(m.Change(), 10),
		strconv.FormatInt(m.ProductID, 10), csvfile.Escape(m.ProductName), csvfile.Escape(m.Location), m.OrderID, csvfile.Escape(notes),
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
