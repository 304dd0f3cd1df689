package page

// trackPhrases are those of the recipient's page.
var trackPhrases = map[string]phrase{
	"track.title":       {"Your delivery", "Votre livraison"},
	"track.title.from":  {"Your delivery from {sender}", "Votre livraison de {sender}"},
	"track.description": {"See where it is and when it arrives.", "Voyez où elle se trouve et quand elle arrivera."},

	"track.test":     {"This is a test.", "Ceci est un essai."},
	"track.test.why": {"Nothing is being delivered.", "Rien n’est livré."},

	"track.between": {"{day}, between <strong>{from} and {to}</strong>", "{day}, entre <strong>{from} et {to}</strong>"},
	"track.by":      {"{day}, by <strong>{time}</strong>", "{day}, avant <strong>{time}</strong>"},
	"track.late":    {"It is later than planned.", "Elle a du retard."},
	"track.was":     {"Expected before:", "Prévue auparavant :"},
	"track.next":    {"Next attempt: <strong>{when}</strong>", "Prochaine tentative : <strong>{when}</strong>"},

	"track.progress":      {"Progress", "Avancement"},
	"track.parcels.title": {"Parcels", "Colis"},
	"track.parcels":       {"{n} parcel|{n} parcels", "{n} colis|{n} colis"},
	"track.to":            {"to", "vers"},

	"track.courier.coming":   {"<strong><bdi>{courier}</bdi></strong> will pick up {parcels}", "<strong><bdi>{courier}</bdi></strong> ira chercher {parcels}"},
	"track.courier.bringing": {"<strong><bdi>{courier}</bdi></strong> is bringing {parcels}", "<strong><bdi>{courier}</bdi></strong> apporte {parcels}"},
	"track.courier.brought":  {"<strong><bdi>{courier}</bdi></strong> brought {parcels}", "<strong><bdi>{courier}</bdi></strong> a apporté {parcels}"},
	"track.courier.has":      {"<strong><bdi>{courier}</bdi></strong> has {parcels}", "<strong><bdi>{courier}</bdi></strong> a {parcels}"},

	"track.photo":     {"Photo of the delivered parcels", "Photo des colis livrés"},
	"track.history":   {"History", "Historique"},
	"track.questions": {"Questions?", "Des questions ?"},
	"track.contact":   {"Contact {sender}", "Joindre {sender}"},
	"track.order":     {"Order", "Commande"},
	"track.live":      {"updates by itself", "se met à jour seule"},

	"track.mail.title": {"Messages about your delivery", "Messages sur votre livraison"},
	"track.mail.sent": {
		"You may get an e-mail when your delivery is on its way, has arrived, could not be delivered, or is late.",
		"Vous pouvez recevoir un courriel quand votre livraison est en route, arrivée, en retard ou n’a pas pu être livrée.",
	},
	"track.mail.stopped": {"You will get no more e-mails about this delivery.", "Vous ne recevrez plus de courriels sur cette livraison."},
	"track.mail.stop":    {"Stop the e-mails", "Ne plus recevoir de courriels"},
	"track.mail.resume":  {"Send me e-mails again", "Recevoir de nouveau des courriels"},
	"track.mail.follow":  {"Follow your delivery", "Suivre votre livraison"},

	"track.unknown":     {"We do not know this delivery", "Nous ne connaissons pas cette livraison"},
	"track.unknown.why": {"Check the link that you were sent, or ask the sender.", "Vérifiez le lien reçu ou demandez à l’expéditeur."},
}
