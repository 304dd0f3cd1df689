package picture

import (
	"bytes"
	"encoding/binary"
)

// The markers of JPEG that planJPEG distinguishes.
const (
	markerSOF0  = 0xc0 // baseline
	markerSOF1  = 0xc1 // extended
	markerSOF2  = 0xc2 // progressive
	markerDHT   = 0xc4
	markerJPG   = 0xc8
	markerDAC   = 0xcc
	markerSOF15 = 0xcf
	markerRST0  = 0xd0
	markerRST7  = 0xd7
	markerEOI   = 0xd9
	markerSOS   = 0xda
	markerAPP1  = 0xe1
	markerAPP14 = 0xee
)

// frame is what the segments of a JPEG say of its pixels.
type frame struct {
	plan
	components  int
	samples     int // of all components; a pixel has up to four
	progressive bool
	rgb         bool // not YCbCr: the decoder makes another copy
}

// planJPEG reads the segments as the decoder does, and skips bytes between them as
// the decoder does, so that both see the same header.
func planJPEG(data []byte) (plan, error) {
	f := frame{plan: plan{orientation: upright}}
	rest := data[2:] // after the magic
	for {
		marker, after := nextMarker(rest)
		if marker == markerEOI || marker == 0 {
			break // the decoder refuses a truncated file
		}
		rest = after
		if marker >= markerRST0 && marker <= markerRST7 {
			continue
		}
		body, behind, whole := segment(rest)
		if !whole {
			break
		}
		rest = behind
		if err := f.addSegment(marker, body); err != nil {
			return plan{}, err
		}
	}
	err := f.finish()
	return f.plan, err
}

// nextMarker returns the next marker, and the data behind it; 0 if there is none.
func nextMarker(data []byte) (marker byte, behind []byte) {
	for {
		at := bytes.IndexByte(data, 0xff)
		if at < 0 {
			return 0, nil
		}
		for data = data[at:]; len(data) > 0 && data[0] == 0xff; {
			data = data[1:]
		}
		if len(data) == 0 {
			return 0, nil
		}
		if marker, data = data[0], data[1:]; marker != 0 { // FF 00 is an FF in pixel data
			return marker, data
		}
	}
}

// segment returns the segment at the beginning of data, and the data behind it. It
// is false if the segment is truncated.
func segment(data []byte) (body, behind []byte, whole bool) {
	if len(data) < 2 {
		return nil, nil, false
	}
	length := int(binary.BigEndian.Uint16(data))
	if length < 2 || length > len(data) {
		return nil, nil, false
	}
	return data[2:length], data[length:], true
}

// addSegment records what one segment says of the pixels. It refuses JPEGs that the
// decoder cannot read.
func (f *frame) addSegment(marker byte, body []byte) error {
	switch {
	case marker == markerSOS:
		if f.scans++; f.scans > maxScans {
			return unfit{fewerScans}
		}
	case marker == markerAPP1 && bytes.HasPrefix(body, []byte(exifMagic)):
		if f.scans == 0 {
			f.orientation = readOrientation(body[len(exifMagic):])
		}
	case marker == markerAPP14 && bytes.HasPrefix(body, []byte("Adobe")) && len(body) >= 12:
		f.rgb = f.rgb || body[11] == 0
	case marker == markerSOF0 || marker == markerSOF1 || marker == markerSOF2:
		f.progressive = marker == markerSOF2
		return f.addHeader(body)
	case marker > markerSOF2 && marker <= markerSOF15 && marker != markerDHT && marker != markerJPG && marker != markerDAC:
		return unfit{baselineRule}
	}
	return nil
}

// addHeader reads the frame header: precision, height, width, and the id and
// sampling of every component.
func (f *frame) addHeader(body []byte) error {
	const fixed, each = 6, 3
	if f.components != 0 || len(body) < fixed || len(body) != fixed+each*int(body[5]) {
		return errUnreadable
	}
	if body[0] != 8 {
		return unfit{channelsRule}
	}
	f.height, f.width = int(binary.BigEndian.Uint16(body[1:])), int(binary.BigEndian.Uint16(body[3:]))
	f.components = int(body[5])
	if f.components != 1 && f.components != 3 {
		return unfit{coloursRule}
	}
	widest, all := 1, 0
	ids := []byte{}
	for component := range f.components {
		described := body[fixed+each*component:]
		across, down := int(described[1]>>4), int(described[1]&0xf)
		widest, all = max(widest, across*down), all+across*down
		ids = append(ids, described[0])
	}
	f.rgb = f.rgb || string(ids) == "RGB"
	f.samples = min(max(1, (f.width*f.height*all+widest-1)/widest), f.width*f.height*f.components)
	return nil
}

// finish computes the memory that decoding needs.
func (f *frame) finish() error {
	if f.components == 0 || f.scans == 0 {
		return errUnreadable
	}
	f.raster = f.samples
	if f.progressive {
		f.raster += 4 * f.samples // coefficients are kept until the last scan
	}
	if f.rgb && f.components == 3 {
		f.raster += 4 * f.width * f.height
	}
	return nil
}
