package proof

import (
	"encoding/base32"
	"fmt"
	"io"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/picture"
)

// nameBytes is the number of random bytes in a name. A request that has a name may
// read the picture, so a name must not depend on the order or the time.
const nameBytes = 20

var nameEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// nameLength is the length of a name without the dot and the suffix.
var nameLength = nameEncoding.EncodedLen(nameBytes)

// NewName returns a random name for a picture. Its suffix holds the format, so that
// stores need not.
func NewName(random io.Reader, format picture.Format) (string, error) {
	var drawn [nameBytes]byte
	if _, err := io.ReadFull(random, drawn[:]); err != nil {
		return "", fmt.Errorf("draw a name: %w", err)
	}
	return nameEncoding.EncodeToString(drawn[:]) + "." + string(format), nil
}

// IsName reports whether a text has the form of a name. Such a text is safe in
// paths of files and URLs.
func IsName(text string) bool {
	body, suffix, _ := strings.Cut(text, ".")
	if len(body) != nameLength || (suffix != string(picture.JPEG) && suffix != string(picture.PNG)) {
		return false
	}
	_, err := nameEncoding.DecodeString(body) // it skips line breaks
	return err == nil && !strings.ContainsAny(body, "\r\n")
}

// FormatOf returns the format of the picture with a name.
func FormatOf(name string) picture.Format {
	_, suffix, _ := strings.Cut(name, ".")
	return picture.Format(suffix)
}
