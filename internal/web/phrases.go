package web

import (
	"fmt"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// phrasebook holds the texts of the tracking page in one language.
type phrasebook struct {
	Language    string // its code, for the lang attribute
	Other       string // the code of the other language
	OtherName   string // in that language
	Title       string
	Expected    string
	Courier     string
	Parcels     string
	History     string
	Updated     string
	OrderNumber string
	NotFound    string
	NotFoundWhy string
	NextTry     string
	Statuses    map[delivery.Status]string
	Failures    map[delivery.FailureReason]string // full sentences
	months      [12]string
	dayFirst    bool // 16 January 2026 rather than January 16, 2026
}

// date returns the day of a time.
func (p *phrasebook) date(at time.Time) string {
	month := p.months[at.Month()-1]
	if p.dayFirst {
		return fmt.Sprintf("%d %s %d", at.Day(), month, at.Year())
	}
	return fmt.Sprintf("%s %d, %d", month, at.Day(), at.Year())
}

// phrasebooks has the languages in the order of languages.
var phrasebooks = []*phrasebook{
	{
		Language: "en", Other: "fr", OtherName: "Français",
		Title:    "Track your delivery",
		Expected: "Expected", Courier: "Courier", Parcels: "Parcels", History: "History",
		Updated: "Last updated", OrderNumber: "Order",
		NotFound: "We do not know this delivery", NotFoundWhy: "Check the link that you were sent, or ask the sender.",
		NextTry: "Next attempt",
		Statuses: map[delivery.Status]string{
			delivery.StatusPending:         "Received",
			delivery.StatusAccepted:        "Accepted",
			delivery.StatusCourierAssigned: "Courier assigned",
			delivery.StatusPickedUp:        "Picked up",
			delivery.StatusInTransit:       "In transit",
			delivery.StatusOutForDelivery:  "Out for delivery",
			delivery.StatusDelivered:       "Delivered",
			delivery.StatusFailed:          "Delivery attempt failed",
			delivery.StatusCancelled:       "Cancelled",
		},
		Failures: map[delivery.FailureReason]string{
			delivery.FailureNotHome:   "Nobody was there to take the delivery.",
			delivery.FailureAddress:   "The address could not be found.",
			delivery.FailureNoAccess:  "The courier could not get to the door.",
			delivery.FailureDeclined:  "The delivery was not accepted.",
			delivery.FailureDamaged:   "A parcel was damaged on the way.",
			delivery.FailureUndefined: "The delivery could not be completed.",
		},
		months: [12]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},
	},
	{
		Language: "fr", Other: "en", OtherName: "English",
		Title:    "Suivre votre livraison",
		Expected: "Prévue", Courier: "Livreur", Parcels: "Colis", History: "Historique",
		Updated: "Mise à jour", OrderNumber: "Commande",
		NotFound: "Nous ne connaissons pas cette livraison", NotFoundWhy: "Vérifiez le lien reçu ou demandez à l’expéditeur.",
		NextTry: "Prochaine tentative",
		Statuses: map[delivery.Status]string{
			delivery.StatusPending:         "Reçue",
			delivery.StatusAccepted:        "Acceptée",
			delivery.StatusCourierAssigned: "Livreur assigné",
			delivery.StatusPickedUp:        "Ramassée",
			delivery.StatusInTransit:       "En transit",
			delivery.StatusOutForDelivery:  "En cours de livraison",
			delivery.StatusDelivered:       "Livrée",
			delivery.StatusFailed:          "Tentative de livraison échouée",
			delivery.StatusCancelled:       "Annulée",
		},
		Failures: map[delivery.FailureReason]string{
			delivery.FailureNotHome:   "Personne n’était là pour recevoir la livraison.",
			delivery.FailureAddress:   "L’adresse est introuvable.",
			delivery.FailureNoAccess:  "Le livreur n’a pas pu accéder à la porte.",
			delivery.FailureDeclined:  "La livraison a été refusée.",
			delivery.FailureDamaged:   "Un colis a été endommagé en route.",
			delivery.FailureUndefined: "La livraison n’a pas pu être effectuée.",
		},
		months:   [12]string{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"},
		dayFirst: true,
	},
}
