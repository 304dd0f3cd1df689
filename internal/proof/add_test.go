package proof_test

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/picture"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/proof"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// records holds an order and its proofs in memory.
type records struct {
	order  *delivery.Order
	proofs []*delivery.Proof
	loose  map[string]time.Time
	audit  int
	// after, if set, decides how the transaction that adds a proof ends: whether it is
	// committed, and the error of Write.
	after func() (committed bool, err error)
}

func (r *records) Read(_ context.Context, fn func(proof.RecordReader) error) error { return fn(r) }

func (r *records) Write(_ context.Context, fn func(proof.RecordWriter) error) error {
	try := *r
	try.proofs, try.loose = slices.Clone(r.proofs), maps.Clone(r.loose)
	err := fn(&try)
	committed := err == nil
	if err == nil && len(try.proofs) > len(r.proofs) && r.after != nil {
		committed, err = r.after()
	}
	if committed {
		*r = try
	}
	return err
}

func (r *records) ReadOnce(ctx context.Context, fn func(proof.RecordReader) error) error {
	return r.Read(ctx, fn)
}

func (r *records) Order(context.Context, string, string) (*delivery.Order, error) {
	return r.order, nil
}

func (r *records) LockOrder(context.Context, string, string) (*delivery.Order, error) {
	return r.order, nil
}

func (r *records) Proofs(context.Context, string, string) ([]*delivery.Proof, error) {
	return r.proofs, nil
}

func (r *records) AddProof(_ context.Context, p *delivery.Proof) error {
	r.proofs = append(r.proofs, p)
	return nil
}

func (r *records) AddLoosePicture(_ context.Context, _, name string, due time.Time) error {
	r.loose[name] = due
	return nil
}

func (r *records) TakeLoosePicture(_ context.Context, _, name string) (bool, error) {
	_, there := r.loose[name]
	delete(r.loose, name)
	return there, nil
}

func (r *records) AddAudit(_ context.Context, entries ...*audit.Entry) error {
	r.audit += len(entries)
	return nil
}

// shelf stores pictures in memory.
type shelf map[string]picture.Picture

func (s shelf) Put(_ context.Context, name string, shown picture.Picture) error {
	s[name] = shown
	return nil
}
func (s shelf) Get(_ context.Context, name string) (picture.Picture, error) { return s[name], nil }
func (s shelf) Delete(_ context.Context, name string) error {
	delete(s, name)
	return nil
}

// TestAddWithFailingCommit: however the transaction ends, there is a proof with its
// picture, or no picture but those that are listed as loose.
func TestAddWithFailingCommit(t *testing.T) {
	t.Parallel()
	refused, lost := refusal.New(refusal.CodeUnavailable, "later"), errors.New("the connection was lost")
	for name, c := range map[string]struct {
		committed               bool
		err                     error
		proofs, pictures, loose int
	}{
		"committed":           {true, nil, 1, 1, 0},
		"refused":             {false, refused, 0, 0, 0},
		"lost, not committed": {false, lost, 0, 1, 1},
		"lost, committed":     {true, lost, 1, 1, 0},
		"timeout":             {false, context.DeadlineExceeded, 0, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			id, err := delivery.NewOrderID(repeatable.Reader(t), "par_00000001", testkit.Epoch)
			if err != nil {
				t.Fatal(err)
			}
			order := testkit.Order("par_00000001", id, "A-1", testkit.Epoch)
			order.Status = delivery.StatusOutForDelivery
			kept := shelf{}
			r := &records{order: order, loose: map[string]time.Time{}, after: func() (bool, error) { return c.committed, c.err }}
			service := proof.NewService(proof.Config{
				Cleaner: picture.NewCleaner(),
				Store:   kept, Records: r, Now: func() time.Time { return testkit.Epoch }, Random: repeatable.Reader(t),
				Log: slog.New(slog.DiscardHandler), URL: func(name string) string { return name },
			})
			upload := proof.Upload{OrderID: id, Kind: delivery.ProofPhoto, Data: encodePNG(t, signature(9, 9))}
			if _, _, err := service.Add(t.Context(), upload); !errors.Is(err, c.err) {
				t.Errorf("got %v, want %v", err, c.err)
			}
			if len(r.proofs) != c.proofs || r.audit != c.proofs || len(kept) != c.pictures || len(r.loose) != c.loose {
				t.Errorf("got %d proofs, %d audit entries, %d pictures, %d loose, want %d, %d, %d, %d",
					len(r.proofs), r.audit, len(kept), len(r.loose), c.proofs, c.proofs, c.pictures, c.loose)
			}
			for _, due := range r.loose {
				if want := testkit.Epoch.Add(time.Hour); !due.Equal(want) {
					t.Errorf("got a loose picture due at %v, want %v", due, want)
				}
			}
			r.after = nil
			added, repeated, err := service.Add(t.Context(), upload)
			if err != nil || repeated != (c.proofs == 1) || len(r.proofs) != 1 || len(kept) != 1+c.loose {
				t.Fatalf("sent again: got repeated = %t, %v, %d proofs, %d pictures, want 1 proof, %d pictures", repeated, err,
					len(r.proofs), len(kept), 1+c.loose)
			}
			if _, there := kept[added.Name]; !there || added.Name != r.proofs[0].Name {
				t.Errorf("sent again: got %+v, want the stored proof, with a picture", added)
			}
		})
	}
}

// TestAddAfterSweep: a picture that was deleted meanwhile does not become a proof.
func TestAddAfterSweep(t *testing.T) {
	t.Parallel()
	id, err := delivery.NewOrderID(repeatable.Reader(t), "par_00000001", testkit.Epoch)
	if err != nil {
		t.Fatal(err)
	}
	order := testkit.Order("par_00000001", id, "A-1", testkit.Epoch)
	order.Status = delivery.StatusDelivered
	kept, r := shelf{}, &records{order: order, loose: map[string]time.Time{}}
	service := proof.NewService(proof.Config{
		Cleaner: picture.NewCleaner(),
		Store:   sweeping{kept, r}, Records: r, Now: func() time.Time {
			return testkit.Epoch
		}, Random: repeatable.Reader(t), Log: slog.New(slog.DiscardHandler),
	})
	_, _, err = service.Add(t.Context(),
		proof.Upload{OrderID: id, Kind: delivery.ProofPhoto, Data: encodePNG(t, signature(9, 9))})
	if !refusal.HasCode(err, refusal.CodeUnavailable) || len(r.proofs) != 0 || len(kept) != 0 {
		t.Errorf("got %v, %d proofs, %d pictures, want a refusal and none", err, len(r.proofs), len(kept))
	}
}

// sweeping is a shelf before whose every Put the list of loose pictures is cleared.
type sweeping struct {
	shelf
	*records
}

func (s sweeping) Put(ctx context.Context, name string, shown picture.Picture) error {
	clear(s.loose)
	return s.shelf.Put(ctx, name, shown)
}
