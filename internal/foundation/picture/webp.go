package picture

import (
	"bytes"
	"encoding/binary"
	"iter"
)

func isWebP(data []byte) bool {
	return len(data) >= 16 && bytes.HasPrefix(data, []byte("RIFF")) && string(data[8:12]) == "WEBP"
}

// planWebP reads the chunks up to the picture, and the orientation, which usually
// follows it.
func planWebP(data []byte) (plan, error) {
	chunks := chunksOfWebP(data)
	p := plan{orientation: orientationIn(chunks, "EXIF")}
	for id, body := range chunks {
		switch id {
		case "ANIM", "ANMF":
			return plan{}, unfit{stillRule}
		case "ALPH":
			p.lossless = true
		case "VP8X":
			if len(body) < 10 || p.width != 0 {
				return plan{}, errUnreadable
			}
			p.width, p.height = 1+uint24(body[4:]), 1+uint24(body[7:])
		case "VP8 ":
			return p.lossy(body)
		case "VP8L":
			return p.exact(body)
		}
	}
	return plan{}, errUnreadable
}

// chunksOfWebP iterates over the ids and bodies of the complete chunks of a file.
func chunksOfWebP(data []byte) iter.Seq2[string, []byte] {
	const container, header = 12, 8
	return func(yield func(string, []byte) bool) {
		for rest := data[container:]; len(rest) >= header; {
			length := uint64(binary.LittleEndian.Uint32(rest[4:]))
			body := rest[header:]
			if length > uint64(len(body)) || !yield(string(rest[:4]), body[:length]) {
				return
			}
			rest = rest[min(uint64(len(rest)), header+length+length%2):]
		}
	}
}

func uint24(data []byte) int {
	return int(data[0]) | int(data[1])<<8 | int(data[2])<<16
}

// lossy returns the plan with the header of a VP8 frame: 3 bytes of flags, 3 of
// magic, and the sides with 14 bits each.
func (p plan) lossy(body []byte) (plan, error) {
	if len(body) < 10 {
		return plan{}, errUnreadable
	}
	const sides = 1<<14 - 1
	width, height := int(binary.LittleEndian.Uint16(body[6:])&sides), int(binary.LittleEndian.Uint16(body[8:])&sides)
	if p.width == 0 {
		p.width, p.height = width, height
	}
	const halves = 3 // half bytes for each pixel
	p.raster = max(p.width, width) * max(p.height, height) * halves / 2
	return p, nil
}

// exact returns the plan with the header of a VP8L picture: a byte of magic, and the
// sides minus one with 14 bits each.
func (p plan) exact(body []byte) (plan, error) {
	if len(body) < 5 {
		return plan{}, errUnreadable
	}
	const sides = 1<<14 - 1
	bits := int(binary.LittleEndian.Uint32(body[1:]))
	width, height := 1+bits&sides, 1+bits>>14&sides
	if p.width == 0 {
		p.width, p.height = width, height
	}
	p.lossless = true
	const twice = 8 // four bytes for each pixel, and four again to convert its colours
	p.raster = max(p.width, width) * max(p.height, height) * twice
	return p, nil
}
