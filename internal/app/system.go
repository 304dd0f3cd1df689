package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/machine"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/installation"
	"github.com/dropyard/dropyard/internal/store"
)

// system describes the installation.
func (a *App) system(ctx context.Context) (installation.State, error) {
	version, _, err := a.store.Look(ctx)
	if err != nil {
		return installation.State{}, err
	}
	nodes, err := a.nodes.list(ctx)
	if err != nil {
		return installation.State{}, err
	}
	disks, err := a.disks()
	if err != nil {
		return installation.State{}, err
	}
	s := installation.State{
		Version: a.Version, Commit: commit(), GoVersion: runtime.Version(),
		TimeZones: installation.TimeZones{Version: a.Zones.Version, Source: a.Zones.Source(), Old: a.Zones.Old(a.machine())},
		StartedAt: a.nodes.self.StartedAt, UptimeSeconds: int64(a.machine().Sub(a.nodes.self.StartedAt).Seconds()),
		Engine: a.store.Engine(), SchemaVersion: version, Nodes: nodes, Disks: disks,
		Problems: append([]installation.Reason{}, a.reasons(ctx)...),
	}
	_ = a.trust.Look(ctx) // without it, the last look counts
	if doubt := a.trust.Doubt(); doubt != nil {
		s.ClockDoubt = &installation.ClockDoubt{
			OffSeconds: int64(doubt.Off.Seconds()), Refused: doubt.Refused, WaitSeconds: int64(doubt.Wait.Seconds()),
			Message: doubt.String(),
		}
	}
	s.Held = a.hold.state.Load()
	sending := a.sender.Stats()
	s.Queues = installation.Queues{
		EventsReady: sending.Ready, EventsUnderWay: sending.UnderWay, EventsWaiting: sending.Waiting,
		OutcomesToSave: sending.Notes, PartnersBlocked: a.orders.Delays().Blocked,
	}
	if wal := a.store.Stats().WAL; wal != nil {
		s.LogBytes, s.LogPendingBytes = &wal.Size, &wal.Pending
		s.LastBackupAt, err = lastBackup(a.config)
	}
	s.Backups = a.describeBackups()
	if err != nil {
		return s, err
	}
	s.Exports, err = a.describeExports(ctx)
	return s, err
}

// commit returns the commit that the program was built from; nil if that is not known.
func commit() *string {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return nil
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			return &setting.Value
		}
	}
	return nil
}

// disks describes the disks of the directories that the service writes to.
func (a *App) disks() ([]installation.Disk, error) {
	disks := []installation.Disk{}
	for _, directory := range a.directories() {
		space, err := machine.DiskSpaceOf(directory)
		if err != nil {
			return nil, err
		}
		holds := "proofs"
		if directory == a.config.Data {
			holds = "data"
		}
		disks = append(disks, installation.Disk{Holds: holds, FreeBytes: space.Free, TotalBytes: space.Total})
	}
	return disks, nil
}

// backupMark is added to the name of the embedded database for the file that holds the
// time of its last backup.
const backupMark = ".backed-up"

// markBackup notes that the embedded database was backed up.
func markBackup(settings *config.Config, at time.Time) error {
	return os.WriteFile(settings.Database()+backupMark, []byte(at.UTC().Format(time.RFC3339)+"\n"), 0o600)
}

// lastBackup returns when the embedded database was last backed up; nil if never.
func lastBackup(settings *config.Config) (*time.Time, error) {
	text, err := os.ReadFile(settings.Database() + backupMark)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	at, err := time.Parse(time.RFC3339, strings.TrimSpace(string(text)))
	if err != nil {
		return nil, nil //nolint:nilerr // it says nothing, as if it were not there
	}
	return &at, nil
}

const (
	// nodeSeenEvery is how often a node writes that it is there.
	nodeSeenEvery = 30 * time.Second
	// nodeForgotten is when a node that has not said so is left out.
	nodeForgotten = 24 * time.Hour
)

// nodes knows which nodes share the database. With the embedded database that is this
// one, and nothing is written.
type nodes struct {
	app  *App
	self store.Node
	stop chan struct{}
	done chan struct{}
}

// openNodes announces this node to the others, until the app closes.
func (a *App) openNodes(ctx context.Context) error {
	id, err := identifier.New(a.Random, "nod_")
	if err != nil {
		return err
	}
	now := timestamp.Truncate(a.machine())
	a.nodes = &nodes{app: a, self: store.Node{
		NodeID: id, Version: a.Version, StartedAt: now, SeenAt: now, Keys: fingerprints(a.masterKey),
	}}
	if !a.store.Shared() {
		return nil
	}
	sealsUnder := func(known string) bool { return known == a.masterKey.Fingerprint() }
	if err := errors.Join(a.nodes.save(ctx), a.nodes.checkKey(ctx, sealsUnder)); err != nil {
		return err
	}
	a.nodes.stop, a.nodes.done = make(chan struct{}), make(chan struct{})
	go a.nodes.keep()
	a.atClose(ending(a.nodes.close))
	return nil
}

func (n *nodes) save(ctx context.Context) error {
	self := n.self
	self.SeenAt = timestamp.Truncate(n.app.machine())
	return n.app.store.SaveNode(ctx, self, n.app.trust.Now().Add(-nodeForgotten))
}

// checkKey returns an error if this node's keys do not fit the fingerprint in the database:
// at the start it must seal under that key, later it must hold it. A rotation looks for nodes after it has written the
// fingerprint, and a node reads the fingerprint after it has written that it is there: so one of them notices the
// other.
func (n *nodes) checkKey(ctx context.Context, fits func(known string) bool) error {
	known, err := n.app.store.Setting(ctx, fingerprintSetting)
	if err == nil && !fits(known) {
		err = fmt.Errorf("%w: the key was rotated (to the one with the fingerprint %s) while this node used another file of the master key; copy that file here and restart",
			credential.ErrMasterKeyOther, known)
	}
	return err
}

func (n *nodes) keep() {
	defer close(n.done)
	ticker := time.NewTicker(nodeSeenEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			if err := n.save(context.Background()); err != nil {
				n.app.Log.Warn("other nodes do not see this one, trying again later", "error", err)
			} else if err := n.checkKey(context.Background(), n.app.masterKey.Holds); err != nil {
				n.app.Log.Error("secrets cannot be read or sealed as other nodes do", "error", err)
			}
		case <-n.stop:
			return
		}
	}
}

// close forgets this node. An error is of no interest: the database may be gone.
func (n *nodes) close() {
	close(n.stop)
	<-n.done
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = n.app.store.RemoveNode(ctx, n.self.NodeID)
}

// list lists the nodes: this one, then the others, the one seen last first.
func (n *nodes) list(ctx context.Context) ([]installation.Node, error) {
	self := n.self
	self.SeenAt = timestamp.Truncate(n.app.machine())
	found := []store.Node{self}
	if n.app.store.Shared() {
		others, err := n.app.store.Nodes(ctx, n.self.NodeID)
		if err != nil {
			return nil, err
		}
		found = append(found, others...)
	}
	listed := make([]installation.Node, len(found))
	for i, node := range found {
		listed[i] = installation.Node{
			NodeID: node.NodeID, Version: node.Version, StartedAt: node.StartedAt, SeenAt: node.SeenAt, Answers: i == 0,
		}
	}
	return listed, nil
}
