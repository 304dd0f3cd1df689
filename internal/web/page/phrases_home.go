package page

// homePhrases are those of the first page.
var homePhrases = map[string]phrase{
	"home.title": {"Dropyard", "Dropyard"},
	"home.lead":  {"Deliveries, from the order to the door", "Des livraisons, de la commande à la porte"},
	"home.what": {
		"Shops send orders here, dispatchers and couriers deliver them, and recipients follow each one on a page of its own.",
		"Les commerces y envoient leurs commandes, répartiteurs et livreurs les acheminent, et chaque destinataire suit la sienne sur une page.",
	},
	"home.partner":       {"For partners", "Pour les partenaires"},
	"home.partner.what":  {"Create orders, follow them, and connect your shop.", "Créez des commandes, suivez-les et connectez votre boutique."},
	"home.operator":      {"For operators", "Pour les opérateurs"},
	"home.operator.what": {"Accept, assign and deliver; stock, partners and rates.", "Accepter, assigner et livrer ; stock, partenaires et tarifs."},
	"home.courier":       {"For couriers", "Pour les livreurs"},
	"home.courier.what":  {"Today’s stops, one after the other.", "Les arrêts du jour, l’un après l’autre."},
	"home.signin":        {"Sign in", "Se connecter"},
	"home.signedin":      {"You are signed in as {name}.", "Vous êtes connecté : {name}."},
	"home.continue":      {"Continue", "Continuer"},
	"home.demo": {
		"This is the demo, with a sample shop. One click signs you in.",
		"Ceci est la démonstration, avec un commerce d’exemple. Un clic suffit pour se connecter.",
	},
	"home.demo.enter":          {"Enter", "Entrer"},
	"home.demo.track":          {"Follow an order that is on its way", "Suivre une commande en route"},
	"home.docs":                {"Documentation", "Documentation"},
	"home.interface":           {"The interface for partners (OpenAPI)", "L’interface des partenaires (OpenAPI)"},
	"home.interface.operators": {"The interface for operators (OpenAPI)", "L’interface des opérateurs (OpenAPI)"},
	"home.recipient": {
		"Waiting for a delivery? Open the link that the sender gave you.",
		"Vous attendez une livraison ? Ouvrez le lien que l’expéditeur vous a donné.",
	},
}
