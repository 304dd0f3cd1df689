package page

// consoleOrderPhrases are those of the console's list of orders and of the page of an
// order.
var consoleOrderPhrases = map[string]phrase{
	"console.orders":           {"Orders", "Commandes"},
	"console.orders.open":      {"Open", "Ouvertes"},
	"console.orders.attention": {"Attention", "À surveiller"},
	"console.orders.shown":     {"{n} order|{n} orders, what is due first on top", "{n} commande|{n} commandes, les plus pressantes d’abord"},
	"console.orders.of":        {"Open orders of", "Commandes ouvertes de"},
	"console.orders.search":    {"Number, recipient, phone, street or barcode", "Numéro, destinataire, téléphone, rue ou code-barres"},
	"console.orders.due":       {"Due", "Échéance"},
	"console.orders.partner":   {"Partner", "Partenaire"},
	"console.orders.none":      {"No order is open.", "Aucune commande n’est ouverte."},
	"console.orders.unknown":   {"No open order has “{search}”. Orders that have ended are found by their whole number or id.", "Aucune commande ouverte ne contient « {search} ». Les commandes terminées se trouvent par leur numéro ou identifiant entier."},
	"console.orders.clear":     {"Show all open orders", "Afficher toutes les commandes ouvertes"},

	"console.order.board":       {"Show on the board", "Afficher au tableau"},
	"console.order.of":          {"Order <strong><bdi>{order}</bdi></strong> of <bdi>{partner}</bdi> for <bdi>{name}</bdi>.", "Commande <strong><bdi>{order}</bdi></strong> de <bdi>{partner}</bdi> pour <bdi>{name}</bdi>."},
	"console.order.papers":      {"Labels and the recipient’s page", "Étiquettes et page du destinataire"},
	"console.order.items":       {"Products from stock", "Produits du stock"},
	"console.order.taken":       {"Taken from:", "Provenance :"},
	"console.order.notes":       {"Notes of the desk", "Notes du bureau"},
	"console.order.recorded":    {"Recorded", "Enregistré"},
	"console.order.stock":       {"{n} unit goes back to the partner’s stock.|{n} units go back to the partner’s stock.", "{n} unité retourne dans le stock du partenaire.|{n} unités retournent dans le stock du partenaire."},
	"console.order.cancel.seen": {"The partner and the recipient see it.", "Le partenaire et le destinataire le voient."},
}
