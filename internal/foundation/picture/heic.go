package picture

import (
	"slices"

	"github.com/dropyard/dropyard/internal/foundation/form"
)

// HEICRule is the rule that a HEIC picture breaks. It names the settings of phones that write
// these by default.
var HEICRule = form.Define("picture_heic", "a PNG, JPEG or WebP picture, not HEIC: set the phone to take JPEG "+
	"(iPhone: Settings, Camera, Formats, Most Compatible; "+
	"Samsung: Camera settings, Advanced picture options, High efficiency pictures off)")

// heicBrands are the kinds of HEIF files that phones write, by what stands in their header.
var heicBrands = []string{"heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"}

// isHEIC reports whether a file is a HEIC picture, which is not decoded: phones can be set to
// write JPEG, and a decoder would be one more thing that strangers can attack.
func isHEIC(data []byte) bool {
	return len(data) >= 12 && string(data[4:8]) == "ftyp" && slices.Contains(heicBrands, string(data[8:12]))
}
