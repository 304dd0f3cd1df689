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
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/label"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/oned"
	"github.com/makiuchi-d/gozxing/qrcode"
)

func mustPDF(t testing.TB, o *delivery.Order) []byte {
	t.Helper()
	file, err := label.PDF(o)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// poppler runs a program of it over a file, and gives the directory that it
// wrote into.
func poppler(t *testing.T, file []byte, program string, args ...string) (dir, out string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		testkit.Missing(t, program, "poppler-utils", err)
	}
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "label.pdf"), file, 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), program, args...)
	command.Dir = dir
	said, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", program, err, said)
	}
	return dir, string(said)
}

// printed is the first page as a printer of so many dots per inch shows it.
func printed(t *testing.T, file []byte, dpi int) image.Image {
	t.Helper()
	dir, said := poppler(t, file, "pdftoppm", "-r", fmt.Sprint(dpi), "-png", "-singlefile", "label.pdf", "label")
	if said != "" {
		t.Errorf("the PDF is faulty: %s", said)
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
		t.Errorf("nothing is found: %v", err)
		return ""
	}
	return found.GetText()
}

// TestPrintedCodesAreRead scans what a printer would make of the PDF.
func TestPrintedCodesAreRead(t *testing.T) {
	t.Parallel()
	dense, plain := usual(), usual()
	dense.Parcels[0].Barcode = "Dense^barcode~of>31_characters\\"
	dense.TrackingURL = "http://localhost:8080/" + strings.Repeat("behind-a-long-path/", 10) + "track/" + orderID
	plain.Parcels[0].Barcode = ""
	for name, o := range map[string]*delivery.Order{"usual": usual(), "extreme": extreme(), "foreign": foreign(), "dense": dense, "plain": plain} {
		for _, dpi := range []int{203, 300} {
			t.Run(fmt.Sprint(name, dpi), func(t *testing.T) {
				t.Parallel()
				picture := printed(t, mustPDF(t, o), dpi)
				if size := picture.Bounds().Size(); size.X != 4*dpi || size.Y != 6*dpi {
					t.Errorf("the page is %v", size)
				}
				if got := scan(t, picture, oned.NewCode128Reader()); got != label.Code128(o, 1) {
					t.Errorf("Code 128: %q, want %q", got, label.Code128(o, 1))
				}
				if got := scan(t, picture, qrcode.NewQRCodeReader()); got != o.TrackingURL {
					t.Errorf("QR: %q", got)
				}
			})
		}
	}
}

// TestTextOfPDF reads the text back as a search in the file would.
func TestTextOfPDF(t *testing.T) {
	t.Parallel()
	words := func(o *delivery.Order) string {
		dir, _ := poppler(t, mustPDF(t, o), "pdftotext", "-layout", "label.pdf", "label.txt")
		text, err := os.ReadFile(filepath.Join(dir, "label.txt"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	text := words(usual())
	for _, want := range []string{
		"EXPRESS", "1/2", "2/2", "Épicerie Bœuf & Fils", "Amélie Façade-Noël", "app. 12", "Montréal", "QC H2W 2M5", "CANADA",
		"Sonnette du haut; le chien mord. – Ring twice", "FRAGILE", "COD 45.05 CAD", "6.2 kg – 40 × 30.5 × 20 cm", "0.05 kg – 10 × 10 × 5 cm",
		"Order: EM-2026-004711", "Ref: REF", "Parcel: EM-2026-004711-2", orderID, "0627735067890",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if strings.Count(text, "FRAGILE") != 1 || strings.Count(text, "COD") != 2 {
		t.Errorf("FRAGILE belongs to one parcel, COD to both:\n%s", text)
	}
	if text := words(foreign()); !strings.Contains(text, "Дмитрий Ελένη □□□□ □□□ é") || !strings.Contains(text, "Québec [31m") {
		t.Errorf("other scripts are not there, or not marked:\n%s", text)
	}
	free := usual()
	free.COD.AmountCents = 0
	free.Instructions, free.Dropoff.Address.Notes, free.Reference = "", "", ""
	if text := words(free); strings.Contains(text, "COD") || strings.Contains(text, "Ref:") {
		t.Errorf("what is not there is shown:\n%s", text)
	}
}

var pageForm = regexp.MustCompile(`/Type /Page\b[^s]`)

func pages(file []byte) int { return len(pageForm.FindAll(file, -1)) }

func TestPDFHasAPageForEachParcel(t *testing.T) {
	t.Parallel()
	for _, o := range []*delivery.Order{usual(), extreme(), foreign()} {
		file := mustPDF(t, o)
		if got := pages(file); got != len(o.Parcels) {
			t.Errorf("%d pages for %d parcels", got, len(o.Parcels))
		}
		_, said := poppler(t, file, "pdfinfo", "label.pdf")
		for _, want := range []string{fmt.Sprintf("Pages:           %d\n", len(o.Parcels)), "Page size:       288 x 432 pts", "Label " + orderID} {
			if !strings.Contains(said, want) {
				t.Errorf("%q is missing in\n%s", want, said)
			}
		}
	}
}

func TestTheSameOrderGivesTheSameFile(t *testing.T) {
	t.Parallel()
	first, text := mustPDF(t, extreme()), label.ZPL(extreme())
	time.Sleep(1100 * time.Millisecond) // dates in PDF count seconds
	for range 5 {
		if !bytes.Equal(first, mustPDF(t, extreme())) || !bytes.Equal(text, label.ZPL(extreme())) {
			t.Fatal("the files differ")
		}
	}
}
