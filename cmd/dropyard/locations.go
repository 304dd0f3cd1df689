package main

import (
	"context"
	"fmt"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

type locationsCommand struct {
	List listLocationsCommand `cmd:"" default:"withargs" help:"List the warehouses and hubs that have an address."`
	Set  setLocationCommand   `cmd:"" help:"Set the address of a warehouse or hub, which returns need."`
}

type listLocationsCommand struct {
	listFlags
	operatorFlags
}

// Run prints the locations.
func (c *listLocationsCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	return list(&c.listFlags, "locations", largestPage, []column[client.Location]{
		text("CODE", func(l client.Location) string { return l.Code }),
		text("NAME", func(l client.Location) string { return l.Name }),
		text("PHONE", func(l client.Location) string { return l.Phone }),
		text("ADDRESS", func(l client.Location) string { return oneLine(&l.Address) }),
	}, func(_ int, option client.CallOption) ([]client.Location, bool, error) {
		found, err := operator.ListLocations(ctx, option)
		if err != nil {
			return nil, false, err
		}
		return found.Locations, false, nil
	})
}

func oneLine(a *client.Address) string {
	return fmt.Sprintf("%s, %s %s %s", a.Line1, a.City, a.Province, a.PostalCode)
}

type setLocationCommand struct {
	Code string `arg:"" help:"The code of the location, as in the stock."`
	File string `arg:"" default:"-" help:"JSON file with name, phone, email and address, as PUT /ops/v1/locations/{code} takes it, or - for standard input."`
	outputFlags
	operatorFlags
}

// Run sets the address.
func (c *setLocationCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var wanted client.LocationRequest
	if err := readObject(c.File, "the location", &wanted); err != nil {
		return err
	}
	var answer client.Answer
	set, err := operator.PutLocation(ctx, c.Code, wanted, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	return c.output().record(&answer, []terminal.Field{
		field("code", set.Code), field("name", set.Name), field("address", oneLine(&set.Address)),
	})
}
