package app

import (
	"bytes"
	"context"

	openapi "github.com/dropyard/dropyard/api"
	"github.com/dropyard/dropyard/internal/api"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/figures"
	"github.com/dropyard/dropyard/internal/report"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/home"
)

// facts returns what the first page shows of the service.
func (a *App) facts(v *web.PageRequest) ([]home.Fact, error) {
	ctx := v.Context()
	if a.config.LocalDemo() {
		return a.demoFacts(ctx)
	}
	state := "home.fact.ready"
	if len(a.reasons(ctx)) > 0 {
		state = "home.fact.unready"
	}
	return []home.Fact{
		{Key: "home.fact.state", Word: state, Path: "/v1/ready"},
		{Key: "home.fact.operations", Count: operations(), Path: "/docs/api/createOrder"},
		{Key: "home.fact.events", Count: int64(len(delivery.EventTypes)), Path: "/docs/webhooks"},
		{Key: "home.fact.errors", Count: int64(len(api.Statuses())), Path: "/docs"},
	}, nil
}

// operations returns how many operations the interface of partners has.
func operations() int64 { return int64(bytes.Count(openapi.OpenAPI, []byte("\n      operationId: "))) }

// demoFacts returns the figures of a demo that only this machine can reach: its orders are invented.
func (a *App) demoFacts(ctx context.Context) ([]home.Fact, error) {
	counts, err := a.dispatch.Count(ctx)
	if err != nil {
		return nil, err
	}
	found, err := a.reports().Figures(ctx, report.Question{})
	if err != nil {
		return nil, err
	}
	today := figures.DayOf(a.calendar.Clock, a.Now(), "QC")
	var now figures.Counts
	for _, line := range found.Lines {
		if line.Day == today {
			now = now.Plus(line.Counts)
		}
	}
	month := report.Total(found.Lines)
	return []home.Fact{
		{Key: "home.fact.open", Count: counts.Open, Path: "/console/board"},
		{Key: "home.fact.delivered", Count: now.Delivered, Path: "/console/figures"},
		{Key: "home.fact.punctual", Count: month.OnTime, Of: month.Delivered, Path: "/console/figures"},
		{Key: "home.fact.webhooks", Count: now.WebhooksDelivered, Path: "/portal/webhooks"},
	}, nil
}
