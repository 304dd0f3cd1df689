package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/pace"
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
	_ = out.say(clearScreen+"%d open, %d need attention, at %s. Press Ctrl-C to stop.\n", counts.Open, counts.Attention,
		time.Now().Format(time.TimeOnly))
	err = newLister(out, "", boardColumns()).print(found.Orders, nil)
	return page.String(), err
}

// nextChange waits for a change of the board after a position, and returns the next
// position; empty if the old one is too old. An empty position stands for now.
func nextChange(ctx context.Context, operator *client.Operator, after string) (string, error) {
	for {
		changes, err := changesAfter(ctx, operator, after)
		if err != nil {
			return "", err
		}
		if after = changes.After; after == "" || len(changes.Changed)+len(changes.Gone) > 0 {
			return after, nil
		}
	}
}

// changesAfter waits for changes of the board after a position, or from now on if it is
// empty. They may be none. If the position is too old, the next one is empty.
func changesAfter(ctx context.Context, operator *client.Operator, after string) (*client.BoardChanges, error) {
	if after == "" {
		snapshot, err := operator.GetBoardSnapshot(ctx)
		if err != nil {
			return nil, err
		}
		after = snapshot.After
	}
	changes, err := operator.ListBoardChanges(ctx, client.BoardChangesQuery{After: after, Wait: changeWait})
	if client.CodeOf(err) != client.CodeGone {
		return changes, err
	}
	// A service that refuses all of its positions is asked once a second.
	return &client.BoardChanges{}, pace.Pause(ctx, time.Second)
}

// follow prints each change of the board on a line, from now on.
func (c *boardShowCommand) follow(ctx context.Context, operator *client.Operator, out *output) error {
	after := ""
	for {
		changes, err := changesAfter(ctx, operator, after)
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
			if err := out.say("%s  %-16s  %s  %s  %s", moment(row.UpdatedAt), row.Status, row.OrderID, row.PartnerName,
				courierName(client.BoardOrder{BoardRow: row})); err != nil {
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
