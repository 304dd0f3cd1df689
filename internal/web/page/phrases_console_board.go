package page

// consoleBoardPhrases are those of the dispatch board, which is an island: its modules
// fill them in.
var consoleBoardPhrases = map[string]phrase{
	"board.title":    {"Dispatch board", "Tableau de répartition"},
	"board.noscript": {"The board needs JavaScript. The open orders are also in a plain list.", "Le tableau nécessite JavaScript. Les commandes ouvertes se trouvent aussi dans une simple liste."},
	"board.plain":    {"Show the list", "Afficher la liste"},

	"board.loading":      {"Reading the open orders…", "Lecture des commandes ouvertes…"},
	"board.live":         {"Live", "En direct"},
	"board.paused":       {"Paused while the page was hidden", "En pause pendant que la page était cachée"},
	"board.reconnecting": {"Not connected; trying again…", "Connexion perdue ; nouvel essai…"},
	"board.error":        {"The open orders could not be read", "Les commandes ouvertes n’ont pas pu être lues"},

	"board.open":       {"Open", "Ouvertes"},
	"board.on_the_way": {"On the way", "En route"},

	"board.reason.late":          {"Late", "En retard"},
	"board.reason.failed_twice":  {"Failed twice", "Échouée deux fois"},
	"board.reason.window_missed": {"Window missed", "Créneau manqué"},
	"board.reason.no_courier":    {"No courier", "Sans livreur"},
	"board.reason.courier_gone":  {"Courier left", "Livreur parti"},

	"board.narrow":     {"Which orders are shown", "Commandes affichées"},
	"board.widen":      {"Show all", "Tout afficher"},
	"board.search":     {"Search orders", "Rechercher une commande"},
	"board.everywhere": {"Ended orders, by number", "Terminées, par numéro"},
	"board.view":       {"View", "Vue"},
	"board.list":       {"List", "Liste"},
	"board.map":        {"Map", "Carte"},
	"board.couriers":   {"Couriers", "Livreurs"},
	"board.panel":      {"Order", "Commande"},
	"board.late":       {"late {t}", "en retard de {t}"},
	"board.select":     {"Select {order}", "Sélectionner {order}"},
	"board.select_all": {"Select all that are shown", "Sélectionner toutes celles qui sont affichées"},
	"board.none":       {"No order is open. New ones appear here by themselves.", "Aucune commande n’est ouverte. Les nouvelles apparaissent ici d’elles-mêmes."},
	"board.none_match": {"No open order matches.", "Aucune commande ouverte ne correspond."},

	"board.due":     {"Due", "Échéance"},
	"board.order":   {"Order", "Commande"},
	"board.partner": {"Partner", "Partenaire"},
	"board.to":      {"To", "Destination"},
	"board.status":  {"Status", "État"},
	"board.courier": {"Courier", "Livreur"},
	"board.zone":    {"Zone", "Zone"},
	"board.level":   {"Level", "Niveau"},
}
