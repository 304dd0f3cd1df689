package paging

// CutPage cuts what was found down to a page. One more than the limit was asked
// for: whether it is there tells whether another page follows, and then next is
// the cursor of the last one that stays. At the end it is empty.
func Cut[T any, C comparable](found []T, limit int, cursor func(T) C) (page []T, next C) {
	if len(found) <= limit {
		return found, next
	}
	return found[:limit], cursor(found[limit-1])
}
