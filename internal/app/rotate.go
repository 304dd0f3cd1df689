package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/mailer"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/webhook"
)

// Rotation is what RotateMasterKey has done.
type Rotation struct {
	// Stage is Settled if the rotation is complete. Otherwise Nodes must be restarted
	// with the file as it is now, and then the rotation is to be continued.
	Stage credential.Stage
	Nodes []string // running nodes that do not use the file as it is now
	// From and To are the fingerprints of the key before and after.
	From, To string
	Resealed int64
	// Unreadable names the values that no key opens. They were so before.
	Unreadable []string
}

// RotateMasterKey replaces the master key by a new one, and seals every secret in the
// database again. It may be interrupted at any moment; the next call continues. With the
// embedded database no service may be running. Nodes on PostgreSQL may be, if each of them
// is restarted twice: see Rotation.Stage.
//
// keepOld is a file that the old key is copied to before it is given up, for backups that
// were made under it; empty means none.
func RotateMasterKey(
	ctx context.Context, settings *config.Config, world Surroundings, keepOld string,
) (done *Rotation, err error) {
	path, err := filepath.EvalSymlinks(settings.MasterKey()) // the file is replaced, not a link to it
	if err != nil {
		path = settings.MasterKey() // which is then refused
	}
	held, err := lockForRotation(settings, filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, held.release()) }()
	db, err := openExisting(ctx, settings)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	r := &rotation{
		store: db, path: path, keepOld: keepOld, random: world.Random, now: world.Now, wrote: func() error { return nil },
	}
	return r.run(ctx)
}

// lockForRotation keeps other rotations away and, with the embedded database, services.
func lockForRotation(settings *config.Config, keyFolder string) (locks, error) {
	if settings.Postgres() {
		return lockDirectories(keyFolder, keyFolder)
	}
	held, err := lockDirectories(settings.Data, filepath.Dir(settings.Database()))
	if err != nil ||
		slices.Contains([]string{filepath.Clean(settings.Data), filepath.Dir(settings.Database())}, keyFolder) {
		return held, err
	}
	more, err := lockDirectories(keyFolder, keyFolder)
	if err != nil {
		return nil, errors.Join(err, held.release())
	}
	return append(held, more...), nil
}

// rotation replaces the master key. What is stored says how far it is:
//
//	file             fingerprint in the database
//	key A            A                            nothing has begun
//	key A, next B    A                            all nodes can be given B
//	key A, next B    B                            no node starts without B
//	key B, old A     B                            everything is sealed under B
//	key B            B                            complete
//
// So at every moment, a node that may run can open all that is stored.
type rotation struct {
	store   *store.Store
	path    string // of the file of the master key
	keepOld string
	random  io.Reader
	now     func() time.Time
	// wrote is called after each write, for tests that interrupt a rotation there.
	wrote func() error
	keys  credential.MasterKeys
	done  Rotation
}

func (r *rotation) run(ctx context.Context) (*Rotation, error) {
	known, err := r.store.Setting(ctx, fingerprintSetting)
	if err != nil {
		return nil, err
	}
	if known == "" {
		return nil, errors.New("no service has used the database yet, so it has no master key that could be rotated")
	}
	if r.keys, err = credential.OpenMasterKey(r.path, known, nil); err != nil {
		return nil, err
	}
	if err := r.canKeep(); err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context, string) error{r.prepare, r.replace, r.settle} {
		if err := step(ctx, known); err != nil {
			return nil, err
		}
		if len(r.done.Nodes) > 0 {
			break
		}
	}
	r.done.Stage = r.keys.Stage
	return &r.done, nil
}

// canKeep refuses a file for the old key before anything begins: the key is saved in it only at the end.
func (r *rotation) canKeep() error {
	if r.keepOld == "" {
		return nil
	}
	old := r.keys.MasterKey
	if r.keys.Stage == credential.Replaced {
		old = r.keys.Other
	}
	return credential.CanSaveMasterKey(r.keepOld, old)
}

// prepare adds a new key to the file.
func (r *rotation) prepare(context.Context, string) error {
	if r.keys.Stage != credential.Settled {
		return nil
	}
	keys, err := r.keys.Prepare(r.random)
	if err != nil {
		return err
	}
	return r.write(keys)
}

// replace makes the new key the one that seals, when all running nodes hold it.
func (r *rotation) replace(ctx context.Context, known string) error {
	if r.keys.Stage != credential.Prepared {
		r.done.From, r.done.To = r.keys.Other.Fingerprint(), r.keys.Fingerprint()
		return nil
	}
	r.done.From, r.done.To = r.keys.Fingerprint(), r.keys.Other.Fingerprint()
	holdsNew := func(keys []string) bool { return slices.Contains(keys, r.done.To) }
	if known == r.done.From {
		if err := r.lookForNodes(ctx, holdsNew); err != nil || len(r.done.Nodes) > 0 {
			return err
		}
		replaced, err := r.store.ReplaceSetting(ctx, fingerprintSetting, r.done.From, r.done.To)
		if err == nil && !replaced {
			err = errors.New("another rotation of the same database is under way")
		}
		if err = errors.Join(err, r.wrote()); err != nil {
			return err
		}
	}
	// A node may have started meanwhile; those that start from now on hold the new key.
	if err := r.lookForNodes(ctx, holdsNew); err != nil || len(r.done.Nodes) > 0 {
		return err
	}
	return r.write(r.keys.Replace())
}

// settle seals everything again, and removes the old key from the file when no running
// node seals under it.
func (r *rotation) settle(ctx context.Context, _ string) error {
	if err := r.resealAll(ctx); err != nil {
		return err
	}
	sealsUnderNew := func(keys []string) bool { return keys[0] == r.done.To }
	if err := r.lookForNodes(ctx, sealsUnderNew); err != nil || len(r.done.Nodes) > 0 {
		return err
	}
	// Nodes may have sealed under the old key before they were restarted.
	if err := r.resealAll(ctx); err != nil {
		return err
	}
	if r.keepOld != "" {
		if err := credential.SaveMasterKey(r.keepOld, r.keys.Other); err != nil {
			return err
		}
	}
	return r.write(r.keys.Settle())
}

func (r *rotation) write(keys credential.MasterKeys) error {
	if err := credential.WriteMasterKeys(r.path, keys); err != nil {
		return err
	}
	r.keys = keys
	return r.wrote()
}

// nodeGone is how long ago a node was last seen that has ended.
const nodeGone = 3 * nodeSeenEvery

// lookForNodes notes the running nodes whose keys are not fit.
func (r *rotation) lookForNodes(ctx context.Context, fit func(fingerprints []string) bool) error {
	r.done.Nodes = nil
	nodes, err := r.store.Nodes(ctx, "")
	for _, node := range nodes {
		if r.now().Sub(node.SeenAt) < nodeGone && !fit(strings.Fields(node.Keys)) {
			r.done.Nodes = append(r.done.Nodes, node.NodeID)
		}
	}
	return err
}

// fingerprints returns the fingerprints of keys as nodes write them.
func fingerprints(keys credential.MasterKeys) string {
	if keys.Stage == credential.Settled {
		return keys.Fingerprint()
	}
	return keys.Fingerprint() + " " + keys.Other.Fingerprint()
}

// sealedFor returns the owner that a value of a sealed column is sealed for, by the key
// of its row.
func sealedFor(column db.SealedColumn, key string) string {
	switch column {
	case store.SealedEndpoints, store.SealedNextSecrets, store.SealedFurther, store.SealedFurtherNext:
		return webhook.SealedFor(key)
	case store.SealedMails:
		return mailer.SealedFor(key)
	case store.SealedOpenID:
		return partner.SealedOpenIDFor(key)
	default:
		return key
	}
}

// resealBatch is how many values are sealed again in one transaction, so that other
// transactions do not wait long for it.
const resealBatch = 200

// resealAll seals under the key all that is sealed under the other one. When it returns
// nil, nothing is sealed under the other one that was so before the call.
func (r *rotation) resealAll(ctx context.Context) error {
	r.done.Unreadable = nil
	derived := r.keys.DeriveAll("secrets")
	current, err := credential.NewSealer(derived[0])
	if err != nil {
		return err
	}
	other, err := credential.NewSealer(derived[1])
	if err != nil {
		return err
	}
	for _, column := range store.Schema.Sealed {
		if err := r.resealColumn(ctx, column, current, other); err != nil {
			return fmt.Errorf("seal %v again: %w", column, err)
		}
	}
	return nil
}

// resealColumn goes through a column until one pass finds nothing to seal again.
func (r *rotation) resealColumn(ctx context.Context, column db.SealedColumn, current, other *credential.Sealer) error {
	var after string
	for {
		found, err := r.store.SealedAfter(ctx, column, after, resealBatch)
		if err != nil || len(found) == 0 {
			return err
		}
		var again []db.Resealed
		for _, value := range found {
			owner := sealedFor(column, value.Key)
			if _, err := current.Open(value.Sealed, owner); err == nil {
				continue
			}
			secret, err := other.Open(value.Sealed, owner)
			if err != nil {
				r.done.Unreadable = append(r.done.Unreadable, fmt.Sprintf("%v of %s", column, value.Key))
				continue
			}
			again = append(again, db.Resealed{SealedValue: value, Again: current.Seal(secret, owner)})
		}
		if len(again) > 0 {
			replaced, err := r.store.Reseal(ctx, column, again)
			if err != nil {
				return err
			}
			r.done.Resealed += replaced
			if err := r.wrote(); err != nil {
				return err
			}
			if replaced < int64(len(again)) {
				continue // a node has changed a value meanwhile: look at the batch again
			}
		}
		after = found[len(found)-1].Key
	}
}
