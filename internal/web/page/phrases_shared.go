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

	"refused.again":     {"Try again", "Réessayer"},
	"refused.request":   {"Request {id}", "Requête {id}"},
	"refused.not_found": {"There is no such page", "Cette page n’existe pas"},
	"refused.not_found.why": {
		"The address may be mistyped, or what was here is gone.",
		"L’adresse est peut-être erronée, ou ce qui se trouvait ici n’existe plus.",
	},
	"refused.rate_limited":     {"Too many requests", "Trop de requêtes"},
	"refused.rate_limited.why": {"Wait a moment, then try again.", "Patientez un instant, puis réessayez."},
	"refused.forbidden":        {"You may not do this", "Vous n’avez pas accès"},
	"refused.forbidden.why":    {"Your account has no right to it.", "Votre compte n’y a pas droit."},
	"refused.unavailable":      {"We cannot answer at the moment", "Nous ne pouvons pas répondre pour l’instant"},
	"refused.unavailable.why":  {"We are working on it. Try again in a minute.", "Nous nous en occupons. Réessayez dans une minute."},
	"refused.conflict":         {"This was done already", "C’est déjà fait"},
	"refused.conflict.why": {
		"The form was sent before, or someone else was faster. Go back and look at what is there now.",
		"Le formulaire a déjà été envoyé, ou une autre personne a été plus rapide. Revenez en arrière et regardez ce qui s’y trouve maintenant.",
	},
	"refused.shown_once": {"This was shown already", "Ceci a déjà été affiché"},
	"refused.shown_once.why": {
		"The form was handled, and what it answered is not kept, because it may hold a secret. If you did not see it, make another one.",
		"Le formulaire a été traité, et sa réponse n’est pas conservée, car elle peut contenir un secret. Si vous ne l’avez pas vue, refaites-en un autre.",
	},
	"refused.in_progress":     {"This is being done", "C’est en cours"},
	"refused.in_progress.why": {"The same form was sent a moment ago. Go back and look at what has happened.", "Le même formulaire a été envoyé il y a un instant. Revenez en arrière et regardez ce qui s’est passé."},
	"refused.bad_request":     {"This form could not be read", "Ce formulaire n’a pas pu être lu"},
	"refused.bad_request.why": {"Go back, reload the page, and send it again.", "Revenez en arrière, rechargez la page et envoyez-le de nouveau."},
	"refused.too_large":       {"This is too large", "C’est trop volumineux"},
	"refused.too_large.why":   {"Go back and choose a smaller file.", "Revenez en arrière et choisissez un fichier plus petit."},
	"refused.other":           {"Something went wrong on our side", "Un problème est survenu de notre côté"},
	"refused.other.why":       {"It has been noted. If it happens again, send us the number of the request.", "Il a été enregistré. S’il se répète, envoyez-nous le numéro de la requête."},
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
	"fault.length":           {"Enter at most {most} characters.", "Entrez au plus {most} caractères."},
	"fault.number":           {"Enter a whole number from {least} to {most}.", "Entrez un nombre entier de {least} à {most}."},
	"fault.other":            {"Expected: {expected}.", "Vérifiez ce champ."},
}
