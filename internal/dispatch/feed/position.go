package feed

import (
	"strconv"
	"strings"
	"time"
)

// position is what an answer holds of the board, as text the parameter "after" of
// the next request.
type position struct {
	mirror string // the mirror that answered
	number int64  // of its last publication in the answer
	// asOf is a time by the database's clock: every change that was committed before
	// is in the answer.
	asOf time.Time
}

func (p position) String() string {
	return p.mirror + "." + strconv.FormatInt(p.number, 36) + "." + strconv.FormatInt(p.asOf.UnixMicro(), 36)
}

// parsePosition reads a position that String has written.
func parsePosition(text string) (p position, ok bool) {
	parts := strings.Split(text, ".")
	if len(parts) != 3 || parts[0] == "" {
		return p, false
	}
	number, err := strconv.ParseInt(parts[1], 36, 64)
	if err != nil || number < 0 {
		return p, false
	}
	us, err := strconv.ParseInt(parts[2], 36, 64)
	if err != nil || us < 0 {
		return p, false
	}
	return position{parts[0], number, time.UnixMicro(us).UTC()}, true
}
