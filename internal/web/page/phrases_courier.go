package page

// courierPhrases are those of the courier's app: stops, acts, and what waits.
var courierPhrases = map[string]phrase{
	"courier.title":      {"Your stops", "Vos arrêts"},
	"courier.noscript":   {"This app needs JavaScript: it keeps what you record while there is no connection.", "Cette application a besoin de JavaScript : elle garde ce que vous notez pendant qu’il n’y a pas de connexion."},
	"courier.loading":    {"Reading your stops…", "Lecture de vos arrêts…"},
	"courier.others":     {"This is the app of couriers. You are signed in with another role, and have no stops.", "Voici l’application des livreurs. Vous êtes connecté avec un autre rôle, et n’avez pas d’arrêts."},
	"courier.others.way": {"Couriers and their sign-ins", "Les livreurs et leurs accès"},
}
