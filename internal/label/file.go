package label

import (
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// Format is how labels are written, as a media type.
type Format string

// The formats of labels.
const (
	FormatPDF Format = "application/pdf"
	FormatZPL Format = "application/zpl"
)

// File is the labels of an order in a file.
type File struct {
	Name   string
	Format Format
	Data   []byte
}

// NewFile returns the labels of an order in a format, for a print head of the resolution; any
// format other than FormatZPL is PDF. clock is the time zone of the dropoff.
func NewFile(o *delivery.Order, format Format, resolution Resolution, clock *time.Location) (file File, err error) {
	name := "label-" + o.OrderID
	if format == FormatZPL {
		return File{name + ".zpl", FormatZPL, ZPL(o, resolution, clock)}, nil
	}
	file = File{Name: name + ".pdf", Format: FormatPDF}
	file.Data, err = PDF(o, resolution, clock)
	return file, err
}
