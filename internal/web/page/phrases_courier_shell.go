package page

// courierShellPhrases are those of the app's menu, its installation and signing out.
var courierShellPhrases = map[string]phrase{
	"courier.app.name":  {"Dropyard for couriers", "Dropyard pour livreurs"},
	"courier.app.short": {"Dropyard", "Dropyard"},
	"courier.app.about": {"Today’s stops, even without a connection.", "Vos arrêts du jour, même sans connexion."},

	"courier.offline.title": {"No connection", "Pas de connexion"},
	"courier.offline.why":   {"This page needs a connection. What you have recorded stays on this phone and is sent once there is a connection.", "Cette page a besoin d’une connexion. Ce que vous avez noté reste sur ce téléphone et partira au retour de la connexion."},
	"courier.offline.way":   {"To your stops", "À vos arrêts"},

	"courier.menu":         {"Menu", "Menu"},
	"courier.menu.account": {"Signed in as {email}", "Connecté : {email}"},

	"courier.signout":         {"Sign out", "Se déconnecter"},
	"courier.signout.title":   {"Sign out now?", "Se déconnecter maintenant ?"},
	"courier.signout.waiting": {"{n} action has not been sent yet.|{n} actions have not been sent yet.", "{n} action n’a pas encore été envoyée.|{n} actions n’ont pas encore été envoyées."},
	"courier.signout.stays":   {"What is waiting stays on this phone and is sent when you sign in here again.", "Ce qui attend reste sur ce téléphone et partira quand vous vous y reconnecterez."},
	"courier.signout.keep":    {"Stay signed in", "Rester connecté"},
	"courier.signout.anyway":  {"Sign out anyway", "Se déconnecter quand même"},
	"courier.signout.failed":  {"You are still signed in: signing out needs a connection.", "Vous êtes toujours connecté : il faut une connexion pour se déconnecter."},

	"courier.install":       {"Add to the home screen", "Ajouter à l’écran d’accueil"},
	"courier.install.why":   {"From the home screen, your stops open with one tap, even without a connection.", "Depuis l’écran d’accueil, vos arrêts s’ouvrent d’un geste, même sans connexion."},
	"courier.install.ios":   {"Tap Share in your browser, then Add to Home Screen.", "Touchez Partager dans votre navigateur, puis Sur l’écran d’accueil."},
	"courier.install.never": {"No, thanks", "Non, merci"},

	"courier.newer":        {"There is a new version of this app.", "Il y a une nouvelle version de cette application."},
	"courier.newer.reload": {"Use it now", "L’utiliser maintenant"},
}
