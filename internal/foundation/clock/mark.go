package clock

import (
	"encoding/json"
	"slices"
	"time"
)

const (
	// Tolerance is how far clocks may be apart without any doubt. What is kept of signatures
	// outlives an error of so much.
	Tolerance = 5 * time.Minute
	// Settling is how long a clock must go on after a jump before data ages by it.
	Settling = time.Hour
	// MostJump is the longest jump that is believed without an admin. An idempotency key that
	// is removed after 168 hours by the clock has then been there for the promised 72.
	MostJump = 96 * time.Hour
	// Promised is how long idempotency keys stay after an admin has accepted the clock.
	Promised = 72 * time.Hour
	// maxSpans bounds the spans of a mark.
	maxSpans = 100
	// spanMargin is added to both ends of a span, because the clock is looked at once a minute.
	spanMargin = 2 * time.Minute
)

// Span is a time during which records got times that were too early.
type Span struct {
	From time.Time `json:"from"` // by the wrong clock, like To
	To   time.Time `json:"to"`
	At   time.Time `json:"at"` // the time at its end, as far as it is known
}

// Mark is what the store knows of the time.
type Mark struct {
	At time.Time `json:"at"` // the latest time that was believed
	// KeepUntil is until when idempotency keys, and the orders that they answer, are kept in
	// any case; zero for no such time.
	KeepUntil time.Time `json:"keep_until,omitzero"`
	Wrong     []Span    `json:"wrong,omitempty"`
}

// parseMark reads a mark; zero for an empty or damaged text.
func parseMark(text string) (m Mark) {
	if json.Unmarshal([]byte(text), &m) != nil {
		return Mark{}
	}
	return m
}

// TimeOf returns the time of a mark in a store; zero if it is damaged.
func TimeOf(text string) time.Time { return parseMark(text).At }

func (m Mark) String() string {
	text, _ := json.Marshal(m) // times of 0 to 9999 can be encoded
	return string(text)
}

// addWrong notes that records get the time now, although it is at. It extends the last span
// if that ended within the last minutes.
func (m *Mark) addWrong(now, at time.Time) {
	if n := len(m.Wrong); n > 0 {
		last := &m.Wrong[n-1]
		if !now.Before(last.From) && !now.After(last.To.Add(Settling)) && at.Sub(last.At) <= 2*Settling {
			last.To, last.At = later(last.To, now.Add(spanMargin)), at
			return
		}
	}
	m.Wrong = append(slices.Clone(m.Wrong), Span{now.Add(-spanMargin), now.Add(spanMargin), at})
	m.Wrong = m.Wrong[max(0, len(m.Wrong)-maxSpans):]
}

// accept returns the mark after an admin has agreed that it is now.
func (m Mark) accept(now time.Time) Mark {
	wrong := slices.DeleteFunc(slices.Clone(m.Wrong), func(s Span) bool { return s.At.After(now) })
	return Mark{At: now, KeepUntil: now.Add(Promised), Wrong: wrong}
}

// Age says how old data is.
type Age struct {
	// Now is the time by which data ages, which is not later than the machine's clock. While
	// that clock is in doubt, Now goes on from the time that was believed last.
	Now time.Time
	// KeepUntil is until when idempotency keys and the orders that they answer stay.
	KeepUntil time.Time
	wrong     []Span
}

// At returns an age for a clock that is not in doubt.
func At(now time.Time) Age { return Age{Now: now} }

// Keeps reports whether idempotency keys, and the orders that they answer, stay for now.
func (a Age) Keeps() bool { return a.Now.Before(a.KeepUntil) }

// Of returns the time from which a record with the time t ages: t, or later if the clock was
// behind when it was written.
func (a Age) Of(t time.Time) time.Time {
	at := t
	for _, span := range a.wrong {
		if !t.Before(span.From) && !t.After(span.To) {
			at = later(at, span.At)
		}
	}
	return at
}

// Doubtful reports whether records with times before the cutoff may have been written after it,
// so that those times alone do not say what is old.
func (a Age) Doubtful(cutoff time.Time) bool {
	return slices.ContainsFunc(a.wrong, func(s Span) bool { return s.From.Before(cutoff) && !s.At.Before(cutoff) })
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
