package mail

import (
	"strconv"
	"time"

	"golang.org/x/text/language"
)

// words is what differs between languages besides the texts.
type words struct {
	language Language
	tag      language.Tag
	dollars  string // of an amount: the whole dollars and the cents
	date     string // of the day, the month's name, the year and the time of day
	first    string // the number of the first day of a month
	// clock returns the time of day, as pages have it.
	clock func(time.Time) string
	why   string // begins the paragraph that says why a message was sent
	// months are the names from January on.
	months  [12]string
	roles   map[string]string // of users, by their names in the interface
	reasons map[string]string // of failed attempts and of disabled endpoints
	buttons map[Kind]string   // what opening a message's URL does
}

// The reasons for which the service disables an endpoint.
const (
	ReasonGone    = "gone"    // it answered 410
	ReasonFailing = "failing" // nothing has been delivered for days
)

// What is changed of an account.
const (
	ReasonAddress  = "address_changed"
	ReasonPassword = "password_changed"
	ReasonKey      = "key_created"

	ReasonCompanySignIn = "company_sign_in_changed"
	ReasonDomains       = "domains_changed"
)

var languages = map[Language]*words{
	English: {
		language: English, tag: language.English, dollars: "$%s.%02d",
		date: "%[2]s %[1]s, %[3]d at %[4]s", first: "1", clock: englishClock, why: "You get this message because ",
		months: [12]string{
			"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
			"December",
		},
		roles: map[string]string{"owner": "owner", "developer": "developer", "clerk": "clerk", "reader": "reader"},
		reasons: map[string]string{
			ReasonGone: "it answered 410 Gone", ReasonFailing: "no delivery has succeeded for five days",
			ReasonAddress:  "the e-mail address was changed",
			ReasonPassword: "the password was changed",
			ReasonKey:      "an API key was created",

			ReasonCompanySignIn: "the company sign-in was set up, changed, turned on or off, or removed",
			ReasonDomains:       "a domain of the company sign-in was added, proven or removed",

			"not_home":      "No one was there to take the delivery.",
			"wrong_address": "The address could not be found.",
			"no_access":     "The courier could not get to the door.",
			"declined":      "The delivery was not accepted.",
			"damaged":       "A parcel was damaged on the way.",
			"other":         "The delivery could not be completed.",
		},
		buttons: map[Kind]string{
			Invitation: "Join the team", Reset: "Set a new password", Email: "Confirm the address", Proof: "Confirm the address",
			OnItsWay: followEnglish, Delivered: "See the delivery", Failed: followEnglish, Late: followEnglish,
			Statement:     "See the statement",
			Exports:       "Open the system page",
			ReturnPlanned: "See the return", ReturnFailed: "See the return", ReturnArrived: "See the return",
		},
	},
	French: {
		language: French, tag: language.CanadianFrench, dollars: "%s,%02d\u00a0$",
		date: "%s %s %d à %s", first: "1er", clock: frenchClock, why: "Vous recevez ce message parce qu",
		months: [12]string{
			"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre",
			"décembre",
		},
		roles: map[string]string{
			"owner": "propriétaire", "developer": "développeur", "clerk": "commis", "reader": "lecteur",
		},
		reasons: map[string]string{
			ReasonGone: "il a répondu 410 Gone", ReasonFailing: "aucun envoi n’a réussi depuis cinq jours",
			ReasonAddress:  "l’adresse de courriel a été changée",
			ReasonPassword: "le mot de passe a été changé",
			ReasonKey:      "une clé d’API a été créée",

			ReasonCompanySignIn: "la connexion d’entreprise a été configurée, modifiée, activée, désactivée ou retirée",
			ReasonDomains:       "un domaine de la connexion d’entreprise a été ajouté, validé ou retiré",

			"not_home":      "Il n’y avait personne pour recevoir la livraison.",
			"wrong_address": "L’adresse est introuvable.",
			"no_access":     "Le livreur n’a pas pu accéder à la porte.",
			"declined":      "La livraison a été refusée.",
			"damaged":       "Un colis a été endommagé en route.",
			"other":         "La livraison n’a pas pu être effectuée.",
		},
		buttons: map[Kind]string{
			Invitation: "Rejoindre l’équipe", Reset: "Choisir un mot de passe", Email: "Confirmer l’adresse",
			Proof: "Confirmer l’adresse", OnItsWay: followFrench, Delivered: "Voir la livraison", Failed: followFrench,
			Late:          followFrench,
			Statement:     "Voir le relevé",
			Exports:       "Ouvrir la page du système",
			ReturnPlanned: "Voir le retour", ReturnFailed: "Voir le retour", ReturnArrived: "Voir le retour",
		},
	},
}

func englishClock(at time.Time) string { return at.Format("3:04 PM") }

func frenchClock(at time.Time) string { return strconv.Itoa(at.Hour()) + at.Format(" h 04") }

const (
	followEnglish = "Follow your delivery"
	followFrench  = "Suivre votre livraison"
)
