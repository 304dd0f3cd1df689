package httpd

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/actor"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// standings answers with a standing, or an error, that the test sets before the clock ticks.
type standings struct {
	standing *actor.Standing
	err      error
	asked    chan int // how many people were asked for
}

func (s *standings) Standing(_ context.Context, actors []*actor.Actor) (*actor.Standing, error) {
	s.asked <- len(actors)
	return s.standing, s.err
}

// TestDownloadOfARemovedPerson writes a response in pieces while its caller is removed. It
// goes on while the people cannot be looked up, and ends with the look-up that does not
// find the caller.
func TestDownloadOfARemovedPerson(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(testkit.Epoch)
	person := actor.Person{Kind: actor.Operator, PersonID: "opr_1", Role: "admin"}
	by := &actor.Actor{Person: person, Credential: actor.Credential{Token: "hash"}}
	people := &standings{standing: actor.NewStanding(), err: errors.New("out of reach"), asked: make(chan int)}
	s := &Server{
		config:  Config{Actors: people, Now: clock.Now, At: clock.At, Log: slog.New(slog.DiscardHandler)},
		watches: watches{running: map[*watched]bool{}, closing: make(chan struct{})},
	}
	defer s.Close()
	c := &Call{Request: httptest.NewRequestWithContext(actor.With(t.Context(), by), "GET", "/", nil)}
	s.watch(c)
	defer s.unwatch(c)
	var sent bytes.Buffer
	w := watchedWriter{&sent, c}
	piece := make([]byte, 3*pieceBytes)
	tick := func() {
		clock.Advance(lookAgainEvery)
		if asked := <-people.asked; asked != 1 {
			t.Errorf("got %d people looked up, want 1", asked)
		}
	}
	settle := func() {
		for clock.Waiting(clock.Now().Add(lookAgainEvery)) == 0 {
			time.Sleep(repeatable.Poll)
		}
	}
	settle()
	tick()
	if n, err := w.Write(piece); n != len(piece) || err != nil {
		t.Errorf("got %d, %v, want all written while nothing is known", n, err)
	}
	settle()
	people.err = nil
	people.standing.People[by.PersonID], people.standing.Tokens["hash"] = by.Person, by.PersonID
	tick()
	settle()
	if n, err := w.Write(piece); n != len(piece) || err != nil {
		t.Errorf("got %d, %v, want all written for a person who may read", n, err)
	}
	people.standing = actor.NewStanding()
	tick()
	<-c.Context().Done()
	if n, err := w.Write(piece); n != 0 || !errors.Is(err, actor.ErrEnded) {
		t.Errorf("got %d, %v, want nothing written, and %v", n, err, actor.ErrEnded)
	}
	if err := c.lost(); !errors.Is(err, actor.ErrEnded) {
		t.Errorf("got %v, want %v", err, actor.ErrEnded)
	}
	if sent.Len() != 2*len(piece) {
		t.Errorf("got %d bytes, want %d", sent.Len(), 2*len(piece))
	}
}
