package proof

import (
	"encoding/base32"
	"fmt"
	"io"
	"strings"
)

// Kind is what a kept picture is.
type Kind string

// The kinds, named by the suffix of their names.
const (
	JPEG Kind = "jpg"
	PNG  Kind = "png"
)

// ContentType is the media type of a kind.
func (k Kind) ContentType() string {
	if k == PNG {
		return "image/png"
	}
	return "image/jpeg"
}

// nameBytes are the random bytes of a name: 160 bits. Whoever has a name may
// see the picture, so nothing about it may follow from an order or a time.
const nameBytes = 20

var nameEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// nameLength is how long a name is, without a dot and its suffix.
var nameLength = nameEncoding.EncodedLen(nameBytes)

// NewName draws a name for a picture. The suffix keeps what kind it is, so that
// no store needs a second place for that.
func NewName(random io.Reader, kind Kind) (string, error) {
	var drawn [nameBytes]byte
	if _, err := io.ReadFull(random, drawn[:]); err != nil {
		return "", fmt.Errorf("draw a name: %w", err)
	}
	return nameEncoding.EncodeToString(drawn[:]) + "." + string(kind), nil
}

// IsName tells whether a text has the form of a name. Such a text is safe in
// paths of files and URLs.
func IsName(text string) bool {
	body, suffix, _ := strings.Cut(text, ".")
	if len(body) != nameLength || (suffix != string(JPEG) && suffix != string(PNG)) {
		return false
	}
	_, err := nameEncoding.DecodeString(body) // which skips line ends
	return err == nil && !strings.ContainsAny(body, "\r\n")
}

// KindOf is the kind that a name tells.
func KindOf(name string) Kind {
	_, suffix, _ := strings.Cut(name, ".")
	return Kind(suffix)
}
