package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

// money is an amount in dollars, as people type it, with a point or a comma. Parts of a cent are refused, because they
// are a slip: rounded, they would be booked as another amount. So is a comma before three digits, which could separate
// thousands.
type money float64

// Decode implements [kong.MapperValue].
func (m *money) Decode(ctx *kong.DecodeContext) error {
	var text string
	if err := ctx.Scan.PopValueInto("amount", &text); err != nil {
		return err
	}
	number := text
	if whole, cents, found := strings.Cut(text, ","); found && len(cents) <= 2 {
		number = whole + "." + cents
	}
	dollars, err := strconv.ParseFloat(number, 64)
	if cents := 100 * dollars; err != nil || math.IsInf(cents, 0) || math.IsNaN(cents) ||
		math.Abs(cents-math.Round(cents)) > 1e-6*max(1, math.Abs(dollars)) {
		return fmt.Errorf("%q is not an amount in dollars and cents (example: 12.50)", text)
	}
	*m = money(dollars)
	return nil
}

// decodeTime decodes the times of flags.
func decodeTime(ctx *kong.DecodeContext, target reflect.Value) error {
	var text string
	if err := ctx.Scan.PopValueInto("time", &text); err != nil {
		return err
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return fmt.Errorf("%q is not a time with an offset (example: 2026-11-23T00:00:00Z)", text)
	}
	target.Set(reflect.ValueOf(at))
	return nil
}

var errEmpty = errors.New("the input is empty")

// readObject parses a file with JSON, or standard input if the name is "-". What says in errors what it holds.
func readObject(name, what string, into any) error {
	if name == "-" && terminal.Is(os.Stdin) {
		notice("Enter %s as JSON, and end it with Ctrl-D; or name a file.", what)
	}
	content, err := readFile(name)
	switch {
	case err == nil && len(bytes.TrimSpace(content)) == 0:
		err = errEmpty
	case err == nil:
		err = json.Unmarshal(content, into)
	}
	if err != nil {
		return usageError{fmt.Errorf("%s: %w", what, err)}
	}
	return nil
}
