package page

// portalOrdersPhrases are those of the portal's list of orders and of the page of an
// order.
var portalOrdersPhrases = map[string]phrase{
	"portal.orders.all":         {"All", "Toutes"},
	"portal.orders.filter":      {"Status of the orders", "État des commandes"},
	"portal.orders.search":      {"Order number or id", "Numéro ou identifiant de commande"},
	"portal.orders.find":        {"Search", "Rechercher"},
	"portal.orders.shown":       {"{n} order|{n} orders, newest first", "{n} commande|{n} commandes, les plus récentes d’abord"},
	"portal.orders.shown.more":  {"The newest order. There are older ones.|The newest {n} orders. There are older ones.", "La commande la plus récente. Il y en a de plus anciennes.|Les {n} commandes les plus récentes. Il y en a de plus anciennes."},
	"portal.orders.shown.older": {"{n} older order|{n} older orders, newest first", "{n} commande plus ancienne|{n} commandes plus anciennes, les plus récentes d’abord"},
	"portal.orders.unknown":     {"There is no order with the number or id “{search}”. Enter it in full.", "Aucune commande n’a le numéro ou l’identifiant « {search} ». Entrez-le en entier."},
	"portal.orders.nothing":     {"No order is in this status.", "Aucune commande n’est dans cet état."},
	"portal.orders.clear":       {"Show all orders", "Afficher toutes les commandes"},

	"portal.order.again":      {"Order again", "Commander de nouveau"},
	"portal.order.late":       {"Late. Expected:", "En retard. Prévue :"},
	"portal.order.expected":   {"Expected:", "Prévue :"},
	"portal.order.cancelled":  {"Reason:", "Motif :"},
	"portal.order.actions":    {"Label, recipient’s page and cancellation", "Étiquette, page du destinataire et annulation"},
	"portal.order.track":      {"Recipient’s page", "Page du destinataire"},
	"portal.order.track.copy": {"Copy the address of the recipient’s page", "Copier l’adresse de la page du destinataire"},
	"portal.order.label.pdf":  {"Label (PDF)", "Étiquette (PDF)"},
	"portal.order.label.zpl":  {"Label (ZPL)", "Étiquette (ZPL)"},

	"portal.order.items": {"Products from your stock", "Produits de votre stock"},

	"portal.order.about": {"Details", "Détails"},

	"portal.cancel":             {"Cancel order", "Annuler la commande"},
	"portal.cancel.title":       {"Cancel {order}?", "Annuler {order} ?"},
	"portal.cancel.what":        {"Order <strong><bdi>{order}</bdi></strong> for <bdi>{name}</bdi> will not be delivered.", "La commande <strong><bdi>{order}</bdi></strong> pour <bdi>{name}</bdi> ne sera pas livrée."},
	"portal.cancel.stock":       {"{n} unit goes back to your stock.|{n} units go back to your stock.", "{n} unité retourne dans votre stock.|{n} unités retournent dans votre stock."},
	"portal.cancel.recipient":   {"The recipient sees it on the tracking page. No e-mail is sent.", "Le destinataire le voit sur la page de suivi. Aucun courriel n’est envoyé."},
	"portal.cancel.webhook":     {"Your webhook endpoint gets the event order.cancelled.", "Votre point de terminaison webhook reçoit l’événement order.cancelled."},
	"portal.cancel.final":       {"This cannot be undone.", "Cette action est définitive."},
	"portal.cancel.reason":      {"Reason", "Motif"},
	"portal.cancel.reason.hint": {"Optional, at most 500 characters", "Facultatif, 500 caractères au plus"},
	"portal.cancel.do":          {"Cancel the order", "Annuler la commande"},
	"portal.cancel.keep":        {"Keep the order", "Garder la commande"},
	"portal.cancel.done":        {"Order {order} is cancelled.", "La commande {order} est annulée."},
	"portal.cancel.late":        {"This order was not cancelled now: its status is “{status}”.", "Cette commande n’a pas été annulée maintenant : son état est « {status} »."},

	"portal.sample":       {"Copy as signed request", "Copier comme requête signée"},
	"portal.sample.how":   {"For bash with curl and openssl. Put your own keys in the first two lines.", "Pour bash avec curl et openssl. Mettez vos propres clés dans les deux premières lignes."},
	"portal.sample.read":  {"Read this order", "Lire cette commande"},
	"portal.sample.again": {"Create the same order under a new number", "Créer la même commande sous un nouveau numéro"},
}
