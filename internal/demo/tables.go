package demo

import (
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
)

// Places are the cities of the demo.
var Places = []Place{
	{"Montréal", "QC", "America/Toronto", "+1514555", []street{
		{"Rue Saint-Denis", "H2J"}, {"Avenue du Mont-Royal E", "H2J"}, {"Rue Saint-Viateur O", "H2T"},
		{"Rue Bernard O", "H2T"}, {"Rue Rachel E", "H2W"}, {"Avenue Duluth E", "H2W"}, {"Rue Ontario E", "H2X"},
		{"Rue Sherbrooke O", "H3A"},
	}},
	{"Toronto", "ON", "America/Toronto", "+1416555", []street{
		{"Queen St W", "M5V"}, {"Spadina Ave", "M5V"}, {"Ossington Ave", "M6J"}, {"Dundas St W", "M6J"},
		{"Queen St E", "M4M"}, {"Carlaw Ave", "M4M"}, {"Bloor St W", "M6G"}, {"Augusta Ave", "M5T"},
	}},
	{"Vancouver", "BC", "America/Vancouver", "+1604555", []street{
		{"W 4th Ave", "V6K"}, {"Trafalgar St", "V6K"}, {"Commercial Dr", "V5N"}, {"Victoria Dr", "V5N"},
		{"E Hastings St", "V5L"}, {"Hamilton St", "V6B"}, {"Homer St", "V6B"}, {"Burrard St", "V6J"},
	}},
}

// Shops are the partners of the demo. The first is the one that visitors sign in as.
var Shops = []Shop{
	{
		Name: "Épicerie Demo", Person: "Épicerie Demo", Email: "demo@example.com", Prefix: "ÉPI", Place: 0,
		Line1: "4000 Rue Saint-Denis", Postal: "H2W 2M5",
		Products: []Product{
			product("Maple syrup 540 ml", 12_99, 20, 2_000, "0627843400011", "MAPLE-SYRUP",
				map[string]int64{"MTL-1": 900, "TOR-1": 240}),
			product("Dark roast coffee 1 kg", 24_50, 10, 1_000, "0627843400028", "DARK-ROAST",
				map[string]int64{"MTL-1": 400, "TOR-1": 80}),
			low("Wool blanket", 89_00, 5, 60, "0627843400035", "WOOL-BLANKET", map[string]int64{"MTL-1": 3, "TOR-1": 1}),
		},
		Goods: []string{"Groceries", "Coffee and syrup", "Cheese and bread", "Vegetables of the week"},
	},
	{
		Name: "Librairie du Plateau", Person: "Anouk Lefebvre", Email: "librairie@example.com", Prefix: "LIB", Place: 0,
		Line1: "1250 Avenue du Mont-Royal E", Postal: "H2J 1Y3",
		Products: []Product{
			product("Carnet ligné A5", 14_00, 30, 1_000, "", "CARNET-LIGNE", map[string]int64{"MTL-1": 600}),
			low("Agenda de l’année", 22_00, 40, 300, "", "AGENDA-LANNEE", map[string]int64{"MTL-1": 12}),
		},
		Goods: []string{"Romans", "Bandes dessinées", "Livres pour enfants", "Magazines"},
	},
	{
		Name: "Queen West Coffee", Person: "Daniel Reid", Email: "coffee@example.com", Prefix: "QWC", Place: 1,
		Line1: "780 Queen St W", Postal: "M6J 1G3",
		Products: []Product{
			product("House blend 340 g", 18_00, 50, 1_500, "", "HOUSE-BLEND", map[string]int64{"TOR-1": 820}),
			product("Paper filters, 100", 7_50, 40, 1_000, "", "PAPER-FILTERS", map[string]int64{"TOR-1": 500}),
		},
		Goods: []string{"Coffee beans", "Espresso cups", "Cold brew", "Pastries"},
	},
	{
		Name: "Leslieville Toys", Person: "Grace Okafor", Email: "toys@example.com", Prefix: "TOY", Place: 1,
		Line1: "1042 Queen St E", Postal: "M4M 1K4",
		Products: []Product{
			product("Wooden train set", 45_00, 10, 400, "", "WOODEN-TRAIN", map[string]int64{"TOR-1": 260}),
			low("Kite, red", 28_00, 15, 120, "", "KITE-RED", map[string]int64{"TOR-1": 6}),
		},
		Goods: []string{"Puzzle", "Board game", "Picture books", "Building blocks"},
	},
	{
		Name: "Kitsilano Ceramics", Person: "Mei Tanaka", Email: "ceramics@example.com", Prefix: "KIT", Place: 2,
		Line1: "2233 W 4th Ave", Postal: "V6K 1N9",
		Products: []Product{
			product("Stoneware mug", 32_00, 20, 600, "", "STONEWARE-MUG", map[string]int64{"VAN-1": 380}),
			product("Dinner plate", 38_00, 20, 600, "", "DINNER-PLATE", map[string]int64{"VAN-1": 300}),
		},
		Goods: []string{"Bowls", "Vase", "Tea set", "Planter"},
	},
	{
		Name: "Commercial Drive Bakery", Person: "Luca Romano", Email: "bakery@example.com", Prefix: "CDB", Place: 2,
		Line1: "1515 Commercial Dr", Postal: "V5L 3Y1",
		Products: []Product{
			product("Granola 800 g", 13_50, 40, 1_200, "", "GRANOLA-800", map[string]int64{"VAN-1": 700}),
			product("Sourdough mix 1 kg", 9_75, 40, 1_200, "", "SOURDOUGH-MIX", map[string]int64{"VAN-1": 640}),
		},
		Goods: []string{"Bread and rolls", "Birthday cake", "Croissants", "Cookies"},
	},
}

// product returns a product that orders take units of.
func product(name string, cents, least, most int64, barcode, sku string, opening map[string]int64) Product {
	return Product{delivery.Product{
		Name: name, PriceCents: cents, StockMin: least, StockMax: most, Barcode: barcode, SKU: sku,
		Status: delivery.ProductActive,
	}, opening, true}
}

// low returns a product with little left, which no order takes.
func low(name string, cents, least, most int64, barcode, sku string, opening map[string]int64) Product {
	found := product(name, cents, least, most, barcode, sku, opening)
	found.Sold = false
	return found
}

// Couriers are the couriers of the demo. The first is the one that visitors sign in as.
var Couriers = []Courier{
	{"Camille Tremblay", "+15145550177", "cargo bike", 0},
	{"Mathieu Gagnon", "+15145550178", "van", 0},
	{"Fatima Benali", "+15145550179", "car", 0},
	{"Olivier Roy", "+15145550180", "cargo bike", 0},
	{"Priya Sharma", "+14165550171", "e-bike", 1},
	{"James O’Connor", "+14165550172", "van", 1},
	{"Wei Chen", "+14165550173", "cargo bike", 1},
	{"Aaliyah Brown", "+14165550174", "car", 1},
	{"Liam Nguyen", "+16045550171", "cargo bike", 2},
	{"Sophie Martin", "+16045550172", "e-bike", 2},
	{"Harpreet Singh", "+16045550173", "van", 2},
	{"Emma Campbell", "+16045550174", "car", 2},
}

// The names of recipients, common ones of both languages and of many origins.
var (
	firstNames = strings.Fields("Alex Chloé Sam Amélie Benoît Catherine David Émile Florence Gabriel Hannah Isabelle " +
		"Jacob Karine Louis Maya Nathan Olivia Pierre Quinn Rosalie Simon Thomas Valérie William Xavier Yasmine Zoé " +
		"Arjun Layla Mei Noah Aisha Ethan Léa Victor")
	lastNames = strings.Fields("Martin Gagnon Roy Bouchard Côté Lavoie Fortin Smith Brown Wilson Campbell MacDonald " +
		"Nguyen Singh Patel Wong Chen Kim Rossi Haddad Diallo Silva Morin Pelletier Bélanger Lévesque Taylor Anderson " +
		"Clarke Stewart Leblanc Girard Poirier Cohen Khan Lopez")
)

// unaccented has the letters with accents that the names contain.
var unaccented = strings.NewReplacer("é", "e", "è", "e", "ë", "e", "î", "i", "ô", "o")

// plain returns a name as e-mail addresses hold it.
func plain(name string) string { return unaccented.Replace(strings.ToLower(name)) }
