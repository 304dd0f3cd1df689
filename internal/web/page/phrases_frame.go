package page

// framePhrases are those of what surrounds the pages of people who are signed in.
var framePhrases = map[string]phrase{
	"frame.menu":    {"Menu", "Menu"},
	"frame.signout": {"Sign out", "Se déconnecter"},
	"frame.modes":   {"Mode", "Mode"},
	"frame.test":    {"Test mode: nothing here is delivered, and nothing costs anything.", "Mode test : rien ici n’est livré ni facturé."},
	"frame.live":    {"Live", "Réel"},
	"frame.testing": {"Test", "Test"},

	"pages.label":    {"Pages", "Pages"},
	"pages.first":    {"First page", "Première page"},
	"pages.previous": {"Previous page", "Page précédente"},
	"pages.next":     {"Next page", "Page suivante"},
}
