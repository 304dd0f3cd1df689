package page

// portalPhrases are those of the partners' portal that several of its pages use, and of
// its first page.
var portalPhrases = map[string]phrase{
	"portal.home":       {"Home", "Accueil"},
	"portal.orders":     {"Orders", "Commandes"},
	"portal.new":        {"New order", "Nouvelle commande"},
	"portal.stock":      {"Stock", "Stock"},
	"portal.developers": {"Developers", "Développement"},
	"portal.start":      {"First five minutes", "Cinq premières minutes"},

	"form.stale": {
		"Someone else changed this while you were editing. Nothing was saved: look at what is there now.",
		"Une autre personne a modifié ceci pendant votre saisie. Rien n’a été enregistré : regardez ce qui s’y trouve maintenant.",
	},
	"form.stale.by": {
		"Someone else changed this while you were editing. Nothing was saved: look at what is there now. Latest change: {when}, by {who}.",
		"Une autre personne a modifié ceci pendant votre saisie. Rien n’a été enregistré : regardez ce qui s’y trouve maintenant. Dernière modification : {when}, par {who}.",
	},
	"form.changed":          {"Latest change: {when}, by {who}.", "Dernière modification : {when}, par {who}."},
	"form.changed.by_house": {"the people who run this service", "les responsables de ce service"},

	"portal.order":    {"Order", "Commande"},
	"portal.to":       {"To", "À"},
	"portal.status":   {"Status", "État"},
	"portal.expected": {"Expected", "Prévue"},
	"portal.price":    {"Price", "Prix"},
	"portal.created":  {"Created", "Créée"},
	"portal.damaged":  {"This order cannot be read at the moment. We are informed.", "Cette commande ne peut pas être lue pour l’instant. Nous en sommes informés."},
	"portal.none":     {"There are no orders here yet.", "Il n’y a pas encore de commande ici."},

	"portal.hello":         {"Hello", "Bonjour"},
	"portal.hello.name":    {"Hello, {name}", "Bonjour {name}"},
	"portal.figures.title": {"The last 14 days", "Les 14 derniers jours"},
	"portal.tasks":         {"What needs doing", "Ce qu’il y a à faire"},
	"portal.recent":        {"Latest orders", "Dernières commandes"},
	"portal.look":          {"Look", "Voir"},

	"portal.figure.orders":   {"Orders, 14 days", "Commandes, 14 jours"},
	"portal.figure.on_time":  {"On time", "À l’heure"},
	"portal.figure.failed":   {"Failed attempts", "Tentatives échouées"},
	"portal.figure.webhooks": {"Webhooks delivered", "Webhooks livrés"},
	"portal.figure.before":   {"{n} before", "{n} avant"},
	"portal.figure.of":       {"of {n} delivered", "sur {n} livrées"},

	"portal.task.disabled": {"Your webhook endpoint is switched off", "Votre point de terminaison webhook est désactivé"},
	"portal.task.failing":  {"Your webhook endpoint is failing", "Votre point de terminaison webhook est en échec"},
	"portal.task.failed":   {"A delivery attempt of {order} failed", "Une tentative de livraison de {order} a échoué"},
	"portal.task.low":      {"{product} is low", "{product} : stock bas"},
	"portal.task.low.why":  {"{left} left, minimum {least}", "{left} en stock, minimum {least}"},
	"portal.task.first":    {"Connect your shop in five minutes", "Connectez votre boutique en cinq minutes"},
}
