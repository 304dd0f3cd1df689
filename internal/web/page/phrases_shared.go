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

// faultPhrases are what a field must hold, by what the service expects in English.
// Pages fall back on the last.
var faultPhrases = map[string]phrase{
	"fault.required": {"This is required.", "Ce champ est obligatoire."},
	"fault.email":    {"Enter an e-mail address.", "Entrez une adresse de courriel."},
	"fault.phone":    {"Enter a phone number with its country code, such as +15145550100.", "Entrez un numéro de téléphone avec l’indicatif du pays, par exemple +15145550100."},
	"fault.url":      {"Enter an address that begins with https://.", "Entrez une adresse qui commence par https://."},
	"fault.postal":   {"Enter a Canadian postal code, such as H2X 1Y4.", "Entrez un code postal canadien, par exemple H2X 1Y4."},
	"fault.password": {
		"Choose a password of at least 8 characters that is neither a common one nor your name or address.",
		"Choisissez un mot de passe d’au moins 8 caractères, ni courant, ni égal à votre nom ou à votre adresse.",
	},
	"fault.operator_password": {
		"Choose a password of at least 12 characters that is neither a common one nor your address.",
		"Choisissez un mot de passe d’au moins 12 caractères, ni courant, ni égal à votre adresse.",
	},
	"fault.current_password": {"This is not your current password.", "Ce n’est pas votre mot de passe actuel."},
	"fault.code":             {"This code is wrong, or was used already.", "Ce code est erroné ou a déjà servi."},
	"fault.choice":           {"Choose at least one.", "Choisissez au moins un élément."},
	"fault.host":             {"Enter an address that can be reached from the internet.", "Entrez une adresse accessible depuis Internet."},
	"fault.time":             {"Enter a date and a time of day.", "Entrez une date et une heure."},
	"fault.clock":            {"Enter a time of day, such as 13:00.", "Entrez une heure, par exemple 13:00."},
	"fault.date":             {"Enter a date, the beginning of a period before its end.", "Entrez une date, le début d’une période avant sa fin."},
	"fault.occurred":         {"Enter a time of the last 48 hours.", "Entrez une heure des 48 dernières heures."},
	"fault.courier":          {"Choose an active courier.", "Choisissez un livreur actif."},
	"fault.name":             {"Enter 1 to 64 letters, digits, dots, dashes and underscores.", "Entrez de 1 à 64 lettres, chiffres, points, tirets et tirets bas."},
	"fault.card":             {"Choose a rate card that was uploaded.", "Choisissez un tarif téléversé."},
	"fault.number":           {"Enter a whole number from {least} to {most}.", "Entrez un nombre entier de {least} à {most}."},
	"fault.length":           {"Enter at most {most} characters.", "Entrez au plus {most} caractères."},
	"fault.other":            {"Expected: {expected}.", "Vérifiez ce champ."},
}
