// Package fair shares what is scarce among those that ask for it, by key: the
// keys take turns, so that one with many requests delays the others by no more
// than one with few.
//
//   - Queue is the order in which waiting values are served;
//   - Semaphore lets a few run at a time;
//   - Quota divides an amount, such as memory.
package fair

import "slices"

// Queue holds values that wait, each in the line of its key. Within a line the
// first comes first; the lines take turns, one value each. The zero value is an
// empty queue. It is not safe for concurrent use.
type Queue[T comparable] struct {
	lines map[string]*line[T]
	// order has the lines that are not empty, the one whose turn is next first.
	order []*line[T]
}

type line[T comparable] struct {
	key    string
	values []T // never empty
}

// Add adds a value at the end of its key's line. A line that was empty is the last
// in turn.
func (q *Queue[T]) Add(key string, value T) {
	if found := q.lines[key]; found != nil {
		found.values = append(found.values, value)
		return
	}
	if q.lines == nil {
		q.lines = map[string]*line[T]{}
	}
	added := &line[T]{key: key, values: []T{value}}
	q.lines[key] = added
	q.order = append(q.order, added)
}

// Next removes and returns the first value of the first line in turn whose first
// value is admitted; lines that are passed over keep their places. It reports false
// if there is none.
func (q *Queue[T]) Next(admits func(key string, value T) bool) (value T, ok bool) {
	for i, l := range q.order {
		if !admits(l.key, l.values[0]) {
			continue
		}
		value = l.values[0]
		copy(q.order[i:], q.order[i+1:])
		q.order[len(q.order)-1] = l
		q.remove(l, 0)
		return value, true
	}
	return value, false
}

// Withdraw removes a value, and reports whether it was still waiting.
func (q *Queue[T]) Withdraw(key string, value T) bool {
	l := q.lines[key]
	if l == nil {
		return false
	}
	i := slices.Index(l.values, value)
	if i < 0 {
		return false
	}
	q.remove(l, i)
	return true
}

// remove removes the value at an index of a line, and the line if it is then
// empty.
func (q *Queue[T]) remove(l *line[T], i int) {
	if i == 0 {
		var none T
		l.values[0] = none // so that it can be freed
		l.values = l.values[1:]
	} else {
		l.values = slices.Delete(l.values, i, i+1)
	}
	if len(l.values) > 0 {
		return
	}
	delete(q.lines, l.key)
	at := slices.Index(q.order, l)
	q.order = slices.Delete(q.order, at, at+1)
}

// Empty reports whether nothing waits.
func (q *Queue[T]) Empty() bool { return len(q.order) == 0 }
