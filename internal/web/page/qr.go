package page

import (
	"fmt"
	"html/template"
	"strings"

	"rsc.io/qr"
)

// quiet is the light margin that readers of QR codes need, in modules.
const quiet = 4

// qrCode returns a text as a QR code with a label for those who cannot see it. It is
// dark on light in both themes, because many cameras read no other.
func qrCode(label, text string) (template.HTML, error) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return "", fmt.Errorf("draw a QR code: %w", err)
	}
	var dark strings.Builder
	for y := range code.Size {
		for x := 0; x < code.Size; x++ {
			start := x
			for x < code.Size && code.Black(x, y) {
				x++
			}
			if x > start {
				fmt.Fprintf(&dark, "M%d %dh%dv1h-%dz", start+quiet, y+quiet, x-start, x-start)
			}
		}
	}
	side := code.Size + 2*quiet
	return template.HTML(fmt.Sprintf(`<svg class="qr" viewBox="0 0 %d %d" role="img" aria-label="%s" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h%dv%dH0z"/><path fill="#000" d="%s"/></svg>`,
		side, side, template.HTMLEscapeString(label), side, side, dark.String())), nil
}
