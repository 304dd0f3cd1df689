package page

// consoleActsPhrases are those of what the desk does with orders, on the board and on
// the page of an order.
var consoleActsPhrases = map[string]phrase{
	"act.to.accepted":         {"Accept", "Accepter"},
	"act.to.courier_assigned": {"Assign…", "Assigner…"},
	"act.to.picked_up":        {"Picked up", "Ramassée"},
	"act.to.in_transit":       {"In transit", "En transit"},
	"act.to.out_for_delivery": {"Out for delivery", "En cours de livraison"},
	"act.to.delivered":        {"Delivered", "Livrée"},
	"act.to.failed":           {"Failed…", "Échouée…"},
	"act.to.cancelled":        {"Cancel…", "Annuler…"},
	"act.unassign":            {"Unassign", "Désassigner"},
	"act.reassign":            {"Reassign…", "Réassigner…"},

	"act.to.courier_assigned.title": {"Assign {order}", "Assigner {order}"},
	"act.reassign.title":            {"Reassign {order}", "Réassigner {order}"},
	"act.to.failed.title":           {"Attempt failed: {order}", "Tentative échouée : {order}"},
	"act.to.cancelled.title":        {"Cancel {order}?", "Annuler {order} ?"},
	"act.to.courier_assigned.do":    {"Assign", "Assigner"},
	"act.reassign.do":               {"Reassign", "Réassigner"},
	"act.to.failed.do":              {"Record the failed attempt", "Enregistrer l’échec"},
	"act.to.cancelled.do":           {"Cancel the order", "Annuler la commande"},

	"act.to.accepted.done":         {"{order} is accepted.", "{order} est acceptée."},
	"act.to.courier_assigned.done": {"{order} is assigned.", "{order} est assignée."},
	"act.to.picked_up.done":        {"{order} is picked up.", "{order} est ramassée."},
	"act.to.in_transit.done":       {"{order} is in transit.", "{order} est en transit."},
	"act.to.out_for_delivery.done": {"{order} is out for delivery.", "{order} est en cours de livraison."},
	"act.to.delivered.done":        {"{order} is delivered.", "{order} est livrée."},
	"act.to.failed.done":           {"The failed attempt at {order} is recorded.", "La tentative échouée pour {order} est enregistrée."},
	"act.to.cancelled.done":        {"{order} is cancelled.", "{order} est annulée."},
	"act.unassign.done":            {"{order} has no courier now.", "{order} n’a plus de livreur."},
	"act.reassign.done":            {"{order} has another courier now.", "{order} a un autre livreur."},

	"act.late":    {"Nothing was changed: the order’s status is now “{status}”.", "Rien n’a été modifié : l’état de la commande est maintenant « {status} »."},
	"act.late.by": {"Nothing was changed: {who} was faster. The order’s status is now “{status}”.", "Rien n’a été modifié : {who} a été plus rapide. L’état de la commande est maintenant « {status} »."},

	"act.courier":     {"Courier", "Livreur"},
	"act.reason":      {"Reason", "Motif"},
	"act.reason.hint": {"Optional, at most 500 characters. The partner sees it.", "Facultatif, 500 caractères au plus. Le partenaire le voit."},
	"act.next":        {"Next attempt", "Prochaine tentative"},
	"act.next.hint":   {"Optional, in the time of the destination ({zone})", "Facultatif, à l’heure de la destination ({zone})"},
	"act.remark":      {"Remark", "Remarque"},
	"act.remark.hint": {"Optional. The partner sees it in the history.", "Facultatif. Le partenaire la voit dans l’historique."},
	"act.back":        {"Back", "Retour"},

	"act.note":      {"New note, which only operators see", "Nouvelle note, visible des opérateurs seulement"},
	"act.note.do":   {"Add the note", "Ajouter la note"},
	"act.note.done": {"The note is added.", "La note est ajoutée."},

	"act.proof.kind":      {"What it shows", "Ce qu’elle montre"},
	"act.proof.photo":     {"A photo of the delivery", "Une photo de la livraison"},
	"act.proof.signature": {"The recipient’s signature", "La signature du destinataire"},
	"act.proof.file":      {"Picture: PNG, JPEG or WebP, at most 5 MiB", "Image : PNG, JPEG ou WebP, 5 Mio au plus"},
	"act.proof.add":       {"Add the picture", "Ajouter l’image"},
	"act.proof.added":     {"The picture is added.", "L’image est ajoutée."},
	"act.proof.choose":    {"Choose a file.", "Choisissez un fichier."},
	"act.proof.unfit":     {"This is not a PNG, JPEG or WebP of at most 5 MiB.", "Ce n’est pas un PNG, JPEG ou WebP de 5 Mio au plus."},
	"act.proof.late":      {"The order can have no further picture.", "La commande ne peut pas avoir d’autre image."},
}
