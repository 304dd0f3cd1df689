package picture

import (
	"encoding/binary"
	"iter"
)

// planPNG reads the first chunk, which must be the header.
func planPNG(data []byte) (plan, error) {
	const magic, chunk, header = 8, 8, 13
	if len(data) < magic+chunk+header || string(data[magic+4:magic+chunk]) != "IHDR" ||
		binary.BigEndian.Uint32(data[magic:]) != header {
		return plan{}, errUnreadable
	}
	described := data[magic+chunk:]
	width, height := binary.BigEndian.Uint32(described), binary.BigEndian.Uint32(described[4:])
	if width > maxSide || height > maxSide {
		width, height = min(width, maxSide+1), min(height, maxSide+1) // still refused, but without overflow
	}
	p := plan{width: int(width), height: int(height), orientation: orientationIn(chunksOfPNG(data), "eXIf")}
	p.raster = p.width * p.height * bytesPerPixel(described[8], described[9])
	if interlaced := described[12] != 0; interlaced {
		p.raster += p.raster / 2 // passes are decoded one by one; the last has half of the pixels
	}
	return p, nil
}

// chunksOfPNG iterates over the ids and bodies of the complete chunks of a file.
func chunksOfPNG(data []byte) iter.Seq2[string, []byte] {
	const magic, header, checksum = 8, 8, 4
	return func(yield func(string, []byte) bool) {
		for rest := data[magic:]; len(rest) >= header; {
			length := uint64(binary.BigEndian.Uint32(rest))
			body := rest[header:]
			if length > uint64(len(body)) || !yield(string(rest[4:header]), body[:length]) {
				return
			}
			rest = body[min(uint64(len(body)), length+checksum):]
		}
	}
}

// bytesPerPixel returns the greatest memory that the decoder needs for a pixel.
// Grey pixels need as much as coloured ones if one of the greys is transparent.
func bytesPerPixel(depth, colours byte) int {
	const palette = 3
	switch {
	case depth == 16:
		return 8
	case colours == palette:
		return 1
	default:
		return 4
	}
}
