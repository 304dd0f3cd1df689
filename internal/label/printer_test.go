package label

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/oned"
	"github.com/makiuchi-d/gozxing/qrcode"
)

// printer draws labels in ZPL as far as this service writes it. It has the latin fonts only.
type printer struct{ paper *image.Gray }

var fieldForm = regexp.MustCompile(`^\^FO(\d+),(\d+)(?:\^BY(\d+))?\^(GB|GFA,|A0N,|BCN,|BQN,)([^^]*)` +
	`((?:\^FR)?)(?:\^FH\^FD(.*))?\^FS$`)

// printZPL returns the labels that a printer prints, as pictures.
func printZPL(t testing.TB, zpl []byte) (labels []*image.Gray) {
	t.Helper()
	var p printer
	var wide int
	for command := range strings.Lines(string(zpl)) {
		command = strings.TrimSuffix(command, "\n")
		if size, ok := strings.CutPrefix(command, "^PW"); ok {
			wide, _ = strconv.Atoi(size)
		}
		if size, ok := strings.CutPrefix(command, "^LL"); ok {
			tall, _ := strconv.Atoi(size)
			p.paper = image.NewGray(image.Rect(0, 0, wide, tall))
			draw.Draw(p.paper, p.paper.Rect, image.White, image.Point{}, draw.Src)
			labels = append(labels, p.paper)
		}
		if parts := fieldForm.FindStringSubmatch(command); parts != nil {
			p.field(parts)
		} else if strings.HasPrefix(command, "^FO") {
			t.Fatalf("got %.200q, want a field", command)
		}
	}
	return labels
}

func (p *printer) field(parts []string) {
	x, _ := strconv.Atoi(parts[1])
	y, _ := strconv.Atoi(parts[2])
	module, _ := strconv.Atoi(parts[3])
	arguments, data := strings.Split(parts[5], ","), decodeField(parts[7])
	number := func(i int) int {
		n, _ := strconv.Atoi(arguments[i])
		return n
	}
	switch parts[4] {
	case "GB":
		p.fill(x, y, number(0), number(1))
	case "GFA,":
		p.picture(x, y, number(2), strings.Join(arguments[3:], ","))
	case "A0N,":
		p.text(x, y, number(0), data, parts[6] != "")
	case "BCN,":
		text := strings.ReplaceAll(strings.TrimPrefix(data, ">:"), ">0", ">")
		runs(bits128(text), func(start, length int) { p.fill(x+start*module, y, length*module, number(0)) })
	case "BQN,":
		side := number(1)
		for row, bits := range bitsQR(strings.TrimPrefix(data, "MA,")) {
			runs(bits, func(start, length int) { p.fill(x+start*side, y+10+row*side, length*side, side) })
		}
	}
}

func (p *printer) fill(x, y, width, height int) {
	draw.Draw(p.paper, at(x, y, width, height), image.Black, image.Point{}, draw.Src)
}

// picture draws rows of bits in hexadecimal.
func (p *printer) picture(x, y, perRow int, data string) {
	row, last := "", ""
	flush := func() {
		for i := range row {
			digit, _ := strconv.ParseUint(row[i:i+1], 16, 8)
			for bit := range 4 {
				if digit&(8>>bit) != 0 {
					p.paper.SetGray(x+4*i+bit, y, color.Gray{})
				}
			}
		}
		row, last, y = "", row, y+1
	}
	for _, letter := range data {
		switch letter {
		case ',':
			row += strings.Repeat("0", 2*perRow-len(row))
		case ':':
			row = last
		default:
			row += string(letter)
		}
		if len(row) == 2*perRow {
			flush()
		}
	}
}

func (p *printer) text(x, y, size int, text string, inverse bool) {
	ink := color.Gray{}
	if inverse {
		ink.Y = 0xff
	}
	picture := regular.latin.load().picture(text, size)
	for dy := picture.Rect.Min.Y; dy < picture.Rect.Max.Y; dy++ {
		for dx := picture.Rect.Min.X; dx < picture.Rect.Max.X; dx++ {
			if black(picture, dx, dy) {
				p.paper.SetGray(x+dx, y+size*baseline/100+dy, ink)
			}
		}
	}
}

// TestPrintedZPL prints labels as a printer of each resolution does, and scans their codes.
// DROPYARD_PICTURES names a folder to keep them in.
func TestPrintedZPL(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(o *delivery.Order){
		"usual": func(*delivery.Order) {},
		"letters": func(o *delivery.Order) {
			o.Dropoff.Name, o.Dropoff.Address.Line1 = "Łukasz Đặng-Nguyễn", "3895 šxʷməθkʷəy̓əmasəm Street"
			o.Dropoff.Address.Line2, o.Dropoff.Address.City = "Tłı̨chǫ ᐃᖃᓗᐃᑦ", "Ἀθῆναι Київ"
		},
		"barcode too long":     func(o *delivery.Order) { o.Parcels[0].Barcode = "PKG-KELOWNA-WAREHOUSE-LOT-A-B-00" },
		"longest barcode":      func(o *delivery.Order) { o.Parcels[0].Barcode = strings.Repeat("M", 31) },
		"barcode of 62 digits": func(o *delivery.Order) { o.Parcels[0].Barcode = strings.Repeat("19", 31) },
		"barcode of one":       func(o *delivery.Order) { o.Parcels[0].Barcode = "1" },
		"barcode with signs":   func(o *delivery.Order) { o.Parcels[0].Barcode = "a^b~c>d\\e_f" },
		"long URL": func(o *delivery.Order) {
			o.TrackingURL = "https://dropyard.example.com/" + strings.Repeat("behind-a-long-path/", 9) + "track/" + o.OrderID
		},
	} {
		o := testkit.Order("par_3kq9w0zt", "ord_3kq9w0zt01hb7m2x9p4c6r8d0f1g2h3j", "A-1", testkit.Epoch)
		o.TrackingURL = "https://dropyard.example.com/track/" + o.OrderID
		change(o)
		for _, resolution := range Resolutions {
			if resolution == 600 && name != "longest barcode" {
				continue // pictures of this size take a second to read
			}
			t.Run(fmt.Sprintf("%s %d", name, resolution), func(t *testing.T) {
				t.Parallel()
				picture := printZPL(t, ZPL(o, resolution, time.UTC))[0]
				if size := picture.Bounds().Size(); size.X != 4*int(resolution) || size.Y != 6*int(resolution) {
					t.Errorf("got a label of %v dots, want 4 by 6 inches", size)
				}
				keepPicture(t, picture)
				for want, reader := range map[string]gozxing.Reader{
					Code128(o, 1): oned.NewCode128Reader(), o.TrackingURL: qrcode.NewQRCodeReader(),
				} {
					bitmap, err := gozxing.NewBinaryBitmapFromImage(picture)
					if err != nil {
						t.Fatal(err)
					}
					found, err := reader.Decode(bitmap, map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_TRY_HARDER: true})
					if err != nil || found.GetText() != want {
						t.Errorf("%T: got %v, %v, want %q", reader, found, err, want)
					}
				}
			})
		}
	}
}

func keepPicture(t *testing.T, picture image.Image) {
	t.Helper()
	folder := os.Getenv("DROPYARD_PICTURES")
	if folder == "" {
		return
	}
	name := strings.NewReplacer("/", "-", " ", "-").Replace(t.Name()) + ".png"
	file, err := os.Create(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(file, picture); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestResolutionsKeepQuietZones: whatever the text and the URL, the codes of a finer
// resolution have bars of at least 10 mil and their quiet zones, and nothing overlaps them.
func TestResolutionsKeepQuietZones(t *testing.T) {
	t.Parallel()
	for _, resolution := range Resolutions {
		for modules := 46; moduleWidthOf(modules) > 0; modules++ {
			coarse := moduleWidthOf(modules)
			fine := resolution.module(coarse)
			if length := fine * (modules + 2*quietBars); (modules-35)%11 == 0 && length > resolution.round(width) {
				t.Errorf("%d dpi, %d modules of %d dots: got %d dots with their quiet zones", resolution, modules, fine, length)
			}
			if fine*1000 < 9800*int(resolution)/1000 {
				t.Errorf("%d dpi: got bars of %d dots, want at least 9.8 mil", resolution, fine)
			}
		}
		for dots := minModule; dots <= qrSide/(21+2*quietQR); dots++ {
			side := qrSide / dots * resolution.module(dots)
			if most := resolution.round(qrSide + 16); side > most {
				t.Errorf("%d dpi, modules of %d dots: got a QR code of %d dots, want at most %d", resolution, dots, side, most)
			}
		}
	}
}

func moduleWidthOf(modules int) int {
	widest := width / (modules + 2*quietBars)
	if widest < minModule {
		return 0
	}
	return min(widest, maxModule)
}
