package label_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/label"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/oned"
	"github.com/makiuchi-d/gozxing/qrcode"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

func mustPDF(t testing.TB, o *delivery.Order) []byte { return mustPDFFor(t, o, label.Coarsest) }

func mustPDFFor(t testing.TB, o *delivery.Order, resolution label.Resolution) []byte {
	t.Helper()
	file, err := label.PDF(o, resolution, clock)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// poppler runs a program of poppler-utils on a file, and returns the directory that
// it wrote to and its output.
func poppler(t *testing.T, file []byte, program string, args ...string) (dir, out string) {
	t.Helper()
	testkit.NeedPoppler.OrSkip(t)
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "label.pdf"), file, 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), program, args...)
	command.Dir = dir
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", program, err, output)
	}
	return dir, string(output)
}

// printed returns the first page in the resolution of a printer.
func printed(t *testing.T, file []byte, dpi int) image.Image {
	t.Helper()
	dir, warnings := poppler(t, file, "pdftoppm", "-r", fmt.Sprint(dpi), "-png", "-singlefile", "label.pdf", "label")
	if warnings != "" {
		t.Errorf("pdftoppm: got %q, want no warnings", warnings)
	}
	content, err := os.ReadFile(filepath.Join(dir, "label.png"))
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

func scan(t *testing.T, picture image.Image, reader gozxing.Reader) string {
	t.Helper()
	bitmap, err := gozxing.NewBinaryBitmapFromImage(picture)
	if err != nil {
		t.Fatal(err)
	}
	found, err := reader.Decode(bitmap, map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_TRY_HARDER: true})
	if err != nil {
		t.Errorf("%T: %v", reader, err)
		return ""
	}
	return found.GetText()
}

// TestPrintedCodes scans the codes of the PDF in the resolution of printers.
func TestPrintedCodes(t *testing.T) {
	t.Parallel()
	dense, plain := usual(), usual()
	dense.Parcels[0].Barcode = "Dense^barcode~of>31_characters\\"
	dense.TrackingURL = "http://localhost:8080/" + strings.Repeat("behind-a-long-path/", 10) + "track/" + orderID
	plain.Parcels[0].Barcode = ""
	for name, o := range map[string]*delivery.Order{
		"usual": usual(), "extreme": extreme(), "foreign": foreign(), "lettered": lettered(), "dense": dense, "plain": plain,
	} {
		for _, dpi := range []int{203, 300} {
			t.Run(fmt.Sprint(name, dpi), func(t *testing.T) {
				t.Parallel()
				picture := printed(t, mustPDFFor(t, o, label.Resolution(dpi)), dpi)
				if size := picture.Bounds().Size(); size.X != 4*dpi || size.Y != 6*dpi {
					t.Errorf("got a page of %v dots, want %d by %d", size, 4*dpi, 6*dpi)
				}
				if got := scan(t, picture, oned.NewCode128Reader()); got != label.Code128(o, 1) {
					t.Errorf("Code 128: got %q, want %q", got, label.Code128(o, 1))
				}
				if got := scan(t, picture, qrcode.NewQRCodeReader()); got != o.TrackingURL {
					t.Errorf("QR code: got %q, want %q", got, o.TrackingURL)
				}
			})
		}
	}
}

// words returns the text of an order's PDF.
func words(t *testing.T, o *delivery.Order) string {
	t.Helper()
	dir, _ := poppler(t, mustPDF(t, o), "pdftotext", "-layout", "label.pdf", "label.txt")
	text, err := os.ReadFile(filepath.Join(dir, "label.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestTextOfPDF reads the text of the file, as a search in it does.
func TestTextOfPDF(t *testing.T) {
	t.Parallel()
	text := words(t, usual())
	for _, want := range []string{
		"EXPRESS", "1/2", "2/2", "Épicerie Bœuf & Fils", "Amélie Façade-Noël", "app. 12", "Montréal", "QC H2W 2M5", "CANADA",
		"Sonnette du haut; le chien mord. – Ring twice", "FRAGILE", "COD 45.05 CAD", "6.2 kg – 40 × 30.5 × 20 cm",
		"0.05 kg – 10 × 10 × 5 cm", "1G2H3J", "2026-01-15 11:00 – 14:00 AST", "+1 514-555-0100", "Order: EM-2026-004711",
		"Ref: REF", "Parcel: EM-2026-004711-2", orderID, "0627735067890",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("got\n%s\nwant %q in it", text, want)
		}
	}
	if strings.Count(text, "FRAGILE") != 1 || strings.Count(text, "COD") != 2 {
		t.Errorf("got\n%s\nwant FRAGILE once and COD twice", text)
	}
	if text := words(t, foreign()); !strings.Contains(text, "Дмитрий Ελένη □□□□ □□□ é") ||
		!strings.Contains(text, "Québec [31m") {
		t.Errorf("got\n%s\nwant Cyrillic and Greek, and □ for other scripts", text)
	}
	free := usual()
	free.COD.AmountCents = 0
	free.Instructions, free.Dropoff.Address.Notes, free.Reference = "", "", ""
	if text := words(t, free); strings.Contains(text, "COD") || strings.Contains(text, "Ref:") {
		t.Errorf("got\n%s\nwant neither COD nor Ref:", text)
	}
}

// lettered returns an order whose texts are not in Windows-1252.
func lettered() *delivery.Order {
	o := usual()
	o.Pickup.Name = "Καφενείο Ἀθῆναι"
	o.Dropoff.Name = "Łukasz Đặng-Nguyễn ﬁls"
	o.Dropoff.Address.Line1 = "3895 šxʷməθkʷəy̓əmasəm Street"
	o.Dropoff.Address.Line2 = "ᐃᖃᓗᐃᑦ ᖃᓂᐅᔮᖅᐸᐃᑦ"
	o.Dropoff.Address.City = "Behchokǫ̀ (Tłı̨chǫ)"
	o.Dropoff.Address.Notes = "Київ, Щука: здесь"
	return o
}

// TestLettersOfPDF reads letters of other scripts than that of Windows-1252, with accents that
// no character has with its letter.
func TestLettersOfPDF(t *testing.T) {
	t.Parallel()
	o := lettered()
	// pdftotext takes the gap between two letters for a space if an accent of the first is below.
	plain := func(text string) string { return strings.ReplaceAll(norm.NFC.String(text), " ", "") }
	text := plain(words(t, o))
	for _, want := range []string{
		o.Pickup.Name, "Łukasz Đặng-Nguyễn", o.Dropoff.Address.Line1, o.Dropoff.Address.Line2, o.Dropoff.Address.City,
		o.Dropoff.Address.Notes,
	} {
		if !strings.Contains(text, plain(want)) {
			t.Errorf("got\n%s\nwant %q in it", text, want)
		}
	}
}

// TestEveryLatinCharacterOfPDF reads back each character of Windows-1252 that the
// fonts have.
func TestEveryLatinCharacterOfPDF(t *testing.T) {
	t.Parallel()
	var characters []rune
	for code := 0x21; code <= 0xff; code++ {
		r := charmap.Windows1252.DecodeByte(byte(code))
		if unicode.IsGraphic(r) && !strings.ContainsRune("\u00a0ˆ˜\ufffd", r) {
			characters = append(characters, r)
		}
	}
	text := ""
	for some := range slices.Chunk(characters, 55) {
		o := usual()
		o.Dropoff.Name, o.Dropoff.Address.Line1 = string(some), ""
		text += words(t, o)
	}
	missing := slices.DeleteFunc(characters, func(r rune) bool { return strings.ContainsRune(text, r) })
	if len(missing) > 0 {
		t.Errorf("got\n%s\nwant also %q", text, string(missing))
	}
}

var embeddedForm = regexp.MustCompile(`(?m)TrueType .* (yes|no) +(?:yes|no) +(?:yes|no) +\d+ +\d+$`)

// TestFontsOfPDF: every font is in the file, because a print server may have none.
// A label whose texts are in Windows-1252 has only the two prepared fonts; one name
// in other letters brings one more.
func TestFontsOfPDF(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		order *delivery.Order
		fonts int
	}{"usual": {usual(), 2}, "extreme": {extreme(), 2}, "foreign": {foreign(), 3}} {
		_, list := poppler(t, mustPDF(t, c.order), "pdffonts", "label.pdf")
		found := embeddedForm.FindAllStringSubmatch(list, -1)
		for _, font := range found {
			if font[1] != "yes" {
				t.Errorf("%s: got %q, want it embedded", name, font[0])
			}
		}
		if len(found) != c.fonts {
			t.Errorf("%s: got\n%s\nwant %d fonts", name, list, c.fonts)
		}
	}
}

var pageForm = regexp.MustCompile(`/Type /Page\b[^s]`)

func pages(file []byte) int { return len(pageForm.FindAll(file, -1)) }

func TestPDFPages(t *testing.T) {
	t.Parallel()
	for _, o := range []*delivery.Order{usual(), extreme(), foreign()} {
		file := mustPDF(t, o)
		if got := pages(file); got != len(o.Parcels) {
			t.Errorf("got %d pages, want %d", got, len(o.Parcels))
		}
		_, info := poppler(t, file, "pdfinfo", "label.pdf")
		for _, want := range []string{fmt.Sprintf("Pages:           %d\n",
			len(o.Parcels)), "Page size:       288 x 432 pts", "Label " + orderID} {
			if !strings.Contains(info, want) {
				t.Errorf("got\n%s\nwant %q in it", info, want)
			}
		}
	}
}

var dateForm = regexp.MustCompile(`D:([0-9]{14})`)

// TestSameOrderSameFile: the same order gives the same bytes at any time. Its PDF
// holds no date but that of its creation.
func TestSameOrderSameFile(t *testing.T) {
	t.Parallel()
	first, text := mustPDF(t, extreme()), label.ZPL(extreme(), label.Coarsest, clock)
	for range 5 {
		if !bytes.Equal(first, mustPDF(t, extreme())) || !bytes.Equal(text, label.ZPL(extreme(), label.Coarsest, clock)) {
			t.Fatal("got different files of one order, want equal ones")
		}
	}
	dates := dateForm.FindAllSubmatch(first, -1)
	want := extreme().CreatedAt.Format("20060102150405")
	for _, date := range dates {
		if got := string(date[1]); got != want {
			t.Errorf("got the date %s in the PDF, want %s", got, want)
		}
	}
	if len(dates) != 2 {
		t.Errorf("got %d dates in the PDF, want those of creation and modification", len(dates))
	}
}
