package page

// consolePhrases are those of the operators' console that several of its pages use.
var consolePhrases = map[string]phrase{
	"console.board":     {"Board", "Tableau"},
	"console.couriers":  {"Couriers", "Livreurs"},
	"console.stock":     {"Stock", "Stock"},
	"console.partners":  {"Partners", "Partenaires"},
	"console.rates":     {"Rates", "Tarifs"},
	"console.figures":   {"Figures", "Chiffres"},
	"console.operators": {"Operators", "Opérateurs"},
	"console.audit":     {"Audit log", "Journal d’audit"},
	"console.settings":  {"Settings", "Paramètres"},
	"console.house":     {"Administration", "Administration"},
	"console.system":    {"System", "Système"},
}
