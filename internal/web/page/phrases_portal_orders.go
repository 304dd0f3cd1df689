package page

// portalOrdersPhrases are those of the portal's list of orders and of the page of an
// order.
var portalOrdersPhrases = map[string]phrase{
	"portal.orders.all":         {"All", "Toutes"},
	"portal.orders.filter":      {"Status of the orders", "État des commandes"},
	"portal.orders.search":      {"Order number or id", "Numéro ou identifiant de commande"},
	"portal.orders.find":        {"Find", "Trouver"},
	"portal.orders.shown":       {"{n} order|{n} orders, newest first", "{n} commande|{n} commandes, les plus récentes d’abord"},
	"portal.orders.shown.more":  {"The newest order. There are older ones.|The newest {n} orders. There are older ones.", "La commande la plus récente. Il y en a de plus anciennes.|Les {n} commandes les plus récentes. Il y en a de plus anciennes."},
	"portal.orders.shown.older": {"{n} older order|{n} older orders, newest first", "{n} commande plus ancienne|{n} commandes plus anciennes, les plus récentes d’abord"},
	"portal.orders.unknown":     {"There is no order with the number or id “{search}”. Only a whole number is found.", "Aucune commande n’a le numéro ou l’identifiant « {search} ». Seul un numéro complet est trouvé."},
	"portal.orders.nothing":     {"No order is in this status.", "Aucune commande n’est dans cet état."},
	"portal.orders.clear":       {"Show all orders", "Afficher toutes les commandes"},
	"portal.orders.pages":       {"Pages", "Pages"},
	"portal.orders.newest":      {"Newest", "Les plus récentes"},
	"portal.orders.older":       {"Older", "Plus anciennes"},
}
