package page

// docsPhrases are those of the documentation, whose documents themselves are in English.
var docsPhrases = map[string]phrase{
	"docs.title": {"Dropyard documentation", "Documentation de Dropyard"},
	"docs.what": {
		"How to send orders to Dropyard, receive its webhooks, and run it.",
		"Comment envoyer des commandes à Dropyard, recevoir ses webhooks et l’exploiter.",
	},
	"docs.search":      {"Search the documentation", "Chercher dans la documentation"},
	"docs.search.none": {"Nothing found", "Aucun résultat"},
	"docs.contents":    {"Contents", "Table des matières"},
	"docs.onpage":      {"On this page", "Sur cette page"},
	"docs.english":     {"This page is in English.", "Cette page est en anglais."},
	"docs.asmarkdown":  {"As Markdown", "En Markdown"},
	"docs.decisions":   {"Decisions", "Décisions"},

	"docs.group.reference": {"Reference", "Référence"},
	"docs.api.partners":    {"Interface for partners", "Interface des partenaires"},
	"docs.api.operators":   {"Interface for operators", "Interface des opérateurs"},
	"docs.try":             {"Try it", "Essayer"},
	"docs.try.what": {
		"Sends the request from this page. It takes effect, so use a test key. What you type stays on this page and is not kept.",
		"Envoie la requête depuis cette page. Elle prend effet : utilisez donc une clé de test. Ce que vous saisissez reste sur cette page et n’est pas conservé.",
	},
	"docs.try.token":        {"Token", "Jeton"},
	"docs.try.body":         {"Body", "Corps"},
	"docs.try.send":         {"Send", "Envoyer"},
	"docs.try.answer":       {"Response", "Réponse"},
	"docs.programs":         {"Programs", "Programmes"},
	"docs.group.guides":     {"Guides", "Guides"},
	"docs.group.partners":   {"For partners", "Pour les partenaires"},
	"docs.group.couriers":   {"For apps of couriers", "Pour les applis de livreurs"},
	"docs.group.running":    {"Running the service", "Exploiter le service"},
	"docs.group.developing": {"Changing the service", "Faire évoluer le service"},

	"docs.events": {"Events (webhooks)", "Événements (webhooks)"},
	"docs.errors": {"Errors", "Erreurs"},
	"docs.errors.what": {
		"Every error has a code, on which programs base their decisions; its message is for people. The pages say what each code means and what to do.",
		"Chaque erreur a un code, sur lequel les programmes fondent leurs décisions ; son message s’adresse aux personnes. Les pages disent ce que chaque code signifie et que faire.",
	},
	"docs.error.code":    {"Code", "Code"},
	"docs.error.means":   {"What it means", "Ce que cela signifie"},
	"docs.error.do":      {"What to do", "Que faire"},
	"docs.error.example": {"Examples", "Exemples"},

	"docs.error.bad_request.means": {
		"The request cannot be read: the body is not one JSON value in UTF-8, the query is malformed, or a header such as `Idempotency-Key` is missing or malformed.",
		"La requête est illisible : le corps n’est pas une seule valeur JSON en UTF-8, les paramètres sont mal formés, ou un en-tête comme `Idempotency-Key` manque ou est mal formé.",
	},
	"docs.error.bad_request.do": {
		"Read `error.message`, which names what is wrong, and correct the program. Do not send the same request again: nothing would change.",
		"Lisez `error.message`, qui nomme le problème, et corrigez le programme. Ne renvoyez pas la même requête : rien ne changerait.",
	},
	"docs.error.email_taken.means": {"The e-mail address belongs to another account.", "L’adresse e-mail appartient à un autre compte."},
	"docs.error.email_taken.do": {
		"Log in with this address, ask for a new password if you have lost yours, or use another address.",
		"Connectez-vous avec cette adresse, demandez un nouveau mot de passe si vous avez perdu le vôtre, ou utilisez une autre adresse.",
	},
	"docs.error.unauthorized.means": {
		"The caller is unknown: the signature does not match, a header is missing, the clock is off, the key is revoked, the signature is not of the version that the key requires, or the session has ended. For signed requests, `details.reason` says which.",
		"L’appelant est inconnu : la signature ne correspond pas, un en-tête manque, l’horloge est décalée, la clé est révoquée, la signature n’est pas de la version que la clé exige ou la session est terminée. Pour les requêtes signées, `details.reason` dit laquelle de ces causes.",
	},
	"docs.error.unauthorized.do": {
		"With `signature_mismatch`, check that the signed text has the timestamp, the method in upper case, the path without the query, and exactly the bytes of the body, separated by newlines; version 2 also signs the query, `Idempotency-Key`, `Content-Type` and `X-Nonce`. With `missing_header`, send the header that `error.message` names. With `v2_required`, sign with version 2, as the key requires, or use another key. With `nonce_used`, send the request again with a new `X-Nonce` and `X-Timestamp`, and the same `Idempotency-Key`. With `timestamp_skew`, set the clock: it may differ by 300 s from `details.server_time`. With `unknown_key`, create a new key. Without a reason, log in again.",
		"Avec `signature_mismatch`, vérifiez que le texte signé comporte l’horodatage, la méthode en majuscules, le chemin sans les paramètres et exactement les octets du corps, séparés par des sauts de ligne ; la version 2 signe aussi les paramètres, `Idempotency-Key`, `Content-Type` et `X-Nonce`. Avec `missing_header`, envoyez l’en-tête que nomme `error.message`. Avec `v2_required`, signez avec la version 2, que la clé exige, ou utilisez une autre clé. Avec `nonce_used`, renvoyez la requête avec un nouvel `X-Nonce` et un nouvel `X-Timestamp`, et le même `Idempotency-Key`. Avec `timestamp_skew`, réglez l’horloge : elle peut s’écarter de 300 s de `details.server_time`. Avec `unknown_key`, créez une nouvelle clé. Sans raison indiquée, reconnectez-vous.",
	},
	"docs.error.forbidden.means": {
		"The caller is known but may not do this: the scopes of the key or the role of the person do not include it, the account is suspended or awaits approval, or a browser sent the request for another site.",
		"L’appelant est connu mais n’a pas ce droit : les portées de la clé ou le rôle de la personne ne le comprennent pas, le compte est suspendu ou attend son approbation, ou un navigateur a envoyé la requête pour un autre site.",
	},
	"docs.error.forbidden.do": {
		"Use a key with the scope that the operation needs, or ask an owner of the account for another role. If the account is suspended, ask the people who run the service.",
		"Utilisez une clé qui a la portée nécessaire, ou demandez un autre rôle à un propriétaire du compte. Si le compte est suspendu, adressez-vous aux responsables du service.",
	},
	"docs.error.not_found.means": {
		"What the address names does not exist, or belongs to another partner or to the other mode: test keys find test orders only, live keys live ones.",
		"Ce que l’adresse désigne n’existe pas, ou appartient à un autre partenaire ou à l’autre mode : les clés de test ne trouvent que les commandes de test, les clés réelles que les réelles.",
	},
	"docs.error.not_found.do": {
		"Check the path and the id, and that the key belongs to the mode in which the object was created. Do not repeat the request.",
		"Vérifiez le chemin et l’identifiant, et que la clé appartient au mode dans lequel l’objet a été créé. Ne répétez pas la requête.",
	},
	"docs.error.method_not_allowed.means": {"The path exists, but not with this method.", "Le chemin existe, mais pas avec cette méthode."},
	"docs.error.method_not_allowed.do": {
		"Use one of the methods in the header `Allow` of the response.",
		"Utilisez l’une des méthodes de l’en-tête `Allow` de la réponse.",
	},
	"docs.error.conflict.means": {
		"The request contradicts what exists. Most often, another order already has this `partner_order_id`; or what you change was changed meanwhile. The message says what.",
		"La requête contredit ce qui existe. Le plus souvent, une autre commande a déjà ce `partner_order_id` ; ou ce que vous modifiez a changé entre-temps. Le message le précise.",
	},
	"docs.error.conflict.do": {
		"If it is a retry whose first response was lost, send the same `Idempotency-Key`: you then get that response instead of this error. Otherwise read what exists, and decide from there: `GET /v1/orders?partner_order_id=…` returns the order that has the id.",
		"S’il s’agit d’un nouvel essai dont la première réponse s’est perdue, envoyez le même `Idempotency-Key` : vous recevrez alors cette réponse au lieu de l’erreur. Sinon, lisez ce qui existe et décidez à partir de là : `GET /v1/orders?partner_order_id=…` donne la commande qui porte cet identifiant.",
	},
	"docs.error.order_not_cancellable.means": {
		"The order can no longer be cancelled: a courier has been assigned to it, or it has ended. `details.status` is its status. Orders that are `pending` or `accepted` can be cancelled.",
		"La commande ne peut plus être annulée : un livreur lui est attribué, ou elle est terminée. `details.status` est son état. Les commandes `pending` ou `accepted` peuvent être annulées.",
	},
	"docs.error.order_not_cancellable.do": {
		"Do not repeat the request. Contact the people who run the service if the delivery must be stopped.",
		"Ne répétez pas la requête. Contactez les responsables du service si la livraison doit être arrêtée.",
	},
	"docs.error.invalid_transition.means": {
		"The order cannot move from its status to the one that was asked for, for example because another person was faster.",
		"La commande ne peut pas passer de son état à l’état demandé, par exemple parce qu’une autre personne a été plus rapide.",
	},
	"docs.error.invalid_transition.do": {
		"Read the order, and choose one of the moves that its status allows.",
		"Lisez la commande et choisissez l’un des passages que son état permet.",
	},
	"docs.error.idempotency_in_progress.means": {
		"An earlier request with this `Idempotency-Key` is still running.",
		"Une requête antérieure avec cet `Idempotency-Key` est encore en cours.",
	},
	"docs.error.idempotency_in_progress.do": {
		"Wait, after `Retry-After` if it is present, and send the same request with the same key again. You then get the response of the first one.",
		"Attendez, selon `Retry-After` s’il est présent, puis renvoyez la même requête avec la même clé. Vous recevrez alors la réponse de la première.",
	},
	"docs.error.gone.means": {
		"The position from which you follow changes is too old: the changes after it are no longer held.",
		"La position à partir de laquelle vous suivez les changements est trop ancienne : les changements suivants ne sont plus conservés.",
	},
	"docs.error.gone.do": {
		"Read a snapshot, and follow the changes from its position.",
		"Lisez un instantané, puis suivez les changements à partir de sa position.",
	},
	"docs.error.payload_too_large.means": {
		"The body is larger than this operation accepts. The message says how large it may be.",
		"Le corps dépasse la taille que cette opération accepte. Le message indique la taille permise.",
	},
	"docs.error.payload_too_large.do": {
		"Send less at a time, for example smaller batches, or a smaller picture.",
		"Envoyez moins à la fois, par exemple des lots plus petits ou une image plus petite.",
	},
	"docs.error.unsupported_media_type.means": {
		"The `Content-Type` of the body is not one that this operation accepts.",
		"Le `Content-Type` du corps n’est pas de ceux que cette opération accepte.",
	},
	"docs.error.unsupported_media_type.do": {
		"Send `Content-Type: application/json`, or the type that the page of the operation names.",
		"Envoyez `Content-Type: application/json`, ou le type que nomme la page de l’opération.",
	},
	"docs.error.insufficient_stock.means": {
		"There is not enough stock for the items of the order. `details.items` lists each product with what is available and what was requested. Nothing was created.",
		"Le stock ne suffit pas pour les articles de la commande. `details.items` donne pour chaque produit ce qui est disponible et ce qui était demandé. Rien n’a été créé.",
	},
	"docs.error.insufficient_stock.do": {
		"Order less, or wait until the stock is replenished, and send the order again. The same `Idempotency-Key` may be used, because refusals are not stored.",
		"Commandez moins, ou attendez le réapprovisionnement, puis renvoyez la commande. Le même `Idempotency-Key` peut servir, car les refus ne sont pas conservés.",
	},
	"docs.error.validation_error.means": {
		"One or more values are wrong. `details.errors` lists all of them, each with the field, the value, and what is expected; `details.field` is the first. Registration answers it with 400.",
		"Une ou plusieurs valeurs sont incorrectes. `details.errors` les énumère toutes, chacune avec le champ, la valeur et ce qui est attendu ; `details.field` est la première. L’inscription y répond par 400.",
	},
	"docs.error.validation_error.do": {
		"Correct the named fields. Show people the fault beside the field. Do not repeat the request unchanged.",
		"Corrigez les champs nommés. Montrez l’erreur à côté du champ. Ne répétez pas la requête telle quelle.",
	},
	"docs.error.idempotency_key_reused.means": {
		"This `Idempotency-Key` was used before with another body.",
		"Cet `Idempotency-Key` a déjà servi avec un autre corps.",
	},
	"docs.error.idempotency_key_reused.do": {
		"Generate a new UUID for each new operation, and keep it together with the body for retries. Do not build the body again for a retry: send the same bytes.",
		"Générez un nouvel UUID pour chaque opération et conservez-le avec le corps pour les nouveaux essais. Ne reconstruisez pas le corps lors d’un nouvel essai : envoyez les mêmes octets.",
	},
	"docs.error.webhook_not_configured.means": {
		"The operation needs a webhook endpoint, and the account has none.",
		"L’opération nécessite un point de réception de webhooks, et le compte n’en a pas.",
	},
	"docs.error.webhook_not_configured.do": {
		"Set an endpoint first, in the portal or with `PUT /v1/webhooks/endpoint`. Test mode has an endpoint of its own.",
		"Configurez d’abord un point de réception, dans le portail ou par `PUT /v1/webhooks/endpoint`. Le mode test a le sien.",
	},
	"docs.error.rate_limited.means": {
		"There were more requests in a minute than are allowed, or more than 128 at the same time. In the header `RateLimit`, `r` is how many requests are left, and `t` is in how many seconds all of them are available again; in `RateLimit-Policy`, `q` is how many are allowed in `w` seconds.",
		"Il y a eu plus de requêtes en une minute que permis, ou plus de 128 à la fois. Dans l’en-tête `RateLimit`, `r` est le nombre de requêtes restantes et `t` le nombre de secondes avant qu’elles soient toutes disponibles à nouveau ; dans `RateLimit-Policy`, `q` est le nombre permis en `w` secondes.",
	},
	"docs.error.rate_limited.do": {
		"Wait for the seconds in `Retry-After`, then repeat the request. Send orders in batches, and receive webhooks instead of asking for the status again and again.",
		"Attendez le nombre de secondes de `Retry-After`, puis répétez la requête. Envoyez les commandes par lots, et recevez des webhooks au lieu de redemander sans cesse l’état.",
	},
	"docs.error.quota_exceeded.means": {
		"The account has reached the limit of orders per day or of stored data. `details` names the quota, its limit and what is used.",
		"Le compte a atteint la limite de commandes par jour ou de données conservées. `details` nomme le quota, sa limite et ce qui est utilisé.",
	},
	"docs.error.quota_exceeded.do": {
		"Ask the people who run the service for a higher limit, or wait: the limit per day begins again after `Retry-After` if the header is present.",
		"Demandez une limite plus haute aux responsables du service, ou attendez : la limite par jour recommence après `Retry-After` si l’en-tête est présent.",
	},
	"docs.error.internal_error.means": {
		"Something failed in the service. It was logged with the `request_id`.",
		"Quelque chose a échoué dans le service. L’incident est enregistré avec le `request_id`.",
	},
	"docs.error.internal_error.do": {
		"Repeat the request after 1 s, 2 s, 4 s and so on, up to a minute, with the same `Idempotency-Key` if it has one. If it keeps failing, send us the `request_id`.",
		"Répétez la requête après 1 s, 2 s, 4 s et ainsi de suite, jusqu’à une minute, avec le même `Idempotency-Key` si elle en a un. Si elle échoue toujours, envoyez-nous le `request_id`.",
	},
	"docs.error.unavailable.means": {
		"The service cannot handle the request at the moment, or could not finish it in time. It may have taken effect all the same.",
		"Le service ne peut pas traiter la requête pour l’instant, ou n’a pas pu la terminer à temps. Elle peut avoir pris effet malgré tout.",
	},
	"docs.error.unavailable.do": {
		"Wait for `Retry-After` if the header is present, otherwise 1 s, 2 s, 4 s and so on, up to a minute, and repeat the request with the same `Idempotency-Key`: it then takes effect once only. Keys are kept for at least 72 hours: keep trying, or look with `GET /v1/orders?partner_order_id=…`, before you say that an order was not made.",
		"Attendez selon `Retry-After` si l’en-tête est présent, sinon 1 s, 2 s, 4 s et ainsi de suite, jusqu’à une minute, puis répétez la requête avec le même `Idempotency-Key` : elle ne prend alors effet qu’une fois. Les clés sont conservées au moins 72 heures : continuez d’essayer, ou cherchez avec `GET /v1/orders?partner_order_id=…`, avant de dire qu’une commande n’a pas été créée.",
	},
}
