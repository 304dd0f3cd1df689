package storetest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
)

// messageIDs returns the ids of messages that a transaction reads.
func messageIDs(t *testing.T, s *store.Store, read func(dispatch.Reader) ([]*dispatch.Message, error)) string {
	t.Helper()
	var ids []string
	readDispatch(t, s, func(tx dispatch.Reader) error {
		found, err := read(tx)
		for _, message := range found {
			ids = append(ids, message.MessageID)
		}
		return err
	})
	return fmt.Sprint(ids)
}

// testMessages: messages to a courier are listed newest first, those that are not read oldest first, and
// removed by the time at which they were sent.
func testMessages(t *testing.T, s *store.Store) {
	ctx := t.Context()
	writeDispatch(t, s, func(tx dispatch.Writer) error {
		for i := range 4 {
			must(t, tx.AddMessage(ctx, &dispatch.Message{
				CourierID: []string{"cou_1", "cou_2"}[i/3], MessageID: fmt.Sprint("m", i), OperatorID: "opr_1", Text: "Hello",
				At: testkit.Epoch.Add(time.Duration(i) * time.Minute),
			}))
		}
		message, err := tx.LockMessage(ctx, "cou_1", "m1")
		must(t, err)
		message.ReadAt = testkit.Epoch.Add(time.Hour)
		must(t, tx.SaveMessage(ctx, message))
		if other, err := tx.LockMessage(ctx, "cou_2", "m1"); other != nil || err != nil {
			t.Errorf("got %+v, %v, want no message of another courier", other, err)
		}
		return tx.SetPhone(ctx, "+15145550100")
	})
	lists := func(want, page, unread string) {
		t.Helper()
		for list, read := range map[string]func(dispatch.Reader) ([]*dispatch.Message, error){
			want:   func(tx dispatch.Reader) ([]*dispatch.Message, error) { return tx.Messages(ctx, "cou_1", "", 9) },
			page:   func(tx dispatch.Reader) ([]*dispatch.Message, error) { return tx.Messages(ctx, "cou_1", "m2", 1) },
			unread: func(tx dispatch.Reader) ([]*dispatch.Message, error) { return tx.Unread(ctx, "cou_1", 9) },
		} {
			if got := messageIDs(t, s, read); got != list {
				t.Errorf("got the messages %s, want %s", got, list)
			}
		}
	}
	lists("[m2 m1 m0]", "[m1]", "[m0 m2]")
	readDispatch(t, s, func(tx dispatch.Reader) error {
		found, err := tx.Messages(ctx, "cou_1", "", 9)
		if len(found) == 3 && !found[1].ReadAt.Equal(testkit.Epoch.Add(time.Hour)) {
			t.Errorf("got %+v, want the time at which it was read", found[1])
		}
		if phone, err := tx.Phone(ctx); phone != "+15145550100" || err != nil {
			t.Errorf("got the number %q, %v, want what was set", phone, err)
		}
		return err
	})
	writeRetention(t, s, func(tx retention.Writer) error { return tx.RemoveMessages(ctx, testkit.Epoch.Add(time.Minute)) })
	lists("[m2 m1]", "[m1]", "[m2]")
	var admins sync.WaitGroup
	for range 8 {
		admins.Go(func() {
			writeDispatch(t, s, func(tx dispatch.Writer) error {
				before, err := tx.LockPhone(ctx)
				must(t, err)
				return tx.SetPhone(ctx, before+"1")
			})
		})
	}
	admins.Wait()
	readDispatch(t, s, func(tx dispatch.Reader) error {
		phone, err := tx.Phone(ctx)
		if phone != "+15145550100"+"11111111" {
			t.Errorf("got %q after eight changes of what was there, want each of them", phone)
		}
		return err
	})
}
