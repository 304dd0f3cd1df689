package picture

import (
	"bytes"
	"encoding/binary"
	"iter"
)

const exifMagic = "Exif\x00\x00"

// orientation says how the stored picture must be turned, by the numbers of EXIF: 2
// is mirrored, 3 upside down, 6 and 8 on one side or the other, the others both.
type orientation uint16

const (
	upright         orientation = 1
	lastOrientation orientation = 8
)

// swapsSides reports whether width and height are exchanged.
func (o orientation) swapsSides() bool { return o >= 5 }

// orientationIn returns the orientation in the first chunk with the id exif, which
// may begin with the magic that JPEG uses.
func orientationIn(chunks iter.Seq2[string, []byte], exif string) orientation {
	for id, body := range chunks {
		if id == exif {
			return readOrientation(bytes.TrimPrefix(body, []byte(exifMagic)))
		}
	}
	return upright
}

// readOrientation returns the orientation in the first directory of a TIFF, the
// form of EXIF data. It is upright if the data is invalid: a photo on its side is
// better than none.
func readOrientation(tiff []byte) orientation {
	const header, entry, tag, short = 8, 12, 0x0112, 3
	if len(tiff) < header {
		return upright
	}
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(tiff, []byte("II*\x00")):
		order = binary.LittleEndian
	case bytes.HasPrefix(tiff, []byte("MM\x00*")):
		order = binary.BigEndian
	default:
		return upright
	}
	start := order.Uint32(tiff[4:])
	if start < header || uint64(start)+2 > uint64(len(tiff)) {
		return upright
	}
	directory := tiff[start:]
	count := int(order.Uint16(directory))
	for directory = directory[2:]; count > 0 && len(directory) >= entry; count-- {
		if order.Uint16(directory) == tag && order.Uint16(directory[2:]) == short && order.Uint32(directory[4:]) == 1 {
			if value := orientation(order.Uint16(directory[8:])); value >= upright && value <= lastOrientation {
				return value
			}
			return upright
		}
		directory = directory[entry:]
	}
	return upright
}
