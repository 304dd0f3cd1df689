package page

// courierShellPhrases are those of the app's menu, its installation and signing out.
var courierShellPhrases = map[string]phrase{
	"courier.app.name":  {"Dropyard for couriers", "Dropyard pour livreurs"},
	"courier.app.short": {"Dropyard", "Dropyard"},
	"courier.app.about": {"Your stops of today, also without a connection.", "Vos arrêts du jour, même sans connexion."},

	"courier.offline.title": {"No connection", "Pas de connexion"},
	"courier.offline.why":   {"This page needs a connection. What you have recorded is kept on this phone, and is sent when there is one.", "Cette page a besoin d’une connexion. Ce que vous avez noté est gardé sur ce téléphone, et envoyé dès qu’il y en a une."},
	"courier.offline.way":   {"To your stops", "À vos arrêts"},
}
