package manual_test

import (
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/dropyard/dropyard/internal/foundation/manual"
)

// shop is a small command line.
type shop struct {
	Sell   sell     `cmd:"" group:"Selling:" help:"Sell things."`
	Secret struct{} `cmd:"" hidden:"" help:"Not shown."`
	Stock  struct {
		Count count `cmd:"" help:"Count what is there."`
		Move  move  `cmd:"" help:"Move what is there."`
	} `cmd:"" group:"Storing:" help:"Look after the stock."`
}

type sell struct {
	Thing []string `arg:"" help:"What is sold: it's -- \\this."`
	Price float64  `short:"p" help:"Price." required:"" placeholder:"DOLLARS" env:"SHOP_PRICE"`
	Kind  string   `help:"Kind." enum:"old,new" default:"new"`
	Wrap  bool     `help:"Wrap it." negatable:""`
	JSON  bool     `name:"json" help:"Print JSON." group:"Output"`
}

type count struct {
	Where string `arg:"" optional:"" help:"A place." enum:"shop,cellar" default:"shop"`
	JSON  bool   `name:"json" help:"Print JSON." group:"Output"`
}

type move struct {
	All  bool   `help:"Move everything."`
	Into string `help:"A place." placeholder:"PLACE" required:"" xor:"to"`
	Away string `help:"A town." placeholder:"TOWN" required:"" xor:"to"`
}

func newShop(t *testing.T) *manual.Manual {
	t.Helper()
	parser, err := kong.New(&shop{}, kong.Name("shop"), kong.Description("Sells things."))
	if err != nil {
		t.Fatal(err)
	}
	m := manual.New(parser.Model, "1.2")
	m.Sections = []manual.Section{{Title: "Files", Items: []manual.Item{{Name: ".shoprc", Help: "Settings."}}}}
	return m
}

// contains expects texts in a document, and none of what is hidden.
func contains(t *testing.T, document string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(document, text) {
			t.Errorf("got\n%s\nwant %q in it", document, text)
		}
	}
	if strings.Contains(strings.ToLower(document), "secret") {
		t.Errorf("got\n%s\nwant it without the hidden command", document)
	}
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	m := newShop(t)
	contains(t, m.Markdown(),
		"## Selling\n\n### sell\n\n```\nshop sell --price=DOLLARS <thing> ... [flags]\n```\n\nSell things.",
		"| `-p, --price=DOLLARS` | Price. ($SHOP_PRICE) |\n| `--kind=old\\|new` | Kind. Default: new. |\n| `--[no-]wrap` | Wrap it. |\n| | and the flags [output](#flags-output) |",
		"## Storing\n\n### stock count\n\n```\nshop stock count [<where>] [flags]\n```",
		"shop stock move --into=PLACE|--away=TOWN [flags]\n")
	contains(t, m.Shared(), "### Flags: output\n\n| flag | meaning |\n|---|---|\n| `--json` | Print JSON. |\n")
	m.Elsewhere = map[string]string{"sell": "See the shop."}
	if got := m.Markdown(); !strings.Contains(got, "Sell things.\n\nSee the shop.\n\n## Storing") {
		t.Errorf("got\n%s\nwant the flags of sell left out", got)
	}
}

func TestPage(t *testing.T) {
	t.Parallel()
	contains(t, newShop(t).Page(time.Date(2026, time.May, 4, 0, 0, 0, 0, time.UTC)),
		`.TH SHOP 1 2026-05-04 "shop 1.2" "User Commands"`,
		".SS shop sell \\-\\-price=DOLLARS <thing> ... [flags]\nSell things.\n.TP\n.I thing\nWhat is sold: it\\(aqs \\-\\- \\ethis.",
		".SH FILES\n.TP\n.B \\&.shoprc\nSettings.", ".SH OUTPUT FLAGS", "Also: output flags, see below.")
}

func TestScripts(t *testing.T) {
	t.Parallel()
	m := newShop(t)
	contains(t, m.Script("bash"), "complete -o default -F _shop shop", "' stock') place='stock'",
		"'stock count') place='stock count'", "flags='--price -p --kind --wrap --no-wrap --json --help'",
		"--kind) values='old new'", "commands='shop cellar'", "--kind|--price|-p)")
	contains(t, m.Script("zsh"), "#compdef shop", "(--kind) compadd -- old new; return ;;", "'sell:Sell things.'")
	contains(t, m.Script("fish"),
		`complete -c shop -n '__shop_at \'sell\'' -l kind -x -a 'old new' -d 'Kind. Default: new.'`)
}
