package delivery

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
)

// ImportKept is how long a file of orders is kept that people import on a page.
const ImportKept = 24 * time.Hour

// SavedID returns the id under which a partner keeps an address or a parcel: by what it is known, a name and
// a postal code, which a parcel does not have.
func SavedID(name, postalCode string) string {
	digest := sha256.Sum256([]byte(strings.ToLower(name) + "\x00" + NormalPostalCode(postalCode)))
	return hex.EncodeToString(digest[:12])
}
