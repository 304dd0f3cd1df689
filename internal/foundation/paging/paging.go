// Package paging cuts lists down to pages.
package paging

// Cut returns the first limit elements of a list, and the cursor of the last of
// them if more follow. The caller reads one element more than the limit, which
// shows whether another page follows. On the last page next is the zero value.
func Cut[T any, C comparable](found []T, limit int, cursor func(T) C) (page []T, next C) {
	if len(found) <= limit {
		return found, next
	}
	return found[:limit], cursor(found[limit-1])
}
