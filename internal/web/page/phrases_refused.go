package page

// refusalPhrases are those of refusals, by their code: what has happened, and what the
// reader can do.
var refusalPhrases = map[string]phrase{
	"refused.not_found":     {"There is no such page", "Cette page n’existe pas"},
	"refused.not_found.why": {"The address may be mistyped, or what was here is gone.", "L’adresse est peut-être erronée, ou ce qui se trouvait ici n’existe plus."},

	"refused.method_not_allowed":     {"There is no such page", "Cette page n’existe pas"},
	"refused.method_not_allowed.why": {"Only a form leads here. Go back to it.", "Seul un formulaire mène ici. Revenez à celui-ci."},

	"refused.gone":     {"This is no longer here", "Ceci n’est plus là"},
	"refused.gone.why": {"It was removed, or has expired.", "Cela a été retiré ou a expiré."},

	"refused.unauthorized":     {"You are not signed in", "Vous n’êtes pas connecté"},
	"refused.unauthorized.why": {"Sign in, and try again.", "Connectez-vous, puis réessayez."},

	"refused.forbidden":     {"You may not do this", "Vous n’avez pas accès"},
	"refused.forbidden.why": {"Your account has no right to it.", "Votre compte n’y a pas droit."},

	"refused.rate_limited":     {"Too many requests", "Trop de requêtes"},
	"refused.rate_limited.why": {"Wait a moment, then try again.", "Patientez un instant, puis réessayez."},

	"refused.quota_exceeded":     {"Your limit of orders is reached", "Votre limite de commandes est atteinte"},
	"refused.quota_exceeded.why": {"Ask the people who run this service for a higher one.", "Demandez-en une plus haute aux responsables de ce service."},

	"refused.unavailable":     {"We cannot answer at the moment", "Nous ne pouvons pas répondre pour l’instant"},
	"refused.unavailable.why": {"We are working on it. Try again in a minute.", "Nous nous en occupons. Réessayez dans une minute."},

	"refused.internal_error":     {"Something went wrong on our side", "Un problème est survenu de notre côté"},
	"refused.internal_error.why": {"It has been noted. If it happens again, send us the number of the request.", "Il a été enregistré. S’il se répète, envoyez-nous le numéro de la requête."},

	"refused.conflict": {"This was done already", "C’est déjà fait"},
	"refused.conflict.why": {
		"The form was sent before, or someone else was faster. Go back and look at what is there now.",
		"Le formulaire a déjà été envoyé, ou une autre personne a été plus rapide. Revenez en arrière et regardez ce qui s’y trouve maintenant.",
	},

	"refused.shown_once": {"This was shown already", "Ceci a déjà été affiché"},
	"refused.shown_once.why": {
		"The form was handled, and what it answered is not kept, because it may hold a secret. If you did not see it, make another one.",
		"Le formulaire a été traité, et sa réponse n’est pas conservée, car elle peut contenir un secret. Si vous ne l’avez pas vue, refaites-en un autre.",
	},

	"refused.idempotency_in_progress":     {"This is being done", "C’est en cours"},
	"refused.idempotency_in_progress.why": {"The same form was sent a moment ago. Go back and look at what has happened.", "Le même formulaire a été envoyé il y a un instant. Revenez en arrière et regardez ce qui s’est passé."},

	"refused.idempotency_key_reused":     {"This form was sent already", "Ce formulaire a déjà été envoyé"},
	"refused.idempotency_key_reused.why": {"It held something else then. Go back, reload the page, and send it again.", "Il contenait alors autre chose. Revenez en arrière, rechargez la page et envoyez-le de nouveau."},

	"refused.bad_request":     {"This form could not be read", "Ce formulaire n’a pas pu être lu"},
	"refused.bad_request.why": {"Go back, reload the page, and send it again.", "Revenez en arrière, rechargez la page et envoyez-le de nouveau."},

	"refused.validation_error":     {"Something needs a change", "Quelque chose est à corriger"},
	"refused.validation_error.why": {"Go back and check what you have entered.", "Revenez en arrière et vérifiez ce que vous avez saisi."},

	"refused.payload_too_large":     {"This is too large", "C’est trop volumineux"},
	"refused.payload_too_large.why": {"Go back and choose a smaller file.", "Revenez en arrière et choisissez un fichier plus petit."},

	"refused.unsupported_media_type":     {"This kind of file cannot be used", "Ce type de fichier ne convient pas"},
	"refused.unsupported_media_type.why": {"Go back and choose another one.", "Revenez en arrière et choisissez-en un autre."},

	"refused.email_taken":     {"This address has an account already", "Cette adresse a déjà un compte"},
	"refused.email_taken.why": {"Sign in with it, or use another address.", "Connectez-vous avec elle ou utilisez-en une autre."},

	"refused.order_not_cancellable":     {"This order can no longer be cancelled", "Cette commande ne peut plus être annulée"},
	"refused.order_not_cancellable.why": {"A courier has it already, or it has ended.", "Un livreur l’a déjà, ou elle est terminée."},

	"refused.invalid_transition":     {"The order cannot take this step", "La commande ne peut pas passer à cet état"},
	"refused.invalid_transition.why": {"It may have moved on meanwhile. Look at its status now.", "Elle a peut-être avancé entre-temps. Regardez son état actuel."},

	"refused.insufficient_stock":     {"There is not enough in stock", "Le stock ne suffit pas"},
	"refused.insufficient_stock.why": {"Look at what is left, and change the quantities.", "Regardez ce qui reste et modifiez les quantités."},

	"refused.webhook_not_configured":     {"There is no webhook endpoint", "Aucun point de réception de webhooks n’est configuré"},
	"refused.webhook_not_configured.why": {"Set its address first.", "Indiquez d’abord son adresse."},
}
