package signin

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/throttle"
	"github.com/dropyard/dropyard/internal/mail"
)

// maxDevices is how many devices are remembered of a person.
const maxDevices = 50

// KnownDevice is a device that a person has signed in from.
type KnownDevice struct {
	PersonID   string
	Hash       []byte // of the token in its cookie, or of its User-Agent and network
	LastSeenAt time.Time
}

// DeviceWriter is what Devices needs of a transaction that has locked the person.
type DeviceWriter interface {
	mail.Writer
	// DevicesOf lists a person's devices, the last one seen first.
	DevicesOf(ctx context.Context, personID string) ([]*KnownDevice, error)
	SaveDevices(ctx context.Context, devices ...*KnownDevice) error
	RemoveDevice(ctx context.Context, personID string, hash []byte) error
}

// Devices remembers the devices that people sign in from.
type Devices struct {
	// Post informs people of new devices; nil sends nothing.
	Post mail.Post
}

// Login is the beginning of a session.
type Login struct {
	PersonID, PartnerID, Email string // PartnerID is empty for an operator
	From                       credential.Origin
	At                         time.Time
}

// Note remembers the device of a login. If it is new, and not the person's first, the
// person is informed by mail. A device is known by its cookie, or by its User-Agent and
// network: programs that keep no cookies would cause a mail at each login otherwise.
func (d Devices) Note(ctx context.Context, tx DeviceWriter, login *Login) error {
	known, err := tx.DevicesOf(ctx, login.PersonID)
	if err != nil {
		return err
	}
	hashes, found := login.devices(known)
	seen := make([]*KnownDevice, len(hashes))
	for i, hash := range hashes {
		seen[i] = &KnownDevice{login.PersonID, hash, login.At}
	}
	if err := tx.SaveDevices(ctx, seen...); err != nil {
		return err
	}
	for _, surplus := range known[min(len(known), maxDevices-len(seen)):] {
		if slices.ContainsFunc(hashes, surplus.is) {
			continue
		}
		if err := tx.RemoveDevice(ctx, login.PersonID, surplus.Hash); err != nil {
			return err
		}
	}
	if found || len(known) == 0 || d.Post == nil {
		return nil
	}
	return d.Post.Send(ctx, tx, &mail.Message{
		Kind: mail.SignIn, To: login.Email, PartnerID: login.PartnerID, At: login.At,
		Device: &mail.Device{Address: login.From.Address, Agent: login.From.Agent},
	})
}

func (d *KnownDevice) is(hash []byte) bool { return bytes.Equal(d.Hash, hash) }

// devices returns what to remember of the login's device, and whether it is known. The
// cookie of a known device is remembered only once it has come back: programs that do
// not keep it get another at each login.
func (l *Login) devices(known []*KnownDevice) (hashes [][]byte, found bool) {
	cookie := credential.HashToken(l.From.Device.Token)
	place := credential.HashToken(l.From.Agent + "\n" + throttle.Network(l.From.Address))
	found = slices.ContainsFunc(known, func(d *KnownDevice) bool { return d.is(cookie) || d.is(place) })
	if !l.From.Device.Returned {
		hashes = append(hashes, place)
	}
	if l.From.Device.Returned || !found {
		hashes = append(hashes, cookie)
	}
	return hashes, found
}
