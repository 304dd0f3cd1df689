package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

// changeWait is how long a request for changes waits for one, in seconds.
const changeWait = 20

// clearScreen moves to the top left and erases the screen (ECMA-48, CUP and ED).
const clearScreen = "\x1b[H\x1b[2J"

// screen returns the board as it fills the terminal.
func (c *boardShowCommand) screen(ctx context.Context, operator *client.Operator, q client.BoardQuery) (string, error) {
	counts, err := operator.GetAttention(ctx)
	if err != nil {
		return "", err
	}
	q.Limit = min(largestBoardPage, max(1, terminal.Height(os.Stdout)-4))
	found, err := operator.ListBoard(ctx, q)
	if err != nil {
		return "", err
	}
	var page bytes.Buffer
	out := c.output()
	out.to, out.json = &page, false
	_ = out.say(clearScreen+"%d open, %d need attention, at %s. Press Ctrl-C to stop.\n", counts.Open, counts.Attention, time.Now().Format(time.TimeOnly))
	err = newLister(out, "", boardColumns()).print(found.Orders, nil)
	return page.String(), err
}

// nextChange waits for a change of the board after a position, and returns the next
// position; empty if that is too old. It returns immediately if the position is empty.
func nextChange(ctx context.Context, operator *client.Operator, after string) (string, error) {
	for {
		if after == "" {
			snapshot, err := operator.GetBoardSnapshot(ctx)
			if err != nil {
				return "", err
			}
			after = snapshot.After
		}
		changes, err := operator.ListBoardChanges(ctx, client.BoardChangesQuery{After: after, Wait: changeWait})
		switch {
		case client.CodeOf(err) == client.CodeGone:
			return "", beforeNewPosition(ctx)
		case err != nil:
			return "", err
		case len(changes.Changed)+len(changes.Gone) > 0:
			return changes.After, nil
		}
		after = changes.After
	}
}

// beforeNewPosition waits a second, so that a service that knows none of its positions is
// not asked all the time.
func beforeNewPosition(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Second):
		return nil
	}
}

// follow prints each change of the board on a line, from now on.
func (c *boardShowCommand) follow(ctx context.Context, operator *client.Operator, out *output) error {
	after := ""
	for {
		if after == "" {
			snapshot, err := operator.GetBoardSnapshot(ctx)
			if err != nil {
				return err
			}
			after = snapshot.After
		}
		changes, err := operator.ListBoardChanges(ctx, client.BoardChangesQuery{After: after, Wait: changeWait})
		if client.CodeOf(err) == client.CodeGone {
			if err := beforeNewPosition(ctx); err != nil {
				return err
			}
			after = ""
			continue
		}
		if err != nil {
			return err
		}
		if err := printChanges(out, changes); err != nil {
			return err
		}
		after = changes.After
	}
}

// printChanges prints the rows that have changed, and the ids of orders that are no
// longer open.
func printChanges(out *output, changes *client.BoardChanges) error {
	for _, row := range changes.Changed {
		if !out.json {
			if err := out.say("%s  %-16s  %s  %s  %s", moment(row.UpdatedAt), row.Status, row.OrderID, row.PartnerName, courierName(client.BoardOrder{BoardRow: row})); err != nil {
				return err
			}
			continue
		}
		line, err := json.Marshal(row)
		if err != nil {
			return err
		}
		if err := out.raw(line); err != nil {
			return err
		}
	}
	for _, id := range changes.Gone {
		if err := out.say("%s  no longer open    %s", moment(time.Now()), id); err != nil {
			return err
		}
		if !out.json {
			continue
		}
		if err := out.raw(fmt.Appendf(nil, `{"order_id":%q,"gone":true}`, id)); err != nil {
			return err
		}
	}
	return nil
}
