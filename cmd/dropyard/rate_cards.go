package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

type rateCardsCommand struct {
	List    listRateCardsCommand   `cmd:"" default:"withargs" help:"List rate cards, past and planned ones included."`
	Get     getRateCardCommand     `cmd:"" help:"Print a rate card with its prices as JSON."`
	Preview previewRateCardCommand `cmd:"" help:"Compare the price of a delivery on the present card and on another one; store nothing."`
}

type listRateCardsCommand struct {
	Name string `help:"Only the cards of this name." placeholder:"NAME"`
	listFlags
	operatorFlags
}

// Run prints the rate cards.
func (c *listRateCardsCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	q := client.RateCardQuery{Name: c.Name}
	return list(&c.listFlags, "rate_cards", largestPage, []column[client.RateCard]{
		text("ID", func(r client.RateCard) string { return r.CardID }),
		text("NAME", func(r client.RateCard) string { return r.Name }),
		text("VERSION", func(r client.RateCard) string { return r.Version }),
		text("STATE", func(r client.RateCard) string { return string(r.State) }),
		text("FROM", func(r client.RateCard) string { return moment(r.EffectiveFrom) }),
		text("UNTIL", func(r client.RateCard) string { return moment(r.EffectiveUntil) }),
	}, func(size int, option client.CallOption) ([]client.RateCard, bool, error) {
		q.Limit = size
		found, err := operator.ListRateCards(ctx, q, option)
		if err != nil {
			return nil, false, err
		}
		q.Cursor = found.NextCursor
		return found.RateCards, q.Cursor != "", nil
	})
}

type getRateCardCommand struct {
	CardID string `arg:"" help:"The card."`
	operatorFlags
}

// Run prints the card as the service returns it.
func (c *getRateCardCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var answer client.Answer
	if _, err := operator.GetRateCard(ctx, c.CardID, client.WithAnswer(&answer)); err != nil {
		return err
	}
	return (&outputFlags{}).output().raw(answer.Body)
}

type previewRateCardCommand struct {
	File    string  `arg:"" optional:"" help:"JSON file with the proposed card (docs/rates.md), or what get prints, with other prices."`
	Card    string  `help:"Instead of a file, the id of a card that was uploaded." placeholder:"ID"`
	Order   string  `help:"The delivery: an order." placeholder:"ORDER-ID"`
	Quote   string  `help:"The delivery: a JSON file with a quote or an order, or - for standard input." placeholder:"FILE"`
	From    string  `help:"The delivery: where it begins (example: 'Montréal, QC H2W 2M5')." placeholder:"PLACE"`
	To      string  `help:"The delivery: where it ends (example: 'Toronto, ON M5H 2N2')." placeholder:"PLACE"`
	Weight  float64 `help:"With --from and --to: weight of the parcel in kilograms." default:"1" placeholder:"KG"`
	Partner string  `help:"Compare with the present card of this partner, instead of the default card." placeholder:"ID"`
	outputFlags
	operatorFlags
}

// previewed is a comparison for a service level; the level is empty for an order.
type previewed struct {
	level client.ServiceLevel
	*client.Preview
}

// Run prints both prices: for each service level, or for that of the order or quote.
func (c *previewRateCardCommand) Run(ctx context.Context) error {
	request, err := c.request()
	if err != nil {
		return usageError{err}
	}
	operator, err := c.operator()
	if err != nil {
		return err
	}
	levels := []client.ServiceLevel{""}
	if request.Quote != nil && request.Quote.ServiceLevel == "" {
		levels = levels[:0]
		for _, level := range delivery.ServiceLevels {
			levels = append(levels, client.ServiceLevel(level))
		}
	}
	out := c.output()
	var found []previewed
	for _, level := range levels {
		if level != "" {
			request.Quote.ServiceLevel = level
		}
		var answer client.Answer
		preview, err := operator.PreviewRateCard(ctx, *request, client.WithAnswer(&answer))
		if err != nil {
			return err
		}
		if out.json {
			if err := out.line(answer.Body); err != nil {
				return err
			}
			continue
		}
		if level == "" && request.Quote != nil {
			level = request.Quote.ServiceLevel
		}
		found = append(found, previewed{level, preview})
	}
	if out.json {
		return nil
	}
	if err := newLister(out, "", previewColumns()).print(found, nil); err != nil || len(found) != 1 {
		return err
	}
	return printCharges(out, found[0].Preview)
}

// request returns the card and the delivery that the flags describe.
func (c *previewRateCardCommand) request() (*client.PreviewRequest, error) {
	if (c.File == "") == (c.Card == "") {
		return nil, errors.New("<file>, --card: one of them is needed")
	}
	request := &client.PreviewRequest{CardID: c.Card, OrderID: c.Order, PartnerID: c.Partner}
	if c.File != "" {
		content, err := readFile(c.File)
		if err != nil {
			return nil, err
		}
		if request.Card, err = cardIn(content); err != nil {
			return nil, fmt.Errorf("%s is not a rate card: %w", c.File, err)
		}
	}
	switch {
	case c.Order != "":
		return request, nil
	case c.Quote != "":
		var err error
		request.Quote, err = readQuote(c.Quote)
		return request, err
	default:
		quote := quoteCommand{From: c.From, To: c.To, Weight: []float64{c.Weight}}
		var err error
		if request.Quote, err = quote.request(); err != nil {
			err = fmt.Errorf("--order, --quote, or --from and --to are needed: %w", err)
		}
		return request, err
	}
}

// cardIn returns the card in a file: the file of a card, or what rate-cards get prints, which has it as a member.
func cardIn(content []byte) (*client.RateCardFile, error) {
	var uploaded struct {
		Card *client.RateCardFile `json:"card"`
	}
	if err := json.Unmarshal(content, &uploaded); err != nil || uploaded.Card != nil {
		return uploaded.Card, err
	}
	var card client.RateCardFile
	return &card, json.Unmarshal(content, &card)
}

func previewColumns() []column[previewed] {
	return []column[previewed]{
		text("LEVEL", func(p previewed) string { return string(p.level) }),
		figure("NOW", func(p previewed) string { return price(p.Current) }),
		figure("PROPOSED", func(p previewed) string { return price(p.Proposed) }),
		{title: "CHANGE", right: true, cell: func(p previewed) terminal.Cell {
			if p.Current == nil || p.Proposed == nil {
				return terminal.Cell{}
			}
			change := p.Proposed.RateCents - p.Current.RateCents
			style := terminal.Plain
			switch {
			case change > 0:
				style = terminal.Red
			case change < 0:
				style = terminal.Green
			}
			return terminal.Cell{Text: dollars(change, p.Proposed.Currency), Style: style}
		}},
		text("ESTIMATE", func(p previewed) string {
			if p.Proposed == nil {
				return ""
			}
			return moment(p.Proposed.EstimatedDelivery)
		}),
	}
}

func price(p *client.Price) string {
	if p == nil {
		return "not offered"
	}
	return dollars(p.RateCents, p.Currency)
}

// printCharges prints the parts of both prices below them.
func printCharges(out *output, p *client.Preview) error {
	amounts := map[client.ChargeName][2]string{}
	var names []client.ChargeName
	for i, of := range []*client.Price{p.Current, p.Proposed} {
		if of == nil {
			continue
		}
		for _, charge := range of.Charges {
			if !slices.Contains(names, charge.Name) {
				names = append(names, charge.Name)
			}
			amount := amounts[charge.Name]
			amount[i] = dollars(charge.AmountCents, of.Currency)
			amounts[charge.Name] = amount
		}
	}
	if err := out.say(""); err != nil {
		return err
	}
	table := terminal.NewTable(out.to, out.palette,
		[]terminal.Column{{Title: "CHARGE"}, {Title: "NOW", Right: true}, {Title: "PROPOSED", Right: true}})
	for _, name := range names {
		table.Add(terminal.Cell{Text: string(name)}, terminal.Cell{Text: amounts[name][0]},
			terminal.Cell{Text: amounts[name][1]})
	}
	return table.Flush()
}
