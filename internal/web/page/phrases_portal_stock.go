package page

// portalStockPhrases are those of the portal's list of products.
var portalStockPhrases = map[string]phrase{
	"portal.stock.order": {"Order", "Commander"},
	"portal.stock.none":  {"No products are in stock for you.", "Aucun produit n’est en stock pour vous."},
	"portal.stock.none.why": {
		"The warehouse of your delivery service adds products and books what arrives. Contact it to store goods there.",
		"L’entrepôt de votre service de livraison ajoute les produits et enregistre les arrivages. Communiquez avec lui pour y entreposer des marchandises.",
	},
	"portal.stock.none.test": {
		"The first API key in test mode brings three products with plenty of stock.",
		"La première clé d’API en mode test apporte trois produits avec un stock abondant.",
	},
	"portal.stock.keys": {"API keys", "Clés d’API"},
	"portal.stock.keeper": {
		"The warehouse of your delivery service keeps this list: it adds and changes products, and books what arrives. Contact it for changes.",
		"L’entrepôt de votre service de livraison tient cette liste : il ajoute et modifie les produits, et enregistre les arrivages. Communiquez avec lui pour tout changement.",
	},
	"portal.stock.keeper.test": {
		"These products are for tests: they came with the first API key in test mode. Orders in test mode take from them.",
		"Ces produits servent aux tests : ils sont venus avec la première clé d’API en mode test. Les commandes en mode test y puisent.",
	},
}
