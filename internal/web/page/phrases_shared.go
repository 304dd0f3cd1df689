package page

// sharedPhrases are those of the layout and of components.
var sharedPhrases = map[string]phrase{
	"page.skip":   {"Skip to the content", "Aller au contenu"},
	"page.footer": {"Delivered with Dropyard", "Livré avec Dropyard"},

	"page.colon": {":", " :"},

	"copy.button": {"Copy", "Copier"},
	"copy.done":   {"Copied", "Copié"},
	"copy.what":   {"Copy {what}", "Copier {what}"},

	"bytes.one":  {"{n} B", "{n} o"},
	"bytes.kilo": {"{n} kB", "{n} ko"},
	"bytes.mega": {"{n} MB", "{n} Mo"},
	"bytes.giga": {"{n} GB", "{n} Go"},
	"bytes.tera": {"{n} TB", "{n} To"},

	"time.now":       {"just now", "à l’instant"},
	"time.in":        {"in {t}", "dans {t}"},
	"time.ago":       {"{t} ago", "il y a {t}"},
	"time.today":     {"Today", "Aujourd’hui"},
	"time.tomorrow":  {"Tomorrow", "Demain"},
	"time.yesterday": {"Yesterday", "Hier"},
	"time.comma":     {",", ","},

	"form.faults": {"One field needs a change:|{n} fields need a change:", "Un champ est à corriger :|{n} champs sont à corriger :"},

	"refused.again":   {"Try again", "Réessayer"},
	"refused.request": {"Request {id}", "Requête {id}"},
	"refused.code":    {"What {code} means", "Ce que signifie {code}"},
}
