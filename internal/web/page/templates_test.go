package page_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	comments   = regexp.MustCompile(`(?s)\{\{-?\s*/\*.*?\*/\s*-?\}\}`)
	attributes = regexp.MustCompile(`(?s)\{\{define "[a-z]+-attributes".*?\n\{\{- end\}\}\n`)
	actions    = regexp.MustCompile(`(?s)\{\{.*?\}\}`)
	elements   = regexp.MustCompile(`(?s)<[^>]*>`)
	letters    = regexp.MustCompile(`\pL{2,}`)
	spoken     = regexp.MustCompile(`(?:alt|title|aria-label|placeholder|label)="([^"]*)"`)
	styles     = regexp.MustCompile(`\sstyle\s*=|<style|\son[a-z]+\s*=|<script>`)
	brandNames = regexp.MustCompile(`Dropyard`)
)

// TestTemplatesHoldNoText looks for words in the templates of all packages that are not
// from the phrasebook, and for styles and scripts that the policy forbids. Scenes that
// readers never see may have words.
func TestTemplatesHoldNoText(t *testing.T) {
	t.Parallel()
	templates, err := filepath.Glob("../*/templates/*.html")
	if err != nil || len(templates) < 5 {
		t.Fatalf("got the templates %q, %v, want those of all rooms", templates, err)
	}
	for _, name := range templates {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		markup := actions.ReplaceAllString(attributes.ReplaceAllString(comments.ReplaceAllString(string(text), ""), ""), "")
		if found := styles.FindString(markup); found != "" {
			t.Errorf("%s: got %q, which the policy forbids", name, found)
		}
		if strings.HasPrefix(name, "../pagetest/") {
			continue
		}
		for _, attribute := range spoken.FindAllStringSubmatch(markup, -1) {
			if letters.MatchString(attribute[1]) {
				t.Errorf("%s: got %q, want a phrase", name, attribute[0])
			}
		}
		for _, word := range letters.FindAllString(brandNames.ReplaceAllString(elements.ReplaceAllString(markup, " "), ""),
			-1) {
			t.Errorf("%s: got the word %q, want a phrase", name, word)
		}
	}
}
