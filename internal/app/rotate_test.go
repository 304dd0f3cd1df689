package app_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/mail"
	"github.com/dropyard/dropyard/internal/mailer"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/webhook"
)

// vault is an installation whose database holds sealed secrets of all kinds.
type vault struct {
	*apptest.Service
	partner  *apptest.Partner
	settings *config.Config
	world    app.Surroundings
}

// manyKeys is more than one transaction of a rotation seals.
const manyKeys = 250

// newVault returns an installation that is stopped.
func newVault(t *testing.T) *vault {
	t.Helper()
	dir := testkit.FastDir(t)
	v := &vault{Service: apptest.Start(t, apptest.DataIn(dir))}
	v.partner = v.Register(t, "metro")
	v.settings = &config.Config{Data: dir, DatabaseURL: v.Database, DatabaseMayLoseData: true}
	v.world = app.Surroundings{Now: v.Clock.Now, Random: app.System().Random}
	sealer := v.sealer(t, "current")
	ctx := t.Context()
	v.inStore(t, func(db *store.Store) error {
		err := db.Partners().Write(ctx, func(tx partner.Writer) error {
			for i := range manyKeys {
				id := fmt.Sprintf("key_%06d", i)
				if err := tx.AddAPIKey(ctx, &partner.SealedKey{
					APIKey:    partner.APIKey{KeyID: id, PublicKey: "pk_" + id, CreatedAt: v.Clock.Now(), Mode: "live"},
					PartnerID: v.partner.PartnerID, Secret: sealer.Seal([]byte(id), id),
				}); err != nil {
					return err
				}
			}
			return nil
		})
		endpoint := &webhook.Endpoint{
			PartnerID: v.partner.PartnerID, CreatedAt: v.Clock.Now(),
			Secret:     sealer.Seal([]byte("hook"), webhook.SealedFor(v.partner.PartnerID)),
			NextSecret: sealer.Seal([]byte("next"), webhook.SealedFor(v.partner.PartnerID)),
		}
		return errors.Join(err,
			db.Webhooks().Write(ctx, func(tx webhook.Writer) error {
				_, err := tx.AddEndpoint(ctx, endpoint)
				return err
			}),
			db.OperatorSignIns().Write(ctx, func(tx signin.Writer) error {
				return tx.SaveFactor(ctx, signin.Factor{PersonID: "opr_1", Secret: sealer.Seal([]byte("totp"), "opr_1")})
			}),
			db.Mails().Write(ctx, func(tx mailer.Writer) error {
				return tx.AddMail(ctx, &mail.Mail{MailID: "mail_1", Sealed: sealer.Seal([]byte("mail"),
					mailer.SealedFor("mail_1")), NextAt: v.Clock.Now()})
			}))
	})
	v.Stop()
	return v
}

func (v *vault) inStore(t *testing.T, fn func(*store.Store) error) {
	t.Helper()
	if err := v.InStore(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// keys returns the keys in the file, which must be such that a service starts.
func (v *vault) keys(t *testing.T) (keys credential.MasterKeys) {
	t.Helper()
	v.inStore(t, func(db *store.Store) error {
		known, err := db.Setting(t.Context(), "master_key_fingerprint")
		if err == nil {
			keys, err = credential.OpenMasterKey(v.settings.MasterKey(), known, nil)
		}
		return err
	})
	return keys
}

// sealer returns a sealer with "both" keys in the file, or with the "current" one only.
func (v *vault) sealer(t *testing.T, which string) *credential.Sealer {
	t.Helper()
	derived := v.keys(t).DeriveAll("secrets")
	if which == "current" {
		derived = derived[:1]
	}
	sealer, err := credential.NewSealer(derived[0], derived[1:]...)
	if err != nil {
		t.Fatal(err)
	}
	return sealer
}

// opens returns how many of the secrets a sealer opens.
func (v *vault) opens(t *testing.T, sealer *credential.Sealer) (opened, all int) {
	t.Helper()
	v.inStore(t, func(db *store.Store) error {
		for _, column := range store.Schema.Sealed {
			found, err := db.SealedAfter(t.Context(), column, "", 10_000)
			if err != nil {
				return err
			}
			for _, value := range found {
				owner := value.Key
				switch column {
				case store.SealedEndpoints, store.SealedNextSecrets:
					owner = "webhook of " + owner
				case store.SealedMails:
					owner = "mail " + owner
				}
				all++
				if _, err := sealer.Open(value.Sealed, owner); err == nil {
					opened++
				}
			}
		}
		return nil
	})
	return opened, all
}

// manySecrets is how many secrets a vault holds: the keys, that of the partner, and four
// others.
const manySecrets = manyKeys + 5

// TestKeyRotationKilledAfterEachWrite continues after each, until the rotation is complete.
func TestKeyRotationKilledAfterEachWrite(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	before := v.keys(t).Fingerprint()
	kills := 0
	for {
		var err error
		v.inStore(t, func(db *store.Store) error {
			err = app.RotateUntilWrite(t.Context(), v.settings, v.world, db)
			return nil
		})
		if !errors.Is(err, app.ErrKilled) {
			t.Fatalf("after %d writes: got %v, want to be killed again", kills, err)
		}
		kills++
		if opened, all := v.opens(t, v.sealer(t, "both")); opened != manySecrets || all != manySecrets {
			t.Errorf("killed after write %d: got %d of %d secrets that can be opened, want %d", kills, opened, all, manySecrets)
		}
		if v.keys(t).Stage == credential.Settled {
			break
		}
	}
	// The file twice, the fingerprint, two batches of API keys, four other columns, the file.
	if want := 10; kills != want {
		t.Errorf("got %d writes, want %d", kills, want)
	}
	if after := v.keys(t).Fingerprint(); after == before {
		t.Errorf("got the fingerprint %s as before, want another", after)
	}
	v.Start(t)
	v.partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201)
}

// Start starts the installation again.
func (v *vault) Start(t *testing.T) {
	t.Helper()
	again := v.Beside(t)
	v.Service, v.partner.Service = again, again
}

// TestKeyRotation expects that the old key opens nothing, and is kept where wanted. A value
// that no key opens stays as it is.
func TestKeyRotation(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	old := v.sealer(t, "current")
	v.Execute(t, "UPDATE sign_ins SET totp_secret = secret FROM api_keys WHERE key_id = 'key_000000'")
	kept := filepath.Join(v.Data, "old.key")
	done, err := app.RotateMasterKey(t.Context(), v.settings, v.world, kept)
	if err != nil {
		t.Fatal(err)
	}
	if done.Stage != credential.Settled || done.Resealed != manySecrets-1 || len(done.Unreadable) != 1 ||
		done.Unreadable[0] != "sign_ins.totp_secret of opr_1" {
		t.Errorf("got %+v, want %d values and one that cannot be read", done, manySecrets-1)
	}
	if opened, _ := v.opens(t, old); opened != 0 {
		t.Errorf("under the old key: got %d secrets, want none", opened)
	}
	if opened, all := v.opens(t, v.sealer(t, "current")); opened != manySecrets-1 {
		t.Errorf("under the new key: got %d of %d secrets, want all but one", opened, all)
	}
	if keys, err := credential.OpenMasterKey(kept, done.From, nil); err != nil || keys.Fingerprint() != done.From {
		t.Errorf("kept key: got %v, want the old one", err)
	}
	if info, err := os.Stat(v.settings.MasterKey()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v, %v, want 0600", info.Mode(), err)
	}
	before, err := os.ReadFile(v.settings.MasterKey())
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{kept, filepath.Join(v.Data, "missing", "old.key")} {
		if done, err := app.RotateMasterKey(t.Context(), v.settings, v.world,
			path); !errors.Is(err, credential.ErrMasterKeyUnsaved) || !strings.Contains(err.Error(), filepath.Dir(path)) {
			t.Errorf("the old key in %s: got %+v, %v, want %v with the folder", path, done, err, credential.ErrMasterKeyUnsaved)
		}
		if after, err := os.ReadFile(v.settings.MasterKey()); !bytes.Equal(after, before) {
			t.Errorf("the old key in %s: got the file changed (%v), want no rotation begun", path, err)
		}
	}
}

// TestKeyRotationRefusesKeyFiles expects nothing to change.
func TestKeyRotationRefusesKeyFiles(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	right, err := os.ReadFile(v.settings.MasterKey())
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]error{
		"":                             credential.ErrMasterKeyNotValid,
		string(right[1:]):              credential.ErrMasterKeyNotValid,
		string(right) + "next: AAAA\n": credential.ErrMasterKeyNotValid,
		strings.Repeat("00", 32):       credential.ErrMasterKeyOther,
	} {
		if err := os.WriteFile(v.settings.MasterKey(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := app.RotateMasterKey(t.Context(), v.settings, v.world, ""); !errors.Is(err, want) {
			t.Errorf("%.20q: got %v, want %v", text, err, want)
		}
		if got, _ := os.ReadFile(v.settings.MasterKey()); string(got) != text {
			t.Errorf("%.20q: got the file changed", text)
		}
	}
	if err := os.WriteFile(v.settings.MasterKey(), right, 0o600); err != nil {
		t.Fatal(err)
	}
	if opened, all := v.opens(t, v.sealer(t, "current")); opened != manySecrets {
		t.Errorf("got %d of %d secrets, want all as before", opened, all)
	}
}

// TestStaleKeyFile starts a service after a rotation with the file that nodes get at its
// beginning. What it seals is readable with the right file.
func TestStaleKeyFile(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	file := func() string {
		text, err := os.ReadFile(v.settings.MasterKey())
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	write := func(text string) {
		if err := os.WriteFile(v.settings.MasterKey(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := file()
	if done, err := app.RotateMasterKey(t.Context(), v.settings, v.world, ""); err != nil ||
		done.Stage != credential.Settled {
		t.Fatalf("got %+v, %v, want the rotation", done, err)
	}
	after := file()
	write(before + "next: " + after)
	v.Start(t)
	made := v.partner.NewKey(t)
	made.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201)
	v.Stop()
	write(after)
	v.Start(t)
	made.Service = v.Service
	made.Create(t, testkit.OrderJSON("A-2", "")).Must(t, 201)
	v.Stop()
	if opened, all := v.opens(t, v.sealer(t, "current")); opened != all {
		t.Errorf("got %d of %d secrets that the new key opens, want all", opened, all)
	}
}

// TestKeyRotationThroughLink rotates a key to whose file a link leads.
func TestKeyRotationThroughLink(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	link, kept := v.settings.MasterKey(), filepath.Join(testkit.FastDir(t), "kept.key")
	if err := errors.Join(os.Rename(link, kept), os.Symlink(kept, link)); err != nil {
		t.Fatal(err)
	}
	if done, err := app.RotateMasterKey(t.Context(), v.settings, v.world, ""); err != nil ||
		done.Stage != credential.Settled {
		t.Fatalf("got %+v, %v, want the rotation", done, err)
	}
	if to, err := os.Readlink(link); err != nil || to != kept {
		t.Errorf("got a link to %q, %v, want %q", to, err, kept)
	}
	if opened, all := v.opens(t, v.sealer(t, "current")); opened != all {
		t.Errorf("got %d of %d secrets that the new key opens, want all", opened, all)
	}
}

// TestKeyRotationBesideNodes rotates while a service runs. On PostgreSQL it is restarted
// twice, as the rotation asks for; the embedded database has one service, which has to
// stop.
func TestKeyRotationBesideNodes(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	v.Start(t)
	orders := 0
	create := func(p *apptest.Partner) {
		t.Helper()
		orders++
		p.Create(t, testkit.OrderJSON(fmt.Sprintf("A-%d", orders), "")).Must(t, 201)
	}
	rotate := func(want credential.Stage) {
		t.Helper()
		done, err := app.RotateMasterKey(t.Context(), v.settings, v.world, "")
		if err != nil || done.Stage != want || (len(done.Nodes) == 0) != (want == credential.Settled) {
			t.Fatalf("got %+v, %v, want the stage %q", done, err, want)
		}
		create(v.partner)
		create(v.partner.NewKey(t))
	}
	if v.Database == "" {
		if _, err := app.RotateMasterKey(t.Context(), v.settings, v.world, ""); err == nil ||
			!strings.Contains(err.Error(), "another dropyard serve is using it") {
			t.Errorf("got %v, want the refusal because a service runs", err)
		}
		v.Stop()
		v.Clock.Advance(time.Minute)
		if done, err := app.RotateMasterKey(t.Context(), v.settings, v.world, ""); err != nil ||
			done.Stage != credential.Settled {
			t.Errorf("stopped: got %+v, %v, want the rotation", done, err)
		}
		return
	}
	rotate(credential.Prepared)
	rotate(credential.Prepared)
	for _, want := range []credential.Stage{credential.Replaced, credential.Settled} {
		v.Stop()
		v.Start(t)
		rotate(want)
	}
	if opened, all := v.opens(t, v.sealer(t, "current")); opened != all || all <= manySecrets {
		t.Errorf("got %d of %d secrets that the new key opens, want all", opened, all)
	}
}
