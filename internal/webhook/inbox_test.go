package webhook

import (
	"slices"
	"testing"
)

func TestInboxKeepsTheOrder(t *testing.T) {
	t.Parallel()
	b := newInbox[int]()
	for _, item := range []int{1, 2, 2, 3} {
		b.put(item)
	}
	b.putOnce(3)
	b.putOnce(4)
	<-b.ready
	for _, want := range [][]int{{1, 2, 2}, {3, 4}, {}} {
		if got := b.take(3); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	b.putOnce(4) // the first has been taken
	<-b.ready
	if got := b.take(3); !slices.Equal(got, []int{4}) {
		t.Errorf("got %v, want the item that was put again", got)
	}
}
