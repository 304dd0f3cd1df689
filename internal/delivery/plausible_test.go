package delivery

import (
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"golang.org/x/net/publicsuffix"
	"pgregory.net/rapid"
)

// TestHintsOfPostBoxes: no line that postBoxForm matches is left out before it is tried.
func TestHintsOfPostBoxes(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"PO Box 12", "p.o.box", "P. O. BOX", "post box", "Postal Box 3", "POST OFFICE BOX 4", "postal office box",
		"General Delivery", "case postale 9", "Boîte postale", "BOÎTE POSTALE", "boite postale", "casier postal 2",
		"Poste restante", "C.P. 12", "c. p. 12", "CP12", "cp 1", "B.P. 7", "bp7", "Box 7, Site 3", "  box 1",
		"poſt box 2",
		"caſe poſtale", "Général; poſte reſtante",
	} {
		if !postBoxForm.MatchString(line) || !hintsPostBox(line) {
			t.Errorf("%q: got the match %t and the hint %t, want both",
				line, postBoxForm.MatchString(line), hintsPostBox(line))
		}
	}
	parts := []string{
		"p", "P.", "o", "O.", "box", "BOX", "Bo", "x", "post", "poſt", "al", "AL", "office", "general", "delivery",
		"Delivery",
		"case", "caſe", "postale", "boîte", "BOÎTE", "boite", "casier", "restante", "reſtante", "c", "C.", "b", "b.", "1",
		"22",
		"po box", "post box ", "C. P. ", "bp", "c.p ", "box 1",
		" ", " ", " ", " ", ".", "-", "é", "\u212a", "\n", "rue", "avenue", "Loop", "\xc5", "\xbf",
	}
	matched := 0
	repeatable.Check(t, func(t *rapid.T) {
		for range 50 {
			drawn := rapid.SliceOfN(rapid.SampledFrom(parts), 0, 8).Draw(t, "parts")
			line := strings.Join(drawn, "")
			want := postBoxForm.MatchString(line)
			if want {
				matched++
			}
			if got := namesPostBox(line); got != want {
				t.Fatalf("%q: got %t, want %t", line, got, want)
			}
		}
	})
	if matched < 50 {
		t.Errorf("got %d lines that match, want many", matched)
	}
}

// TestUsualStreetsHaveNoHint: streets of which there are many are not tried with the expression.
func TestUsualStreetsHaveNoHint(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"4000 rue Saint-Denis", "100 Queen St W", "1200, chemin de la Côte-des-Neiges", "55 Parkway Place", "Unit 4",
		"app. 2",
		"350 Pape Avenue", "12 Delisle Street", "8 Postill Lane", "7 Restigouche Road", "",
	} {
		if hintsPostBox(line) {
			t.Errorf("%q: got a hint of a post office box, want none", line)
		}
	}
}

// TestCommonDomainsAreManaged: domains that are not looked up are those of the list.
func TestCommonDomainsAreManaged(t *testing.T) {
	t.Parallel()
	for _, last := range commonDomains {
		if suffix, managed := publicsuffix.PublicSuffix("shop." + last); suffix != last || !managed {
			t.Errorf("%s: got the suffix %q, managed: %t, want itself", last, suffix, managed)
		}
		if !deliverable("a@shop."+last) || !deliverable("a@Blogspot."+last) || deliverable("a@"+last) {
			t.Errorf("%s: got other answers than with the list", last)
		}
	}
}

// TestPostalArea: it is the beginning of the normal form.
func TestPostalArea(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		code := rapid.OneOf(rapid.StringMatching(`[A-Za-z]?[0-9 ]?[A-Za-z]? ?([0-9][A-Za-z][0-9])?`),
			rapid.String()).Draw(t, "code")
		normal := NormalPostalCode(code)
		if got, want := PostalArea(code), normal[:min(3, len(normal))]; got != want {
			t.Fatalf("%q: got %q, want %q", code, got, want)
		}
	})
}
