package order

import (
	"context"
	"errors"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/tracing"
)

// spans are what is recorded of a command that waits; the zero value records nothing.
// Until the command is added, they belong to its caller, and then to the goroutine that
// takes it from the queue.
type spans struct {
	request *tracing.Span // of the request that has submitted it
	stage   *tracing.Span // of what it goes through now
}

// submitted begins the wait of a command for its group.
func (c *committer) submitted(ctx context.Context) spans {
	request := c.tracer.Of(ctx)
	return spans{request, c.tracer.StartWithin(request, "wait for group", nil)}
}

// grouped begins the span of a group. One transaction is made for many requests, so it has
// a trace of its own, and is linked with the span "commit" that begins in each of theirs.
// Without a request that is recorded nothing is.
func (c *committer) grouped(group []*waiting) (context.Context, *tracing.Span) {
	ctx := context.Background()
	if c.tracer == nil {
		return ctx, nil
	}
	var requests []*tracing.Span
	for _, w := range group {
		if w.spans.request != nil {
			requests = append(requests, w.spans.request)
		}
	}
	ctx, span := c.tracer.StartGroup(ctx, "commit group", requests)
	for _, w := range group {
		w.spans.stage.End() // of an earlier try with other commands
		w.spans.stage = c.tracer.StartWithin(w.spans.request, "commit", span)
	}
	return ctx, span
}

func endGroup(span *tracing.Span, tried Group, err error) {
	span.SetNumber("dropyard.group.commands", tried.Commands)
	span.SetNumber("dropyard.group.races", tried.Races)
	span.SetNumber("dropyard.group.retries", tried.Retries)
	switch {
	case errors.Is(err, refusal.ErrBlocked):
		span.Fail("blocked")
	case errors.Is(err, refusal.ErrUnreachable):
		span.Fail("unreachable")
	case err != nil:
		span.Fail("internal")
	}
	span.End()
}
