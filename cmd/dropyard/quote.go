package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/dropyard/dropyard/client"
)

type quoteCommand struct {
	File   string    `short:"f" help:"JSON file with a quote or an order, or - for standard input, instead of --from, --to and --weight." placeholder:"FILE" xor:"from,to,weight"`
	From   string    `help:"Where the delivery begins: a postal code, with city and province for a quote that can be ordered (example: 'Montréal, QC H2W 2M5')." placeholder:"PLACE" xor:"from"`
	To     string    `help:"Where it ends (examples: 'M5H 2N2', 'Toronto, ON M5H 2N2')." placeholder:"PLACE" xor:"to"`
	Weight []float64 `help:"Weight of each parcel in kilograms (example: --weight 2.5,1). Default: 1." placeholder:"KG" xor:"weight"`
	Level  string    `help:"Service level: standard, express or same_day. Default: all." enum:",standard,express,same_day" default:"" placeholder:"LEVEL"`
	outputFlags
	partnerFlags
}

// Run prints the price and the estimate for each service level.
func (c *quoteCommand) Run(ctx context.Context) error {
	request, err := c.request()
	if err != nil {
		return usageError{err}
	}
	partner, err := c.client()
	if err != nil {
		return err
	}
	if c.Level != "" {
		request.ServiceLevel = client.ServiceLevel(c.Level)
	}
	l := newLister(c.output(), "quotes", []column[client.Quote]{
		text("LEVEL", func(q client.Quote) string { return string(q.ServiceLevel) }),
		figure("PRICE", func(q client.Quote) string { return dollars(q.RateCents, q.Currency) }),
		figure("DAYS", func(q client.Quote) string { return number(q.TransitDays) }),
		text("ESTIMATE", func(q client.Quote) string { return exactly(q.EstimatedDelivery) }),
		text("QUOTE", func(q client.Quote) string { return q.QuoteID }),
	})
	var answer client.Answer
	if request.ServiceLevel != "" {
		quote, err := partner.CreateQuote(ctx, *request, client.WithAnswer(&answer))
		switch {
		case err != nil:
			return err
		case l.out.json:
			return l.out.line(answer.Body)
		}
		noticeAssumed(quote.Assumed)
		return l.print([]client.Quote{*quote}, &answer)
	}
	quotes, err := partner.CreateQuotes(ctx, *request, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	for _, problem := range quotes.NotOffered {
		notice("%v: not offered: expected %s", problem.Value, problem.Expected)
	}
	if len(quotes.Quotes) > 0 {
		noticeAssumed(quotes.Quotes[0].Assumed)
	}
	return l.print(quotes.Quotes, &answer)
}

// noticeAssumed prints what the service has added to the addresses.
func noticeAssumed(assumed *client.Assumed) {
	if assumed == nil {
		return
	}
	for _, end := range []struct {
		name  string
		place *client.AssumedPlace
	}{{"from", assumed.Pickup}, {"to", assumed.Dropoff}} {
		if p := end.place; p != nil {
			notice("%s: assumed %s", end.name, strings.Trim(p.City+", "+string(p.Province), ", "))
		}
	}
}

// request returns the delivery that the flags describe.
func (c *quoteCommand) request() (*client.QuoteRequest, error) {
	if c.File != "" {
		return readQuote(c.File)
	}
	from, err := place("--from", c.From)
	if err != nil {
		return nil, err
	}
	to, err := place("--to", c.To)
	if err != nil {
		return nil, err
	}
	request := &client.QuoteRequest{Pickup: client.Contact{Address: from}, Dropoff: client.Contact{Address: to}}
	if len(c.Weight) == 0 {
		c.Weight = []float64{1} // no default of the flag, which would count as given beside --file
	}
	for _, weight := range c.Weight {
		request.Parcels = append(request.Parcels, client.Parcel{WeightKG: weight})
	}
	return request, nil
}

// readQuote reads a delivery from a file, or from standard input if the name is "-".
func readQuote(name string) (*client.QuoteRequest, error) {
	content, err := readFile(name)
	if err != nil {
		return nil, err
	}
	var request client.QuoteRequest
	if err := json.Unmarshal(content, &request); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &request, nil
}

// readFile reads a file, or standard input if the name is "-".
func readFile(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(os.Stdin)
	}
	return os.ReadFile(name)
}

// placeForm is a postal code, which a city and a province may precede.
var placeForm = regexp.MustCompile(
	`^\s*(?:(.+?)\s*,\s*([A-Za-z]{2})\s*,?\s+)?([A-Za-z][0-9][A-Za-z] ?[0-9][A-Za-z][0-9])\s*$`,
)

// place returns the address that a flag describes.
func place(flag, text string) (client.Address, error) {
	parts := placeForm.FindStringSubmatch(text)
	if parts == nil {
		return client.Address{}, fmt.Errorf(
			"%s: %q is not a postal code or CITY, PROVINCE POSTAL CODE (example: 'Montréal, QC H2W 2M5')", flag, text)
	}
	return client.Address{
		City: parts[1], Province: client.Province(strings.ToUpper(parts[2])), PostalCode: parts[3], Country: client.Canada,
	}, nil
}
