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
	"home.interface":     {"The interface (OpenAPI)", "L’interface (OpenAPI)"},
	"home.recipient": {
		"Waiting for a delivery? Open the link that the sender gave you.",
		"Vous attendez une livraison ? Ouvrez le lien que l’expéditeur vous a donné.",
	},
}
