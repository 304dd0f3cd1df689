package page

// namePhrases are the names of what the service has: statuses, which have the same names
// for operators and partners and others for recipients, service levels, event types, types
// of stock movements, and the reasons of failed attempts.
var namePhrases = map[string]phrase{
	"status.pending":          {"Pending", "En attente"},
	"status.accepted":         {"Accepted", "Acceptée"},
	"status.courier_assigned": {"Assigned", "Assignée"},
	"status.picked_up":        {"Picked up", "Ramassée"},
	"status.in_transit":       {"In transit", "En transit"},
	"status.out_for_delivery": {"Out for delivery", "En cours de livraison"},
	"status.delivered":        {"Delivered", "Livrée"},
	"status.failed":           {"Failed", "Échouée"},
	"status.cancelled":        {"Cancelled", "Annulée"},

	// Of several orders.
	"statuses.pending":          {"Pending", "En attente"},
	"statuses.accepted":         {"Accepted", "Acceptées"},
	"statuses.courier_assigned": {"Assigned", "Assignées"},
	"statuses.picked_up":        {"Picked up", "Ramassées"},
	"statuses.in_transit":       {"In transit", "En transit"},
	"statuses.out_for_delivery": {"Out for delivery", "En cours de livraison"},
	"statuses.delivered":        {"Delivered", "Livrées"},
	"statuses.failed":           {"Failed", "Échouées"},
	"statuses.cancelled":        {"Cancelled", "Annulées"},

	// To recipients.
	"tracked.pending":          {"Received", "Reçue"},
	"tracked.accepted":         {"Accepted", "Acceptée"},
	"tracked.courier_assigned": {"Courier assigned", "Livreur assigné"},
	"tracked.picked_up":        {"Picked up", "Ramassée"},
	"tracked.in_transit":       {"In transit", "En transit"},
	"tracked.out_for_delivery": {"Out for delivery", "En cours de livraison"},
	"tracked.delivered":        {"Delivered", "Livrée"},
	"tracked.failed":           {"Delivery attempt failed", "Tentative de livraison échouée"},
	"tracked.cancelled":        {"Cancelled", "Annulée"},

	"event.order.accepted":         {"Order accepted", "Commande acceptée"},
	"event.courier.assigned":       {"Courier assigned", "Livreur assigné"},
	"event.order.picked_up":        {"Order picked up", "Commande ramassée"},
	"event.order.in_transit":       {"Order in transit", "Commande en transit"},
	"event.order.out_for_delivery": {"Order out for delivery", "Commande en cours de livraison"},
	"event.order.delivered":        {"Order delivered", "Commande livrée"},
	"event.order.failed":           {"Delivery attempt failed", "Tentative de livraison échouée"},
	"event.order.cancelled":        {"Order cancelled", "Commande annulée"},

	"movement.IN":         {"Received", "Entrée"},
	"movement.OUT":        {"Taken out", "Sortie"},
	"movement.ADJUSTMENT": {"Correction", "Correction"},
	"movement.TRANSFER":   {"Transfer", "Transfert"},

	"level.standard": {"Standard", "Standard"},
	"level.express":  {"Express", "Express"},
	"level.same_day": {"Same day", "Jour même"},

	"failure.not_home":      {"No one was there to take the delivery.", "Il n’y avait personne pour recevoir la livraison."},
	"failure.wrong_address": {"The address could not be found.", "L’adresse est introuvable."},
	"failure.no_access":     {"The courier could not get to the door.", "Le livreur n’a pas pu accéder à la porte."},
	"failure.declined":      {"The delivery was not accepted.", "La livraison a été refusée."},
	"failure.damaged":       {"A parcel was damaged on the way.", "Un colis a été endommagé en route."},
	"failure.other":         {"The delivery could not be completed.", "La livraison n’a pas pu être effectuée."},
}
