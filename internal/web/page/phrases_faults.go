package page

// faultPhrases are what a field must hold: "fault." and the code of the rule (form.Define),
// with its arguments. The first is for an empty field.
var faultPhrases = map[string]phrase{
	"fault.required":       {"This is required.", "Ce champ est obligatoire."},
	"fault.json_object":    {"Send a JSON object.", "Envoyez un objet JSON."},
	"fault.no_such_member": {"Remove it: there is no such field.", "Retirez-le : ce champ n’existe pas."},
	"fault.text_length":    {"Enter {least} to {most} characters.", "Entrez de {least} à {most} caractères."},
	"fault.text_from_one":  {"Enter at most {most} characters.", "Entrez au plus {most} caractères."},
	"fault.text_at_most":   {"Enter at most {most} characters.", "Entrez au plus {most} caractères."},
	"fault.one_of":         {"Enter one of: {choices}.", "Entrez l’une de ces valeurs : {choices}."},
	"fault.integer": {
		"Enter a whole number from {least} to {most}.",
		"Entrez un nombre entier de {least} à {most}.",
	},
	"fault.decimal":       {"Enter a number from {least} to {most}.", "Entrez un nombre de {least} à {most}."},
	"fault.true_or_false": {"Choose yes or no.", "Choisissez oui ou non."},
	"fault.date_time":     {"Enter a date and a time of day.", "Entrez une date et une heure."},
	"fault.object":        {"Add an object in braces: { … }.", "Ajoutez un objet entre accolades : { … }."},
	"fault.object_size": {
		"Choose a file or enter a text of at most {most} bytes.",
		"Choisissez un fichier ou entrez un texte d’au plus {most} octets.",
	},
	"fault.objects":  {"Add {least} to {most} entries.", "Ajoutez de {least} à {most} éléments."},
	"fault.elements": {"Choose {least} to {most}.", "Choisissez de {least} à {most} éléments."},
	"fault.elements_from_one": {
		"Choose at least one, and at most {most}.",
		"Choisissez au moins un élément, et au plus {most}.",
	},

	"fault.current_password": {
		"This is not your current password.",
		"Ce n’est pas votre mot de passe actuel.",
	},
	"fault.known_password": {
		"Enter a password of at most 128 characters.",
		"Entrez un mot de passe d’au plus 128 caractères.",
	},
	"fault.new_password": {
		"Choose a password of at least {least} characters that is neither a common one nor your name or address.",
		"Choisissez un mot de passe d’au moins {least} caractères, ni courant, ni égal à votre nom ou à votre adresse.",
	},
	"fault.sign_in_code": {
		"This code is wrong, or was used already.",
		"Ce code est erroné ou a déjà servi.",
	},

	"fault.email": {"Enter an e-mail address.", "Entrez une adresse de courriel."},
	"fault.own_name": {
		"Enter at most 255 characters on one line, without control characters.",
		"Entrez au plus 255 caractères sur une ligne, sans caractères de contrôle.",
	},
	"fault.phone": {
		"Enter a phone number with its country code, such as +15145550100.",
		"Entrez un numéro de téléphone avec l’indicatif du pays, par exemple +15145550100.",
	},
	"fault.postal_code": {
		"Enter a Canadian postal code, such as H2X 1Y4.",
		"Entrez un code postal canadien, par exemple H2X 1Y4.",
	},
	"fault.postal_prefix": {
		"Enter the first one to three characters of a postal code, such as H2X.",
		"Entrez de un à trois caractères du début d’un code postal, par exemple H2X.",
	},
	"fault.support_url": {
		"Enter an address that begins with https://.",
		"Entrez une adresse qui commence par https://.",
	},

	"fault.after_start": {"Enter a time after the beginning.", "Entrez une heure après le début."},
	"fault.clock":       {"Enter a time of day, such as 13:00.", "Entrez une heure, par exemple 13:00."},
	"fault.date": {
		"Enter a date, the beginning of a period before its end.",
		"Entrez une date, le début d’une période avant sa fin.",
	},
	"fault.day":        {"Enter a date, such as 2026-11-21.", "Entrez une date, par exemple 2026-11-21."},
	"fault.local_time": {"Enter a date and a time of day.", "Entrez une date et une heure."},
	"fault.occurred":   {"Enter a time of the last 48 hours.", "Entrez une heure des 48 dernières heures."},
	"fault.period": {
		"Enter a date that is not after {to}, in a period of at most {most} days.",
		"Entrez une date qui ne suit pas le {to}, dans une période d’au plus {most} jours.",
	},
	"fault.recent_time":   {"Enter a time of the last 7 days.", "Entrez une heure des 7 derniers jours."},
	"fault.time_in_query": {"Enter a date and a time of day.", "Entrez une date et une heure."},

	"fault.active_product": {"This product is not active: choose another one.", "Ce produit n’est pas actif : choisissez-en un autre."},
	"fault.as_many_versions": {
		"Give one version for each order.",
		"Donnez une version pour chaque commande.",
	},
	"fault.batch_size":      {"Send 1 to {most} orders.", "Envoyez de 1 à {most} commandes."},
	"fault.distinct_parcel": {"Another parcel has this number.", "Un autre colis porte ce numéro."},
	"fault.each_order_once": {"Name each order once.", "Indiquez chaque commande une seule fois."},
	"fault.no_recipient": {
		"Leave this empty if you name orders.",
		"Laissez ce champ vide si vous indiquez des commandes.",
	},
	"fault.orders_or_recipient": {
		"Enter the orders to erase, or a recipient.",
		"Entrez les commandes à effacer, ou un destinataire.",
	},
	"fault.open_order_of_courier": {
		"Choose an open order of this courier.",
		"Choisissez une commande en cours de ce livreur.",
	},
	"fault.not_of_ended": {
		"Leave this empty for delivered or cancelled orders.",
		"Laissez ce champ vide pour les commandes livrées ou annulées.",
	},
	"fault.one_ended_status": {
		"Choose only one status if it is delivered or cancelled.",
		"Choisissez un seul statut s’il s’agit des commandes livrées ou annulées.",
	},
	"fault.partner_of_ended": {
		"Choose a partner to list delivered or cancelled orders.",
		"Choisissez un partenaire pour lister les commandes livrées ou annulées.",
	},

	"fault.active_courier": {"Choose an active courier.", "Choisissez un livreur actif."},
	"fault.courier_not_taken": {
		"Choose a courier who has no other account.",
		"Choisissez un livreur qui n’a pas d’autre compte.",
	},
	"fault.courier_of_role": {
		"Choose the courier whose account this is.",
		"Choisissez le livreur à qui appartient ce compte.",
	},
	"fault.known_courier": {"Choose an active courier.", "Choisissez un livreur actif."},
	"fault.named_courier": {"Choose a courier.", "Choisissez un livreur."},
	"fault.no_courier_for_role": {
		"Leave this empty, except for the role of a courier.",
		"Laissez ce champ vide, sauf pour le rôle de livreur.",
	},

	"fault.import_ambiguous": {
		"Several products have this barcode: give the product_id as well.",
		"Plusieurs produits ont ce code-barres : indiquez aussi product_id.",
	},
	"fault.import_barcode_twice": {
		"Line {line} is about the same product.",
		"La ligne {line} concerne le même produit.",
	},
	"fault.import_cells": {
		"Line 1 has {cells} cells: this line needs as many.",
		"La ligne 1 a {cells} cellules : il en faut autant ici.",
	},
	"fault.import_columns": {
		"The first line names the columns, separated by commas, each at most once: {columns}.",
		"La première ligne nomme les colonnes, séparées par des virgules, chacune au plus une fois : {columns}.",
	},
	"fault.import_interrupted": {
		"The products changed during the import: it is stored up to line {line}. Correct the lines behind it and send them.",
		"Les produits ont changé pendant l’importation : elle est enregistrée jusqu’à la ligne {line}. Corrigez la suite et envoyez-la.",
	},
	"fault.import_most": {
		"A file has at most {most} products: split it.",
		"Un fichier compte au plus {most} produits : divisez-le.",
	},
	"fault.import_opening": {
		"Only a new product has opening stock: book a movement or a count.",
		"Seul un nouveau produit a un stock initial : enregistrez un mouvement ou un inventaire.",
	},
	"fault.import_product_twice": {
		"Line {line} is about the same product.",
		"La ligne {line} concerne le même produit.",
	},
	"fault.counted_once": {
		"Another line is about the same product.",
		"Une autre ligne concerne le même produit.",
	},
	"fault.not_below_min": {
		"Enter a number that is not below the minimum.",
		"Entrez un nombre qui n’est pas inférieur au minimum.",
	},
	"fault.not_zero": {"Enter a whole number that is not 0.", "Entrez un nombre entier différent de 0."},
	"fault.only_transfer": {
		"Leave this empty, except for a transfer.",
		"Laissez ce champ vide, sauf pour un transfert.",
	},
	"fault.other_location": {
		"Choose another location than the one the goods come from.",
		"Choisissez un autre emplacement que celui d’où viennent les marchandises.",
	},
	"fault.product_of_partner": {"There is no such product.", "Ce produit n’existe pas."},
	"fault.two_decimals": {
		"Enter a number with at most two decimals.",
		"Entrez un nombre d’au plus deux décimales.",
	},
	"fault.within_stock": {
		"Enter a quantity that keeps the stock within {most}.",
		"Entrez une quantité qui ne porte pas le stock au-delà de {most}.",
	},

	"fault.issued_quote": {
		"Ask for a new quote: this one is unknown.",
		"Demandez un nouveau devis : celui-ci est inconnu.",
	},
	"fault.known_card": {"Choose a rate card that was uploaded.", "Choisissez un tarif téléversé."},
	"fault.no_reason": {
		"Leave this empty, except for a suspended partner.",
		"Laissez ce champ vide, sauf pour un partenaire suspendu.",
	},
	"fault.not_both": {"Leave this or {other} empty.", "Laissez ce champ ou {other} vide."},
	"fault.not_built_in": {
		"Choose another version: this one is in use.",
		"Choisissez une autre version : celle-ci est déjà prise.",
	},
	"fault.not_past": {
		"Enter a time in the future, or leave it empty.",
		"Entrez une date à venir, ou laissez ce champ vide.",
	},
	"fault.offered_level": {
		"Choose a service level that is offered in the {zone} zone: {levels}.",
		"Choisissez un niveau de service offert dans la zone {zone} : {levels}.",
	},
	"fault.one_of_both": {"Fill in this or {other}.", "Remplissez ce champ ou {other}."},
	"fault.other_zone": {
		"Nothing is offered in the {zone} zone: choose other addresses.",
		"Rien n’est offert dans la zone {zone} : choisissez d’autres adresses.",
	},
	"fault.partner_of_order": {
		"Leave this empty: the order has its partner.",
		"Laissez ce champ vide : la commande a son partenaire.",
	},
	"fault.same_shipment": {
		"Ask for a new quote: this one is for another shipment.",
		"Demandez un nouveau devis : celui-ci concerne un autre envoi.",
	},
	"fault.same_time": {
		"Remove it, or enter the time of the form.",
		"Retirez-le, ou entrez la date du formulaire.",
	},
	"fault.series_name": {
		"Enter 1 to 64 letters, digits, dots, dashes and underscores.",
		"Entrez de 1 à 64 lettres, chiffres, points, tirets et traits de soulignement.",
	},
	"fault.uploaded_card": {"Choose a rate card that was uploaded.", "Choisissez un tarif téléversé."},
	"fault.valid_quote": {
		"Ask for a new quote: this one expired at {expired}.",
		"Demandez un nouveau devis : celui-ci a expiré à {expired}.",
	},

	"fault.url_anonymous": {
		"Remove the user name and the password from the address.",
		"Retirez le nom d’utilisateur et le mot de passe de l’adresse.",
	},
	"fault.url_ascii": {
		"Enter an address in ASCII without spaces: encode others with %, and in the host as xn--.",
		"Entrez une adresse en ASCII sans espaces : encodez les autres caractères avec %, et dans l’hôte avec xn--.",
	},
	"fault.url_character": {
		"Remove quotes, brackets, braces, bars, backslashes, carets and backticks, or encode them with %.",
		"Retirez guillemets, chevrons, accolades, barres, barres inverses et accents isolés, ou encodez-les avec %.",
	},
	"fault.url_escape": {
		"Put two hexadecimal digits behind each %, and [ and ] in the host only.",
		"Mettez deux chiffres hexadécimaux après chaque %, et [ et ] dans l’hôte seulement.",
	},
	"fault.url_fragment": {"Remove the # and what follows it.", "Retirez le # et ce qui le suit."},
	"fault.url_host": {
		"Enter an address that can be reached from the internet.",
		"Entrez une adresse accessible depuis Internet.",
	},
	"fault.url_http": {
		"Enter an address that begins with https://.",
		"Entrez une adresse qui commence par https://.",
	},
	"fault.url_https": {
		"Enter an address that begins with https://.",
		"Entrez une adresse qui commence par https://.",
	},
	"fault.url_length": {
		"Enter an address of at most {most} characters.",
		"Entrez une adresse d’au plus {most} caractères.",
	},
	"fault.url_port": {
		"Use port 443, or one from 1024 to 65535.",
		"Utilisez le port 443, ou un port de 1024 à 65535.",
	},

	"fault.picture_baseline": {
		"Save the picture as a baseline or progressive JPEG.",
		"Enregistrez l’image en JPEG séquentiel ou progressif.",
	},
	"fault.picture_channels": {
		"Save the JPEG with 8 bits per channel.",
		"Enregistrez le JPEG avec 8 bits par canal.",
	},
	"fault.picture_colours": {
		"Save the JPEG in grey, YCbCr or RGB, not in CMYK.",
		"Enregistrez le JPEG en gris, YCbCr ou RVB, et non en CMJN.",
	},
	"fault.picture_complete": {
		"Choose another file: this picture is damaged or incomplete.",
		"Choisissez un autre fichier : cette image est endommagée ou incomplète.",
	},
	"fault.picture_fewer_scans": {"Save the JPEG with fewer scans.", "Enregistrez le JPEG avec moins de passes."},
	"fault.picture_format": {
		"Choose a PNG, JPEG or WebP picture.",
		"Choisissez une image PNG, JPEG ou WebP.",
	},
	"fault.picture_lossless": {
		"Choose a picture of at most {megapixels} megapixels, or a WebP that is neither lossless nor transparent.",
		"Choisissez une image d’au plus {megapixels} mégapixels, ou un WebP avec perte et sans transparence.",
	},
	"fault.picture_pixels": {
		"Choose a picture of at most {side} pixels a side and {megapixels} megapixels.",
		"Choisissez une image d’au plus {side} pixels de côté et {megapixels} mégapixels.",
	},
	"fault.picture_raster": {
		"Save the picture with fewer pixels, or with 8 bits per channel and not progressive.",
		"Enregistrez l’image avec moins de pixels, ou avec 8 bits par canal et non progressive.",
	},
	"fault.picture_scans": {"Save the JPEG with at most {most} scans.", "Enregistrez le JPEG avec au plus {most} passes."},
	"fault.picture_still": {
		"Choose a still picture, not an animation.",
		"Choisissez une image fixe, et non une animation.",
	},
	"fault.picture_time": {
		"Choose a simpler picture: this one could not be read in {seconds} s.",
		"Choisissez une image plus simple : celle-ci n’a pas pu être lue en {seconds} s.",
	},

	"fault.cursor":        {"Open the list from its first page again.", "Rouvrez la liste à sa première page."},
	"fault.feed_position": {"Refresh the board.", "Actualisez le tableau."},
	"fault.label_code":    {"Scan the code of a label.", "Lisez le code d’une étiquette."},
	"fault.local_path": {
		"Enter a path of this service, such as /console.",
		"Entrez un chemin de ce service, par exemple /console.",
	},
	"fault.single_value": {"Give one value only.", "Donnez une seule valeur."},
	"fault.value_if_sent": {
		"Give a value, or leave it out.",
		"Donnez une valeur, ou retirez ce paramètre.",
	},
}
