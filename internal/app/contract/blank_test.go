package contract_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/dropyard/dropyard/internal/foundation/form"
)

// TestBlankTextsInDocuments compares the patterns for texts that must not be blank with the
// rules of the service, for every character.
func TestBlankTextsInDocuments(t *testing.T) {
	t.Parallel()
	c := read(t)
	schemas := c.documents["openapi.yaml"].node(c).at("components", "schemas")
	required := schemas.at("RequiredLine", "x-pattern").text()
	identifier := schemas.at("Identifier", "x-pattern").text()
	optional := "^(" + strings.Trim(identifier, "^$") + ")?$"                  // of a barcode, which may be empty
	name := schemas.at("Acceptance", "properties", "name", "x-pattern").text() // required, and on one line
	inLine, _, _ := strings.Cut(strings.TrimPrefix(name, "^"), "[^\\p{")
	sku := strings.Replace(optional, `[\s\S]*`, inLine, 1)
	line := strings.Replace(identifier, `[\s\S]*`, inLine, 1) // the same, and required
	oneLine := regexp.MustCompile(sku)
	visible, tight := regexp.MustCompile(required), regexp.MustCompile(identifier)
	for r := range rune(unicode.MaxRune + 1) {
		if !utf8.ValidRune(r) {
			continue
		}
		text := string(r)
		if want := form.NotBlank.Allows(text); visible.MatchString(text) != want {
			t.Errorf("%U: got %t by the pattern of RequiredLine, want %t", r, !want, want)
		}
		for _, text := range []string{text, text + "a", "a" + text, "a" + text + "a"} {
			if want := form.NoOuterSpace.Allows(text); tight.MatchString(text) != want {
				t.Errorf("%+q: got %t by the pattern of Identifier, want %t", text, !want, want)
			}
			want := form.NoOuterSpace.Allows(text) && form.OneLine.Allows(text)
			if oneLine.MatchString(text) != want {
				t.Errorf("%+q: got %t by the pattern of skus, want %t", text, !want, want)
			}
		}
	}
	for _, d := range c.documents {
		d.node(c).walk(func(n node) {
			members, _ := n.value.(map[string]any)
			pattern, _ := members["x-pattern"].(string)
			if strings.Contains(pattern, `\p{`) && pattern != required && pattern != identifier &&
				pattern != optional && pattern != name && pattern != sku && pattern != line {
				t.Errorf("%s: got another x-pattern than those of RequiredLine, Identifier, barcodes, skus, names and lines", n)
			}
		})
	}
}
