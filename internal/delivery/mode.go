package delivery

import (
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/identifier"
)

// Mode says whether orders are delivered, or only simulated.
//
// A partner has two accounts: the live one, whose id is the partner's, and the test
// account. Their ids differ in the highest bit, which is 0 in the partner's id. So
// what is kept by partner_id is apart by itself, and the id of an order shows its
// mode. What belongs to the partner as a whole, such as people, API keys, limits and
// the rate card, is kept under the live id only.
type Mode string

// The two modes.
const (
	ModeLive Mode = "live"
	ModeTest Mode = "test"
)

// Modes lists the modes.
var Modes = []Mode{ModeLive, ModeTest}

const (
	// modeAt is the place of the character of an id that shows the mode.
	modeAt = len(partnerPrefix)
	// accountLength and orderLength are the lengths of the ids of accounts and orders.
	accountLength = len(partnerPrefix) + partnerTag
	orderLength   = len(orderPrefix) + 32
	// FirstTestID is less or equal to the id of every test account, and greater than
	// that of every live one.
	FirstTestID = partnerPrefix + "g"
	// half is the number of characters without the highest bit, which come first in
	// identifier.Alphabet.
	half = len(identifier.Alphabet) / 2
)

// IsTest reports whether the id of an account is that of a test account.
func IsTest(partnerID string) bool {
	return len(partnerID) == accountLength && partnerID[modeAt] >= FirstTestID[modeAt]
}

// ModeOf returns the mode of an account.
func ModeOf(partnerID string) Mode {
	if IsTest(partnerID) {
		return ModeTest
	}
	return ModeLive
}

// TestAccount returns the id of a partner's test account.
func TestAccount(partnerID string) string { return inMode(partnerID, half) }

// LiveAccount returns the id of the partner that an account belongs to: partnerID
// itself unless it is a test account.
func LiveAccount(partnerID string) string {
	if !IsTest(partnerID) {
		return partnerID
	}
	return inMode(partnerID, 0)
}

// Account returns the id of a partner's account of a mode.
func Account(partnerID string, mode Mode) string {
	if mode == ModeTest {
		return TestAccount(partnerID)
	}
	return LiveAccount(partnerID)
}

// inMode returns the id with its highest bit set if bit is half, and cleared if bit
// is 0. A text without the form of an id is returned as it is.
func inMode(partnerID string, bit int) string {
	if len(partnerID) != accountLength {
		return partnerID
	}
	place := strings.IndexByte(identifier.Alphabet, partnerID[modeAt])
	if place < 0 {
		return partnerID
	}
	return partnerID[:modeAt] + identifier.Alphabet[place%half+bit:][:1] + partnerID[modeAt+1:]
}

// IsTestOrder reports whether an order's id is that of an order of a test account.
func IsTestOrder(orderID string) bool {
	return len(orderID) == orderLength && orderID[len(orderPrefix)] >= FirstTestID[modeAt]
}

// PartnerOfLiveOrder is PartnerOfOrder for operators, for whom the orders of test
// accounts do not exist: it is false for those, too.
func PartnerOfLiveOrder(orderID string) (partnerID string, ok bool) {
	if partnerID, ok = PartnerOfOrder(orderID); !ok || IsTest(partnerID) {
		return "", false
	}
	return partnerID, true
}
