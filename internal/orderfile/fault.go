package orderfile

import "fmt"

// Code says what is wrong with a cell or a line of a file.
type Code string

// The codes.
const (
	NotNumber    Code = "not_number"
	NotAmount    Code = "not_amount"
	NotFlag      Code = "not_flag"
	Ruined       Code = "ruined"        // a spreadsheet shows this instead of the value
	Differs      Code = "differs"       // from an earlier line of the same order: its text, and its line
	Twice        Code = "twice"         // the number is that of another recipient's order: its line
	Repeated     Code = "repeated"      // the line is the same as an earlier one of the order: both lines; a warning
	NoReference  Code = "no_reference"  // the line has no partner_order_id
	Ragged       Code = "ragged"        // the line has so many cells, and the header so many columns
	Metadata     Code = "metadata"      // it is not what the service accepts: why not, in English
	LacksLetters Code = "lacks_letters" // that the file's encoding does not have: a warning
)

// Codes lists all codes.
var Codes = []Code{
	NotNumber, NotAmount, NotFlag, Ruined, Differs, Twice, Repeated, NoReference, Ragged, Metadata, LacksLetters,
}

// Fault is what is wrong with a cell, or with a line if the cell has no field.
type Fault struct {
	Cell
	Code      Code
	Text      string // of the cell
	Arguments []any
	// OfDefault is set if it is wrong with the default that stands for the cell, which is empty.
	OfDefault bool
}

var messages = map[Code]string{
	NotNumber: "%[1]s: %[2]q is not a number (example: 12.5)",
	NotAmount: "%[1]s: %[2]q is not an amount (example: 12.50)",
	NotFlag:   "%[1]s: %[2]q is not true or false",
	Ruined: "%[1]s: %[2]q is what a spreadsheet shows instead of the value: " +
		"format the column as text and enter the value again",
	Differs: "%[1]s is %[2]q, but %[3]q in line %[4]d of the same order",
	Twice: "%[1]s %[2]q is also that of line %[3]d, which has another recipient: " +
		"give this order a number of its own",
	Repeated: "line %[3]d is the same as line %[4]d: their parcels are in one order, %[2]q; " +
		"if the line was pasted twice, remove it",
	NoReference: "%[1]s is empty",
	Ragged:      "the line has %[3]d cells, but the header names %[4]d columns",
	Metadata:    "%[1]s: %[3]v",
	LacksLetters: "%[2]q seems to lack letters that the file's encoding does not have: " +
		"save it as CSV UTF-8",
}

// Message returns what is wrong, in English.
func (f Fault) Message() string {
	return fmt.Sprintf(messages[f.Code], append([]any{f.Field, f.Text}, f.Arguments...)...)
}
