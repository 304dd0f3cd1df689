package signin_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/mail"
	"github.com/dropyard/dropyard/internal/signin"
)

// deviceList is the devices of one person, by their hashes.
type deviceList map[string]*signin.KnownDevice

func (l deviceList) AddMail(context.Context, *mail.Mail) error { return nil }

func (l deviceList) LockMailCounts(context.Context, []mail.CountKey) ([]mail.Count, error) {
	return nil, nil
}

func (l deviceList) SaveMailCounts(context.Context, []mail.Count) error { return nil }

func (l deviceList) DevicesOf(context.Context, string) ([]*signin.KnownDevice, error) {
	return slices.SortedFunc(maps.Values(l),
		func(a, b *signin.KnownDevice) int { return b.LastSeenAt.Compare(a.LastSeenAt) }), nil
}

func (l deviceList) SaveDevices(_ context.Context, devices ...*signin.KnownDevice) error {
	for _, d := range devices {
		l[string(d.Hash)] = d
	}
	return nil
}

func (l deviceList) RemoveDevice(_ context.Context, _ string, hash []byte) error {
	delete(l, string(hash))
	return nil
}

// mailCount counts the mails that are sent.
type mailCount int

func (n *mailCount) Send(context.Context, mail.Writer, *mail.Message) error {
	*n++
	return nil
}

// logIn signs in a hundred times, a minute apart, each time with another cookie.
func logIn(t *testing.T, agent func(i int) string) (deviceList, mailCount) {
	t.Helper()
	var sent mailCount
	known, devices := deviceList{}, signin.Devices{Post: &sent}
	for i := range 100 {
		from := credential.NewOrigin("203.0.113.7", agent(i))
		from.Device.Token = fmt.Sprint(i)
		login := &signin.Login{PersonID: "usr_1", From: from, At: time.Unix(int64(60*i), 0)}
		if err := devices.Note(t.Context(), known, login); err != nil {
			t.Fatal(err)
		}
	}
	return known, sent
}

func TestDevicesAreBounded(t *testing.T) {
	t.Parallel()
	known, sent := logIn(t, func(i int) string { return fmt.Sprint("agent ", i) })
	if len(known) != 50 || sent != 99 {
		t.Errorf("a hundred devices: got %d known and %d mails, want 50 and 99", len(known), sent)
	}
	for _, device := range known {
		if device.LastSeenAt.Before(time.Unix(60*75, 0)) {
			t.Errorf("got a device last seen at %v, want the latest", device.LastSeenAt)
		}
	}
}

func TestDeviceWithoutCookies(t *testing.T) {
	t.Parallel()
	known, sent := logIn(t, func(int) string { return "program" })
	if len(known) != 2 || sent != 0 {
		t.Errorf("a hundred logins of a program: got %d known devices and %d mails, want 2 (its first cookie, and its agent and network) and none", len(known), sent)
	}
}
