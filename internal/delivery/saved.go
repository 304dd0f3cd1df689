package delivery

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// SavedID returns the id under which a partner keeps an address or a parcel: by what it is known, a name and
// a postal code, which a parcel does not have.
func SavedID(name, postalCode string) string {
	digest := sha256.Sum256([]byte(strings.ToLower(name) + "\x00" + NormalPostalCode(postalCode)))
	return hex.EncodeToString(digest[:12])
}
